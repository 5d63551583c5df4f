package cli

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
)

// patience is how long the work may take before a person is told about it.
const patience = time.Second

// progress tells a person at a terminal what has been read, once the work takes
// longer than a second, and a log in any case.
func (a *app) progress() func(audit.Event) {
	start := time.Now()
	return func(e audit.Event) {
		if e.Done {
			a.log.Info("read", "source", e.Source, "look", e.Look, "objects", e.Objects, "gaps", e.Gaps)
		} else {
			a.log.Info("reading", "source", e.Source, "look", e.Look)
		}
		if !a.ErrTTY || a.flags.quiet || time.Since(start) < patience {
			return
		}
		switch {
		case !e.Done && e.Look > 1:
			fmt.Fprintf(a.Err, "looking again at %s, which has findings\n", escapeLine(e.Source))
		case !e.Done:
			fmt.Fprintf(a.Err, "reading %s\n", escapeLine(e.Source))
		default:
			fmt.Fprintf(a.Err, "read %s: %d objects, %d gaps\n", escapeLine(e.Source), e.Objects, e.Gaps)
		}
	}
}
