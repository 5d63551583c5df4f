package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// ownPlaces refuses one place of evidence for a role in several sources: the runs
// of one would speak for the others.
func (b *builder) ownPlaces() {
	for _, r := range b.out.Roles {
		if len(r.Sources) < 2 {
			continue
		}
		var said []specs.Pos
		for _, s := range evidenceOf(r) {
			if p := s.Place(); p == "" || strings.Contains(p, specs.SourceMark) || slices.Contains(said, s.Pos) {
				continue
			}
			said = append(said, s.Pos)
			b.errs.Add(s.Pos, "%s of role %s names one place for %d sources, and a run in one of them would speak for the others; put %s where the name of the source belongs, as in %s, or write a role for each source", s.field, r.Key, len(r.Sources), specs.SourceMark, s.example())
		}
	}
}

// stageEvidence is a stage's evidence with the field that names it.
type stageEvidence struct {
	specs.EvidenceSource
	field string
}

func evidenceOf(r specs.Role) []stageEvidence {
	e := r.Evidence
	out := []stageEvidence{{e.Executed, "evidence.executed"}, {e.Succeeded, "evidence.succeeded"}, {e.Progressed, "evidence.progressed"}}
	for i := range out {
		if out[i].Shared {
			out[i].field = "evidence.runs"
		}
	}
	return out
}

// example is YAML, in which a brace wants quotes.
func (s stageEvidence) example() string {
	switch {
	case s.Query != "":
		return `query: 'max(backup_success_seconds{instance="` + specs.SourceMark + `"})'`
	case s.File != "":
		return "path: '/srv/" + specs.SourceMark + "/dump.gz'"
	}
	return "runs: '/srv/records/" + specs.SourceMark + "'"
}

// Ahead warns of what begins to count only after now: until then no alarm of the
// role's stages can come.
func (l Ledger) Ahead(now time.Time) []Warning {
	var out []Warning
	for _, r := range l.Roles {
		if since := r.Evidence.Since; since.After(now) {
			out = append(out, Warning{r.Evidence.Pos, fmt.Sprintf("evidence.since of role %s is %s, which is yet to come: until then none of its stages alarms; correct the date, or leave it out", r.Key, since.Format(time.RFC3339))})
		}
	}
	return out
}
