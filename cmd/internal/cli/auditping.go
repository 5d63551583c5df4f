package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"github.com/rolecall-dev/rolecall/pkg/ping"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/report"
)

// watched runs an audit under an outside monitor: it hears of the start, and of
// the end by the exit code, with a line of what was found. An audit that is
// interrupted tells nothing more. A ping that fails is a line for a person.
func (a *app) watched(ctx context.Context, f *pingFlags, audit func(said func(report.Report)) error) error {
	if err := f.check(); err != nil {
		return usage(err)
	}
	var line string
	said := func(r report.Report) { line = auditLine(r) }
	u := a.addresses(f, "")
	if u.IsZero() {
		return audit(said)
	}
	s, err := ping.New(u, "rolecall/"+version())
	if err != nil {
		return usage(err)
	}
	var once sync.Once
	run := ping.Run{Sender: s, Timeout: f.timeout, Warn: func(text string) { once.Do(func() { a.say(text) }) }}
	about := ping.Ping{Role: "audit", RID: ping.RID("audit/" + rand.Text()), Kind: ping.Start}
	run.Begin(about)
	err = audit(said)
	if ctx.Err() != nil {
		return err
	}
	if line == "" && err != nil {
		line, _, _ = strings.Cut(redact.Text(err.Error()), "\n")
	}
	about.Kind = ping.Success
	if about.Exit = codeOf(ctx, err); about.Exit != exitClean {
		about.Kind = ping.Fail
	}
	select {
	case <-run.End(about, func() []byte { return []byte(escapeLine(line) + "\n") }):
	case <-ctx.Done():
	}
	return err
}

// auditLine is what a report says, in one line.
func auditLine(r report.Report) string {
	count, gaps := 0, 0
	for _, f := range r.Findings {
		if !f.Waived() {
			count++
		}
	}
	for _, c := range r.Coverage {
		if c.State != "read" {
			gaps++
		}
	}
	line := fmt.Sprintf("%s: %s, %s", r.Verdict, plural(len(r.Roles), "role"), plural(count, "finding"))
	if gaps > 0 {
		line += ", " + plural(gaps, "part") + " not read"
	}
	return line + fmt.Sprintf(", exit code %d", r.ExitCode)
}
