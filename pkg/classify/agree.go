package classify

import (
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// Agree is the later of two judgements without the findings that the earlier
// one does not have. These, and those that went away, become notes: what came
// or went between two looks is said and does not gate. A gap is as the later
// look saw it.
func Agree(before, now Judgement) Judgement {
	fresh := Only(now, before)
	for _, f := range append(slices.Clone(fresh), Only(before, now)...) {
		if f.Kind == report.Unknown {
			continue
		}
		now.Notes = append(now.Notes, report.Note{
			Code: "unsettled", Source: f.Source, Location: f.Location,
			Message: f.ID + " came or went between two looks: " + f.Message + "; run the audit again",
		})
	}
	now.Roles = slices.Clone(now.Roles)
	now.Findings = slices.DeleteFunc(slices.Clone(now.Findings), func(f report.Finding) bool {
		return f.Kind != report.Unknown && slices.ContainsFunc(fresh, func(g report.Finding) bool { return g.ID == f.ID })
	})
	now.states()
	return now
}

// Only are the findings of a that b does not have, by their ids.
func Only(a, b Judgement) []report.Finding {
	have := make(map[string]bool, len(b.Findings))
	for _, f := range b.Findings {
		have[f.ID] = true
	}
	var out []report.Finding
	for _, f := range a.Findings {
		if !have[f.ID] {
			out = append(out, f)
		}
	}
	return out
}
