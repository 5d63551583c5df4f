package runs_test

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func TestPolicyOf(t *testing.T) {
	for _, c := range []struct {
		stated   string
		external bool
		want     runs.Policy
	}{{"", false, runs.CleanThenRetry}, {"", true, runs.HoldRole}, {"retry", true, runs.Retry}, {"readback", false, runs.Readback}} {
		if got, err := runs.PolicyOf(c.stated, c.external); got != c.want || err != nil {
			t.Errorf("%q, external %v: %s, %v", c.stated, c.external, got, err)
		}
	}
	if _, err := runs.PolicyOf("resume", false); err == nil {
		t.Error("an unknown policy is taken")
	}
}

func TestDecide(t *testing.T) {
	all := []runs.Policy{runs.Retry, runs.CleanThenRetry, runs.Readback, runs.HoldRole}
	cut := runs.Previous{State: runs.Interrupted, Cause: runs.CauseDrain, Attempt: 1}
	same := runs.Previous{State: runs.Interrupted, Cause: runs.CauseDrain, Attempt: 1, SameKey: true}
	with := func(v runs.Previous, f func(*runs.Previous)) runs.Previous { f(&v); return v }
	for _, c := range []struct {
		name string
		v    runs.Previous
		want [4]runs.Step
	}{
		{"none", runs.Previous{}, [4]runs.Step{runs.Go, runs.Go, runs.Go, runs.Go}},
		{"completed", runs.Previous{State: runs.Completed}, [4]runs.Step{runs.Go, runs.Go, runs.Go, runs.Go}},
		{"completed, same", runs.Previous{State: runs.Completed, SameKey: true}, [4]runs.Step{runs.StepAside, runs.StepAside, runs.StepAside, runs.StepAside}},
		{"failed", runs.Previous{State: runs.Failed, Cause: runs.CauseExit}, [4]runs.Step{runs.Go, runs.CleanUp, runs.Ask, runs.Go}},
		{"could not start", runs.Previous{State: runs.Failed, Cause: runs.CauseExec, Effects: runs.EffectsNone}, [4]runs.Step{runs.Go, runs.Go, runs.Go, runs.Go}},
		{"cut off", cut, [4]runs.Step{runs.Go, runs.CleanUp, runs.Ask, runs.HoldStep}},
		{"cut off, same", same, [4]runs.Step{runs.GoAgain, runs.CleanUp, runs.Ask, runs.HoldStep}},
		{"cut off twice, same", with(same, func(v *runs.Previous) { v.Attempt = 2 }), [4]runs.Step{runs.StepAside, runs.StepAside, runs.StepAside, runs.StepAside}},
		{"cut off twice, same, released", with(same, func(v *runs.Previous) { v.Attempt, v.Released = 2, true }), [4]runs.Step{runs.GoAgain, runs.GoAgain, runs.GoAgain, runs.GoAgain}},
		{"cut off, released", with(cut, func(v *runs.Previous) { v.Released = true }), [4]runs.Step{runs.Go, runs.Go, runs.Go, runs.Go}},
		{"cut off, applied", with(cut, func(v *runs.Previous) { v.Answer = runs.Applied }), [4]runs.Step{runs.Go, runs.Go, runs.Go, runs.Go}},
		{"cut off, applied, same", with(same, func(v *runs.Previous) { v.Answer = runs.Applied }), [4]runs.Step{runs.StepAside, runs.StepAside, runs.StepAside, runs.StepAside}},
		{"corrupt", runs.Previous{State: runs.Corrupt}, [4]runs.Step{runs.HoldStep, runs.HoldStep, runs.HoldStep, runs.HoldStep}},
		{"unverifiable", runs.Previous{State: runs.Unverifiable}, [4]runs.Step{runs.HoldStep, runs.HoldStep, runs.HoldStep, runs.HoldStep}},
		{"left open in its commit", runs.Previous{State: runs.OwnerLost}, [4]runs.Step{runs.HoldStep, runs.HoldStep, runs.HoldStep, runs.HoldStep}},
	} {
		for i, p := range all {
			if got, _ := runs.Decide(p, c.v); got != c.want[i] {
				t.Errorf("%s, %s: %s, want %s", c.name, p, got, c.want[i])
			}
		}
	}
}

func TestAfterReadback(t *testing.T) {
	for _, c := range []struct {
		v    runs.Previous
		a    runs.Answer
		want runs.Step
	}{
		{runs.Previous{Attempt: 1}, runs.Applied, runs.Go},
		{runs.Previous{Attempt: 1, SameKey: true}, runs.Applied, runs.StepAside},
		{runs.Previous{Attempt: 1}, runs.NotApplied, runs.GoAgain},
		{runs.Previous{Attempt: 2}, runs.NotApplied, runs.HoldStep},
		{runs.Previous{Attempt: 1}, runs.NotKnown, runs.HoldStep},
		{runs.Previous{Attempt: 1, SameKey: true}, runs.NotKnown, runs.HoldStep},
	} {
		if got, _ := runs.AfterReadback(c.v, c.a); got != c.want {
			t.Errorf("%+v %s: %s, want %s", c.v, c.a, got, c.want)
		}
	}
}

func TestKey(t *testing.T) {
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.FixedZone("", 3600))
	utc := at.UTC()
	base := runs.Key("a", "h", &at, "1")
	if base != runs.Key("a", "h", &utc, "2") {
		t.Error("the same instant in another zone, or another try, has another key")
	}
	for _, other := range []string{runs.Key("b", "h", &at, "1"), runs.Key("a", "g", &at, "1"), runs.Key("a", "h", nil, "1"), runs.Key("ah", "", &at, "1")} {
		if other == base {
			t.Error("two occurrences share a key")
		}
	}
	if runs.Key("a", "h", nil, "1") == runs.Key("a", "h", nil, "2") {
		t.Error("two runs for no instant share a key")
	}
}

func TestMissed(t *testing.T) {
	at := func(h int) time.Time { return time.Date(2026, 11, 25, h, 0, 0, 0, time.UTC) }
	run := func(wall time.Time, due *time.Time) *runs.Run {
		return &runs.Run{Scheduled: &runs.Record[runs.Scheduled]{Header: runs.Header{Wall: wall}, Body: runs.Scheduled{Due: due}}}
	}
	one := at(1)
	list := []*runs.Run{run(at(5), &one), run(at(3).Add(time.Minute), nil), {}}
	got := runs.Missed([]time.Time{at(1), at(2), at(3), at(4)}, list)
	if len(got) != 2 || got[0] != at(2) || got[1] != at(4) {
		t.Errorf("%v", got)
	}
}
