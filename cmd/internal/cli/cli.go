// Package cli is the command line: the only room with flags, environment,
// files, the clock and streams. Each command binds its flags to a struct and
// makes one call.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/render"
)

// Streams are what the program reads and writes.
type Streams struct {
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	OutTTY bool
	ErrTTY bool
	Width  int // of the terminal in columns; 0 if Out is none
}

// StdStreams are those of the process.
func StdStreams() Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	s.OutTTY = term.IsTerminal(int(os.Stdout.Fd()))
	s.ErrTTY = term.IsTerminal(int(os.Stderr.Fd()))
	if s.OutTTY {
		s.Width, _, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	return s
}

// app is one run of the program.
type app struct {
	Streams
	env   func(string) (string, bool)
	now   func() time.Time
	flags commonFlags
	log   *slog.Logger
	args  []string
	// patient says that the command listens to signals itself and ends in its
	// own time.
	patient atomic.Bool
}

// Main runs the program and returns its exit code. Arguments do not hold the
// program's name; env looks up a variable.
func Main(ctx context.Context, args []string, env func(string) (string, bool), s Streams) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(s.Err, "rolecall: internal error: %s\nplease report this\n", safeLines(redact.Text(fmt.Sprint(p))))
			code = exitInternal
		}
	}()
	if _, stated := env("GOGC"); !stated {
		debug.SetGCPercent(gcPercent)
	}
	a := &app{Streams: s, env: env, now: time.Now, log: slog.New(slog.DiscardHandler), args: args}
	root := a.root()
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	cmd, err := execute(ctx, root, a.patient.Load)
	if err != nil && !errors.Is(err, errExit) {
		a.complain(cmd, err)
	}
	return codeOf(ctx, err)
}

// gcPercent is how much garbage may stand beside what is kept before it is
// collected, unless GOGC says so: objects and roles are kept to the end and hold
// few pointers, so that to collect more often than Go does costs little.
const gcPercent = 75

// lastWait is how long a command may take to end after the context has.
const lastWait = time.Second

// execute runs a command and, when the context ends, does not wait for one that
// is not listening, unless it is patient.
func execute(ctx context.Context, root *cobra.Command, patient func() bool) (cmd *cobra.Command, err error) {
	type result struct {
		cmd      *cobra.Command
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			done <- r
		}()
		r.cmd, r.err = root.ExecuteContextC(ctx)
	}()
	var r result
	select {
	case r = <-done:
	case <-ctx.Done():
		t := time.NewTimer(lastWait)
		defer t.Stop()
		select {
		case r = <-done:
		case <-t.C:
			if patient() {
				r = <-done
				break
			}
			return nil, fmt.Errorf("%w in the middle of the work; no report was written", audit.ErrInterrupted)
		}
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.cmd, r.err
}

// complain says an error, one line for each that is joined in it.
func (a *app) complain(cmd *cobra.Command, err error) {
	for _, line := range strings.Split(strings.TrimRight(redact.Text(suggest(cmd, err)), "\n"), "\n") {
		fmt.Fprintf(a.Err, "rolecall: %s\n", escapeLine(line))
	}
}

// look up an environment variable, empty if it is not set.
func (a *app) getenv(name string) string {
	v, _ := a.env(name)
	return v
}

// safeLines is a text of several lines, each safe to show.
func safeLines(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i := range lines {
		lines[i] = render.Line(lines[i])
	}
	return strings.Join(lines, "\n")
}
