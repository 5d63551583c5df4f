package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
)

// lockPatience is how long a change of a ledger waits for another, and lockPause
// how often it looks whether that is over.
const (
	lockPatience = 10 * time.Second
	lockPause    = 10 * time.Millisecond
)

// lockLedger lets one process at a time read, change and replace a ledger; what
// it returns ends that. Where a folder cannot be locked it goes on without, and
// replaceFile alone keeps a change of somebody else from being lost.
func lockLedger(ctx context.Context, name string) (unlock func(), err error) {
	return lockWithin(ctx, name, lockPatience)
}

func lockWithin(ctx context.Context, name string, patience time.Duration) (unlock func(), err error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	tick := time.NewTicker(lockPause)
	defer tick.Stop()
	for {
		unlock, held := tryLock(name)
		if !held {
			return unlock, nil
		}
		select {
		case <-ctx.Done():
			return nil, audit.ErrInterrupted
		case <-over.C:
			return nil, internal(fmt.Errorf("%s: another rolecall is changing it, and nothing was written; run the command again once that is done", name))
		case <-tick.C:
		}
	}
}

// replaceFile is writeFile for a file that was read before: where it says
// something else by now (an editor saved it meanwhile), it is left as it is.
func replaceFile(name string, before, after []byte) error {
	return writeChecked(name, pile{after}, func() error {
		now, err := os.ReadFile(name)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("%s: it was taken away meanwhile; put it back and run the command again", name)
		case err != nil:
			return err
		case !bytes.Equal(now, before):
			return fmt.Errorf("%s: it was changed meanwhile by something else; run the command again", name)
		}
		return nil
	})
}
