package ping

import (
	"context"
	"time"
)

// Run pings for one run: its start, while the job goes on, and then its end. An
// end is never overtaken by its start, which would make the monitor believe that
// the job still runs.
type Run struct {
	*Sender
	Timeout time.Duration // bounds the start, and the end
	Warn    func(string)  // called from other goroutines

	began  chan struct{} // closed when the start is out or given up; nil if none was sent
	ending chan struct{}
	cancel context.CancelFunc
}

// Begin starts to send the start, and returns at once.
func (r *Run) Begin(p Ping) {
	ctx, cancel := context.WithTimeout(context.Background(), r.Timeout)
	r.began, r.ending, r.cancel = make(chan struct{}), make(chan struct{}), cancel
	began, ending := r.began, r.ending
	more := func() bool { return open(ending) }
	go func() {
		defer close(began)
		defer cancel()
		if err := r.Send(ctx, p, more); err != nil && more() {
			r.warn(err)
		}
	}()
}

// End starts to send the end, and returns at once. The channel is closed when it
// is out or given up, within Timeout. body is asked for the body when its turn
// has come; nil for none.
func (r *Run) End(p Ping, body func() []byte) <-chan struct{} {
	done := make(chan struct{})
	ctx, cancel := context.WithTimeout(context.Background(), r.Timeout)
	go func() {
		defer close(done)
		defer cancel()
		r.settle(ctx)
		if body != nil {
			p.Body = body()
		}
		if err := r.Send(ctx, p, nil); err != nil {
			r.warn(err)
		}
	}()
	return done
}

// settle waits for the start to be out, for a third of the time, and then gives
// it up.
func (r *Run) settle(ctx context.Context) {
	if r.began == nil {
		return
	}
	close(r.ending)
	ctx, stop := context.WithTimeout(ctx, r.Timeout/3)
	defer stop()
	select {
	case <-r.began:
	case <-ctx.Done():
		r.cancel()
		<-r.began
	}
}

func (r *Run) warn(err error) {
	if r.Warn != nil {
		r.Warn(err.Error())
	}
}

func open(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}
