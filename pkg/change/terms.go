package change

import (
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// term is what a role says of its runs or of its repair: one field of the ledger
// as text, empty where it is not stated.
type term struct {
	path string
	text func(*specs.Role) string
	// means says plainly what the change from one role to the other does; empty
	// where the texts say it.
	means func(before, after *specs.Role) string
}

// terms are those of evidence and repair. They are held apart from a spec: to
// change one needs no other version.
func terms() []term {
	evidence := func(of func(specs.EvidenceTerms) string) func(*specs.Role) string {
		return func(r *specs.Role) string { return of(r.Evidence) }
	}
	span := func(path string, of func(specs.EvidenceTerms) *time.Duration, means func(before, after time.Duration) string) term {
		return term{path, evidence(func(t specs.EvidenceTerms) string { return spanText(of(t)) }), func(a, b *specs.Role) string {
			return spanMeans(of(a.Evidence), of(b.Evidence), means)
		}}
	}
	witness := func(path string, of func(specs.EvidenceTerms) specs.EvidenceSource) term {
		return term{path, evidence(func(t specs.EvidenceTerms) string { return witnessText(of(t)) }), func(a, b *specs.Role) string {
			return witnessMeans(of(a.Evidence), of(b.Evidence))
		}}
	}
	return []term{
		{"evidence.since", evidence(func(t specs.EvidenceTerms) string { return instantText(t.Since) }), sinceMeans},
		span("evidence.max_runtime", func(t specs.EvidenceTerms) *time.Duration { return t.MaxRuntime }, alarmComes),
		span("evidence.succeed_within", func(t specs.EvidenceTerms) *time.Duration { return t.SucceedWithin }, alarmComes),
		span("evidence.progress_within", func(t specs.EvidenceTerms) *time.Duration { return t.ProgressWithin }, alarmComes),
		span("evidence.grace", func(t specs.EvidenceTerms) *time.Duration { return t.Grace }, alarmComes),
		witness("evidence.executed", func(t specs.EvidenceTerms) specs.EvidenceSource { return t.Executed }),
		witness("evidence.succeeded", func(t specs.EvidenceTerms) specs.EvidenceSource { return t.Succeeded }),
		witness("evidence.progressed", func(t specs.EvidenceTerms) specs.EvidenceSource { return t.Progressed }),
		{"repair.missing", repairText, repairMeans},
		{"repair.user", func(r *specs.Role) string { return r.Repair.User }, repairPlaceMeans},
		{"repair.file", func(r *specs.Role) string { return r.Repair.File }, repairPlaceMeans},
	}
}

// terms adds what a change does to evidence and repair.
func (f *fields) terms(p pair) {
	before, after := role(p.before), role(p.after)
	for _, t := range terms() {
		means := ""
		if p.before != nil && p.after != nil || t.path == "repair.missing" && p.after != nil {
			means = t.means(before, after)
		}
		f.addWords(t.path, t.text(before), t.text(after), "", means)
	}
}

// role is one that can be asked, also where there is none.
func role(r *specs.Role) *specs.Role {
	if r == nil {
		return &specs.Role{}
	}
	return r
}

func spanText(d *time.Duration) string {
	if d == nil {
		return ""
	}
	return spanOf(*d)
}

// spanOf is a span without the parts that are nothing: 26h, not 26h0m0s.
func spanOf(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// spanMeans compares two spans where both are stated: what holds without one
// depends on the schedule.
func spanMeans(before, after *time.Duration, means func(before, after time.Duration) string) string {
	switch {
	case before != nil && after != nil:
		return means(*before, *after)
	case before != nil:
		return "the default holds"
	}
	return ""
}

func alarmComes(before, after time.Duration) string {
	switch {
	case after > before:
		return "looser: an alarm comes later"
	case after < before:
		return "tighter: an alarm comes sooner"
	}
	return ""
}

func instantText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func sinceMeans(before, after *specs.Role) string {
	if after.Evidence.Since.After(before.Evidence.Since) {
		return "what was due before it counts no more"
	}
	return ""
}

// witnessText is who knows of a stage; empty for the scheduler, which it is by
// default too.
func witnessText(s specs.EvidenceSource) string {
	switch {
	case s.None:
		return "none"
	case s.Runs != "":
		return "runs " + s.Runs
	case s.Query != "":
		return "prometheus " + s.Query
	case s.File != "" && s.MaxAge != nil:
		return "file " + s.File + ", max_age " + spanOf(*s.MaxAge)
	case s.File != "":
		return "file " + s.File
	}
	return ""
}

func witnessMeans(before, after specs.EvidenceSource) string {
	switch {
	case after.None && !before.None:
		return "nobody looks at this stage any more"
	case witnessText(after) == "" && witnessText(before) != "":
		return "by the scheduler, where it knows"
	case before.File == after.File && after.File != "":
		return ageMeans(before.MaxAge, after.MaxAge)
	}
	return ""
}

func ageMeans(before, after *time.Duration) string {
	if before == nil || after == nil {
		return ""
	}
	return alarmComes(*before, *after)
}

func repairText(r *specs.Role) string {
	if r.Repair.CreateMissing {
		return "create"
	}
	return "" // none is the default
}

// repairPlaceMeans says that what is created will stand in another table. Where
// nothing may be created it means nothing.
func repairPlaceMeans(before, after *specs.Role) string {
	from, to := repairPlace(before.Repair), repairPlace(after.Repair)
	if !after.Repair.CreateMissing || !before.Repair.CreateMissing || from == to {
		return ""
	}
	return "rolecall repair creates it in " + to + " from now on"
}

func repairPlace(t specs.RepairTerms) string {
	switch {
	case t.User != "":
		return "the crontab of " + t.User
	case t.File != "":
		return t.File
	}
	return "the table that its match or the source names"
}

func repairMeans(before, after *specs.Role) string {
	switch {
	case after.Repair.CreateMissing && !before.Repair.CreateMissing:
		return "rolecall repair may create a missing object"
	case before.Repair.CreateMissing && !after.Repair.CreateMissing:
		return "rolecall repair may create nothing any more"
	}
	return ""
}
