//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// stopSignals ask a run to stop. One that was ignored at the start, as nohup
// does, stays so.
var stopSignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// catchStops gives the signals that ask this process to stop, also one that came
// before. Handlers do nothing else. A pipe of ours that nobody reads any more
// is no reason to die: writing to it fails, and that is all.
func catchStops(ctx context.Context) (<-chan runs.Signal, func()) {
	in := make(chan os.Signal, 16)
	for _, s := range stopSignals {
		if !signal.Ignored(s) {
			signal.Notify(in, s)
		}
	}
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	out := make(chan runs.Signal, 16)
	quit := make(chan struct{})
	if early, ok := earlyStop(ctx); ok && len(in) == 0 {
		out <- early
	}
	go func() {
		for {
			select {
			case s := <-in:
				out <- runs.Signal(s.(syscall.Signal))
			case <-pipe:
			case <-quit:
				return
			}
		}
	}()
	// The signals stay caught: what comes between the end of the run and that of
	// the process must not turn its exit code.
	return out, func() { close(quit) }
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
