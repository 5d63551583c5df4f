package runtest

import (
	"sync"
	"time"
)

// Clock is moved by a test. Timers fire when it is.
type Clock struct {
	mu        sync.Mutex
	cond      *sync.Cond
	wall      time.Time
	mono      time.Duration
	suspended time.Duration
	timers    map[*timer]bool
}

type timer struct {
	at time.Duration
	c  chan struct{}
}

// NewClock begins an hour after a boot.
func NewClock() *Clock {
	c := &Clock{wall: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), mono: time.Hour, timers: map[*timer]bool{}}
	c.cond = sync.NewCond(&c.mu)
	return c
}

// Wall is the wall clock.
func (c *Clock) Wall() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.wall }

// Mono is the monotonic clock.
func (c *Clock) Mono() time.Duration { c.mu.Lock(); defer c.mu.Unlock(); return c.mono }

// Boot is the boot-time clock.
func (c *Clock) Boot() time.Duration { c.mu.Lock(); defer c.mu.Unlock(); return c.mono + c.suspended }

// SetWall sets the wall clock alone, as a person or ntpd does.
func (c *Clock) SetWall(t time.Time) { c.mu.Lock(); c.wall = t; c.mu.Unlock() }

// After waits by the monotonic clock.
func (c *Clock) After(d time.Duration) (<-chan struct{}, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.mono + d, make(chan struct{})}
	if d <= 0 {
		close(t.c)
		return t.c, func() {}
	}
	c.timers[t] = true
	c.cond.Broadcast()
	return t.c, func() { c.mu.Lock(); delete(c.timers, t); c.mu.Unlock() }
}

// Advance moves all clocks and fires what has come due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mono += d
	c.wall = c.wall.Add(d)
	c.fire()
}

func (c *Clock) fire() {
	for t := range c.timers {
		if t.at <= c.mono {
			delete(c.timers, t)
			close(t.c)
		}
	}
}

// suspend passes time in which nothing runs.
func (c *Clock) suspend(d time.Duration) {
	c.mu.Lock()
	c.suspended += d
	c.wall = c.wall.Add(d)
	c.mu.Unlock()
}

// horizon is how far ahead Run looks: what polls is soon, what bounds is far. A
// test that wants a bound to pass says so with Advance, or lets polls add up.
const horizon = time.Second

// Run moves the clock from poll to poll until done is closed.
func (c *Clock) Run(done <-chan struct{}) {
	go func() { <-done; c.mu.Lock(); c.cond.Broadcast(); c.mu.Unlock() }()
	c.mu.Lock()
	defer c.mu.Unlock()
	for open(done) {
		first, ok := c.first()
		if !ok {
			c.cond.Wait()
			continue
		}
		c.wall = c.wall.Add(first - c.mono)
		c.mono = first
		c.fire()
		c.mu.Unlock()
		c.Yield()
		c.mu.Lock()
	}
}

// first is the next timer within the horizon.
func (c *Clock) first() (time.Duration, bool) {
	first, ok := c.mono+horizon, false
	for t := range c.timers {
		if t.at <= first {
			first, ok = t.at, true
		}
	}
	return first, ok
}

// Waiting blocks until n timers are set.
func (c *Clock) Waiting(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) < n {
		c.cond.Wait()
	}
}

func open(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}
