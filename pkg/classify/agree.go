package classify

import (
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// Agree is the last of the judgements of several looks, with the findings that
// the look before it has too. What any look found and the last two do not agree
// on becomes a note: what came or went is said, and does not gate. A gap is as
// the last look saw it.
func Agree(looks ...Judgement) Judgement {
	now := looks[len(looks)-1]
	if len(looks) == 1 {
		return now
	}
	before := looks[len(looks)-2]
	inLast, inBefore := findings(now), findings(before)
	settled := func(f report.Finding) bool { return f.Kind == report.Unknown || inBefore[f.ID] }
	noted := map[string]bool{}
	notes := slices.Clone(now.Notes)
	for _, look := range looks {
		for _, f := range look.Findings {
			if f.Kind == report.Unknown || noted[f.ID] || inLast[f.ID] && settled(f) {
				continue
			}
			noted[f.ID] = true
			notes = append(notes, report.Note{
				Code: "unsettled", Source: f.Source, Location: f.Location,
				Message: f.ID + " came or went between two looks: " + f.Message + "; run the audit again",
			})
		}
	}
	now.Notes = notes
	now.Roles = slices.Clone(now.Roles)
	now.Findings = slices.DeleteFunc(slices.Clone(now.Findings), func(f report.Finding) bool { return !settled(f) })
	now.states()
	return now
}

// findings is which ids a judgement has.
func findings(j Judgement) map[string]bool {
	out := make(map[string]bool, len(j.Findings))
	for _, f := range j.Findings {
		out[f.ID] = true
	}
	return out
}

// Only are the findings of a that b does not have, by their ids.
func Only(a, b Judgement) []report.Finding {
	have := findings(b)
	var out []report.Finding
	for _, f := range a.Findings {
		if !have[f.ID] {
			out = append(out, f)
		}
	}
	return out
}
