//go:build unix

package host

import "time"

// Clock is the machine's.
type Clock struct{ begun time.Time }

// Wall is the wall clock.
func (Clock) Wall() time.Time { return time.Now() }

// After waits by the monotonic clock.
func (Clock) After(d time.Duration) (<-chan struct{}, func()) {
	c := make(chan struct{})
	t := time.AfterFunc(d, func() { close(c) })
	return c, func() { t.Stop() }
}
