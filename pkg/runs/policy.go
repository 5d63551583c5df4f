package runs

import (
	"fmt"
	"slices"
	"strings"
)

// Policy says what the next run does about one that was cut off.
type Policy string

// The policies.
const (
	Retry          Policy = "retry"            // run; the job is idempotent
	CleanThenRetry Policy = "clean-then-retry" // put the staging aside and run the cleanup first
	Readback       Policy = "readback"         // ask a command whether the effect was applied
	HoldRole       Policy = "hold"             // a person releases it
)

// Policies are all of them.
func Policies() []string {
	return []string{string(Retry), string(CleanThenRetry), string(Readback), string(HoldRole)}
}

// PolicyOf is a stated policy, or the default: an effect outside is never sent
// again because of a local record alone.
func PolicyOf(stated string, externalEffects bool) (Policy, error) {
	switch {
	case stated == "" && externalEffects:
		return HoldRole, nil
	case stated == "":
		return CleanThenRetry, nil
	case !slices.Contains(Policies(), stated):
		return "", fmt.Errorf("on_interrupted %q is none of %s", stated, strings.Join(Policies(), ", "))
	}
	return Policy(stated), nil
}

// Answer is what a readback says of an effect.
type Answer string

// The answers. Unknown is never taken for not applied.
const (
	Applied    Answer = "applied"
	NotApplied Answer = "not-applied"
	NotKnown   Answer = "unknown"
)

// Step is what the next run does.
type Step string

// The steps.
const (
	Go        Step = "run"       // with its own key
	GoAgain   Step = "run-again" // a replay, with the key of the source
	CleanUp   Step = "clean"     // then as GoAgain or Go, by SameKey
	Ask       Step = "readback"  // then decide by the answer
	StepAside Step = "skip"
	HoldStep  Step = "hold"
)

// Previous is what a decision is made from: the last run of the role that was
// no skip.
type Previous struct {
	State    State
	Cause    string
	Answer   Answer // of its annotation; empty if it has none
	Released bool   // a person has released its hold
	Attempt  int    // of its key
	SameKey  bool   // the new run is for the same instant
	Effects  Effects
}

// mostAttempts is a run and its one automatic replay.
const mostAttempts = 2

// Decide is the next run's first step after a previous one, and the reason. The
// cause counts, not only the state: a run that ended by itself, or that never
// began, is no reason for a person to look.
//
//	state, cause             retry  clean-then-retry  readback  hold
//	completed, same key      skip   skip              skip      skip
//	completed                run    run               run       run
//	no effects (exec, …)     run    run               run       run
//	failed                   run    clean             ask       run
//	interrupted, owner-lost  run    clean             ask       hold
//	anything not known       hold   hold              hold      hold
//
// A person's release counts as the answer that it may run once more.
func Decide(p Policy, v Previous) (Step, string) {
	switch v.State {
	case "":
		return Go, ""
	case Completed:
		if v.SameKey {
			return StepAside, CauseDone
		}
		return Go, ""
	case Failed, Interrupted:
	default:
		if v.Released {
			return Go, ""
		}
		return HoldStep, CausePredecessor
	}
	if v.Answer == Applied {
		return applied(v)
	}
	if v.SameKey && v.Attempt >= mostAttempts && !v.Released {
		return StepAside, CauseReplays
	}
	if v.Released || harmless(v) {
		return again(v), ""
	}
	return byPolicy(p, v)
}

// harmless says that nothing of the job can have happened.
func harmless(v Previous) bool { return v.Effects == EffectsNone }

func byPolicy(p Policy, v Previous) (Step, string) {
	switch {
	case p == Retry, p == HoldRole && v.State == Failed:
		return again(v), ""
	case p == CleanThenRetry:
		return CleanUp, ""
	case p == Readback:
		return Ask, ""
	}
	return HoldStep, v.Cause
}

// again is a run that takes up the same instant, or the next one's own.
func again(v Previous) Step {
	if v.SameKey {
		return GoAgain
	}
	return Go
}

// applied settles a previous run whose effect is there.
func applied(v Previous) (Step, string) {
	if v.SameKey {
		return StepAside, CauseApplied
	}
	return Go, ""
}

// AfterReadback decides by the answer of a readback.
func AfterReadback(v Previous, a Answer) (Step, string) {
	switch {
	case a == Applied:
		return applied(v)
	case a == NotApplied && v.Attempt >= mostAttempts && !v.Released:
		return HoldStep, CauseReplays
	case a == NotApplied:
		return GoAgain, ""
	}
	return HoldStep, "readback-unknown"
}
