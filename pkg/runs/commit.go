package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync/atomic"
)

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// commit claims the verdict, promotes and closes, within the commit timeout. It
// has a goroutine of its own since a file system can hang for ever. If it does,
// the run stays open and its lock is kept until this process ends, so that no
// other takes the run for dead while a late rename could still happen.
func (r *running) commit(outputs []staged) Outcome {
	own := *r
	c := &committing{r: &own, outputs: outputs}
	done := make(chan Outcome, 1)
	panicked := make(chan any, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				panicked <- v
			}
		}()
		done <- c.do()
	}()
	over, stop := r.After(r.plan.Budgets.Commit)
	defer stop()
	id := r.run.ID
	for {
		select {
		case out := <-done:
			return out
		case v := <-panicked:
			return Outcome{Code: ExitInternal, RunID: id, Cause: CauseInternal, Message: fmt.Sprintf("internal error in the commit: %v", v)}
		case <-r.Stops:
			c.noted.Store(true)
		case <-over:
			c.abandoned.Store(true)
			r.keepOwner, r.run = true, nil
			return Outcome{Code: ExitIO, RunID: id, Cause: CausePromotion,
				Message: fmt.Sprintf("the commit of run %s did not end within %s; it is unresolved, and the next run or rolecall runs reap looks after it", id, r.plan.Budgets.Commit)}
		}
	}
}

// committing is one commit. Once it is abandoned it begins no further step.
type committing struct {
	r         *running
	outputs   []staged
	abandoned atomic.Bool
	noted     atomic.Bool // a stop came, and is only noted
}

var errAbandoned = errors.New("the commit took longer than it may")

func (c *committing) do() Outcome {
	r := c.r
	g := Gate{Verdict: Commit, Cause: CauseExit, Promotion: c.intent(), Exit: &r.ended.Exit}
	if r.plan.WatermarkTo != "" {
		g.Watermark = &Move{From: r.watermark, To: r.plan.WatermarkTo}
	}
	won, err := r.claim(r.run, r.own(g), r.reserved(KindGate))
	switch {
	case won && err != nil:
		return r.closed(ExitIO, Terminal{State: Failed, Cause: CauseDurability, Note: err.Error()})
	case err != nil:
		return r.shut(ExitIO, Gate{Verdict: Fail, Cause: CauseRecord, Exit: &r.ended.Exit},
			Terminal{State: Failed, Cause: CauseRecord, Note: err.Error()}, err.Error())
	case !won && r.run.Gate.Body.Token != r.run.ID:
		return r.lost(0, g)
	}
	return c.promote(g)
}

func (c *committing) intent() []Promotion {
	out := []Promotion{}
	for _, s := range c.outputs {
		out = append(out, s.Promotion)
	}
	return out
}

// promote does what the gate says: rename, make the names durable, look that it
// is what was summed, move the watermark, close.
func (c *committing) promote(g Gate) Outcome {
	r := c.r
	if done, err := c.rename(); err != nil {
		if done == 0 {
			return r.closed(ExitIO, Terminal{State: Failed, Cause: CausePromotion, Note: err.Error()})
		}
		return c.open("mixed-commit", fmt.Errorf("%d of %d outputs are in place: %w", done, len(c.outputs), err))
	}
	if err := c.settle(); err != nil {
		// The names stand and may not survive: the record says so.
		return r.closed(ExitIO, Terminal{State: Failed, Cause: CauseDurability, Note: err.Error(), Promoted: g.Promotion})
	}
	if err := c.same(); err != nil {
		return c.open("changed-in-commit", err)
	}
	if g.Watermark != nil {
		if err := c.step(func() error { return r.move(r.run, *g.Watermark) }); err != nil {
			return c.open("watermark", fmt.Errorf("the outputs are in place, and the watermark could not be moved: %w", err))
		}
	}
	if c.abandoned.Load() {
		return Outcome{}
	}
	r.noted = c.noted.Load()
	return r.closed(0, Terminal{State: Completed, Cause: CauseExit, Promoted: g.Promotion, WatermarkMoved: g.Watermark != nil})
}

// step does one thing, unless the commit was abandoned.
func (c *committing) step(do func() error) error {
	if c.abandoned.Load() {
		return errAbandoned
	}
	return do()
}

// open leaves the run without a closure, for a person or a recovery.
func (c *committing) open(cause string, err error) Outcome {
	if c.abandoned.Load() {
		return Outcome{}
	}
	return c.r.unresolved(cause, err.Error())
}

// rename puts the outputs in place in the order in which they were named: the
// last one is what readers go by.
func (c *committing) rename() (int, error) {
	for i, s := range c.outputs {
		err := c.step(func() error {
			if now, err := c.r.FS.Stat(s.Staged); err != nil || now != s.info {
				return errors.Join(err, fmt.Errorf("the output %s is not what it was when it was looked at", s.Staged))
			}
			return c.r.FS.Rename(s.Staged, s.Final)
		})
		if err != nil {
			return i, err
		}
	}
	return len(c.outputs), nil
}

// settle makes the new names durable.
func (c *committing) settle() error {
	var dirs []string
	for _, s := range c.outputs {
		if d := path.Dir(s.Final); !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, d := range dirs {
		if err := c.step(func() error { return c.r.FS.SyncDir(d) }); err != nil {
			return err
		}
	}
	return nil
}

// same proves that what stands under the final names is what was summed.
func (c *committing) same() error {
	for _, s := range c.outputs {
		now, err := c.r.FS.Stat(s.Final)
		if err != nil || now != s.info {
			return errors.Join(err, fmt.Errorf("%s is not what was promoted", s.Final))
		}
	}
	return nil
}
