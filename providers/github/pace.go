package github

import (
	"context"
	"sync"
	"time"
)

// pace keeps requests from coming faster than a server's secondary limit allows:
// GitHub's is 900 points a minute for the REST API, one for each GET (REST
// reference, rate limits).
type pace struct {
	mu    sync.Mutex
	begun []time.Time // of the last requests, as a ring
	next  int         // the oldest
	span  time.Duration
	now   func() time.Time
	wait  func(context.Context, time.Duration) error
}

// keep waits until another request may begin.
func (p *pace) keep(ctx context.Context) error {
	if p == nil || len(p.begun) == 0 {
		return nil
	}
	p.mu.Lock()
	now := p.now()
	at := now
	if oldest := p.begun[p.next]; !oldest.IsZero() && oldest.Add(p.span).After(now) {
		at = oldest.Add(p.span)
	}
	p.begun[p.next] = at
	p.next = (p.next + 1) % len(p.begun)
	p.mu.Unlock()
	if at.After(now) {
		return p.wait(ctx, at.Sub(now))
	}
	return nil
}
