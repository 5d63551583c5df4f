package runtest

import (
	"sync"
	"time"
)

// Clock is that of a bubble of testing/synctest: time passes in it when all that
// runs waits, and at once. The wall clock can be set apart from the others, and
// the machine suspended.
type Clock struct {
	mu        sync.Mutex
	begun     time.Time
	wall      time.Duration // by how much the wall clock was set
	suspended time.Duration
}

// NewClock begins an hour after a boot.
func NewClock() *Clock { return &Clock{begun: time.Now().Add(-time.Hour)} }

// Wall is the wall clock.
func (c *Clock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.wall + c.suspended)
}

// Mono is the monotonic clock.
func (c *Clock) Mono() time.Duration { return time.Since(c.begun) }

// Boot is the boot-time clock.
func (c *Clock) Boot() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.begun) + c.suspended
}

// TurnWall sets the wall clock alone, as a person or ntpd does.
func (c *Clock) TurnWall(by time.Duration) { c.mu.Lock(); c.wall += by; c.mu.Unlock() }

// After waits by the monotonic clock.
func (c *Clock) After(d time.Duration) (<-chan struct{}, func()) {
	done := make(chan struct{})
	t := time.AfterFunc(d, func() { close(done) })
	return done, func() { t.Stop() }
}

// Suspend passes time in which nothing runs.
func (c *Clock) Suspend(d time.Duration) { c.mu.Lock(); c.suspended += d; c.mu.Unlock() }
