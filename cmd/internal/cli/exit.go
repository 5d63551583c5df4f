package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/rolecall-dev/rolecall/pkg/audit"
)

// The exit codes, the same for every command.
const (
	exitClean      = 0 // all in scope was read, nothing gates
	exitFindings   = 1 // findings that gate
	exitUsage      = 2 // usage, config or ledger error; nothing was audited
	exitIncomplete = 3 // nothing gates, but something could not be read
	exitInternal   = 4 // a fault of rolecall itself, or output that could not be written
	exitInterrupt  = 130
	exitTerminate  = 143
)

// fault is an error with the exit code that it ends the program with.
type fault struct {
	code int
	err  error
}

func (f fault) Error() string { return f.err.Error() }
func (f fault) Unwrap() error { return f.err }

// usage is a fault of the words, the config or the ledger.
func usage(err error) error { return fault{exitUsage, err} }

// internal is a fault that no input explains, or that of an output.
func internal(err error) error { return fault{exitInternal, err} }

// errExit carries an exit code of which everything has been said already.
var errExit = errors.New("said")

// exitWith ends a command with a code and no message.
func exitWith(code int) error {
	if code == exitClean {
		return nil
	}
	return fault{code, errExit}
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return s.String() }

// WithSignals is a context that SIGINT and SIGTERM end, with the signal as its
// cause. A second signal ends the process at once.
func WithSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-ch:
			signal.Stop(ch)
			cancel(signalled{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(ch); cancel(nil) }
}

// codeOf is the exit code of a command's error.
func codeOf(ctx context.Context, err error) int {
	var f fault
	var s signalled
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, audit.ErrInterrupted) && errors.As(context.Cause(ctx), &s) && s.Signal == syscall.SIGTERM:
		return exitTerminate
	case errors.Is(err, audit.ErrInterrupted):
		return exitInterrupt
	case errors.As(err, &f):
		return f.code
	}
	return exitUsage
}
