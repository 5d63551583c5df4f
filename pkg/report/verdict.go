package report

import "slices"

// Verdict is an audit's outcome in one word.
type Verdict string

// The verdicts and their exit codes.
const (
	Clean      Verdict = "clean"      // 0: everything in scope was read, nothing gates
	Passed     Verdict = "passed"     // 0: what was found or not read was taken out of account
	Findings   Verdict = "findings"   // 1: some finding gates
	Incomplete Verdict = "incomplete" // 3: nothing gates, but clean cannot be claimed
)

// Gate says what may fail an audit.
type Gate struct {
	// Kinds fail it; nil means Gating(), or GatingChange(), and Unexpected for
	// objects that are marked or that the change brings.
	Kinds []Kind
	// ExitZero takes findings out of account, and nothing else.
	ExitZero bool
	// AllowPartial takes gaps out of account, and nothing else.
	AllowPartial bool
	// RequireAllSources makes a source that was not looked at a gap.
	RequireAllSources bool
	// OfChange says that a change is judged too; its kinds gate as well.
	OfChange bool
	// OnlyNew takes out of account what is just so at the base of the change.
	OnlyNew bool
}

// fails says that a finding is of a kind that gates.
func (g Gate) fails(f Finding) bool {
	if f.Waived() || f.Kind == Unknown || g.OnlyNew && f.AtBase == AtBasePresent {
		return false
	}
	if g.Kinds == nil {
		return f.Kind != Unexpected || f.Marked || f.AtBase == AtBaseAbsent
	}
	return slices.Contains(g.Kinds, f.Kind)
}

// Judge is the only place that decides an audit's verdict and exit code, for
// every format.
//
//	some finding gates, no ExitZero      findings     1
//	else a gap, no AllowPartial          incomplete   3
//	else a gap, or a finding that would
//	gate but for a flag or a waiver      passed       0
//	else                                 clean        0
func (g Gate) Judge(findings []Finding, coverage []Coverage) (Verdict, int) {
	if !g.ExitZero && slices.ContainsFunc(findings, g.fails) {
		return Findings, 1
	}
	gap := func(c Coverage) bool {
		return c.Gap() || g.RequireAllSources && c.State == string(OutOfScope)
	}
	unknown := func(f Finding) bool { return f.Kind == Unknown }
	unseen := slices.ContainsFunc(coverage, gap) || slices.ContainsFunc(findings, unknown)
	switch {
	case unseen && !g.AllowPartial:
		return Incomplete, 3
	case unseen || slices.ContainsFunc(findings, leftOut):
		return Passed, 0
	}
	return Clean, 0
}

// leftOut says that a finding would fail an audit if no flag or waiver took it
// out of account.
func leftOut(f Finding) bool {
	f.Waiver = nil
	return Gate{}.fails(f)
}

// FailOn are the kinds that fail the audit, as the report says them.
func (g Gate) FailOn() []Kind {
	switch {
	case g.Kinds != nil:
		return g.Kinds
	case g.OfChange:
		return GatingChange()
	}
	return Gating()
}

// Gates says that a finding is of the kinds that fail this audit. Whether
// --exit-zero then took it out of account, a report does not say.
func (r Report) Gates(f Finding) bool {
	g := Gate{Kinds: r.FailOn, OnlyNew: r.Gate != nil && r.Gate.OnlyNew}
	if slices.Equal(r.FailOn, Gate{OfChange: r.Gate != nil}.FailOn()) {
		g.Kinds = nil
	}
	return g.fails(f)
}
