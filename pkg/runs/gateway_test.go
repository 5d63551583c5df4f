package runs_test

import (
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// The gateway's fixture, in memory: a run is registered, a drain waits, the run
// leaves in time or is left to the deadline, and its result comes late. It proves
// counting, waiting and marking; it does not prove that an operating system
// delivers a signal. The tests with real processes do that.

func TestGatewayNothingInFlight(t *testing.T) {
	inMemory(t, func(b *bench) {
		d := b.drain(30 * time.Second)
		if d.Elapsed != 0 || len(d.Runs) != 0 || d.Code() != 0 || !d.Refusing {
			t.Errorf("%+v", d)
		}
	})
}

func TestGatewayDrainedInTime(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(fullPlan(), waits)
		j := b.job(r)
		time.AfterFunc(3*time.Second, func() { writes("new", 0)(j) })
		got := b.drain(30 * time.Second)
		<-r.done
		if results(got) != "000001 finished\n" || got.Code() != 0 || got.Elapsed < 3*time.Second || got.Elapsed > 3200*time.Millisecond {
			t.Errorf("%+v", got)
		}
		b.wantState(runs.Completed, runs.CauseExit)
		b.wantFinal("new")
		b.wantWatermark("20")
		b.holds()
	})
}

func TestGatewayLeftToTheDeadline(t *testing.T) {
	inMemory(t, func(b *bench) {
		r := b.start(fullPlan(), waits)
		b.job(r)
		got := b.drain(30 * time.Second)
		out := b.wait(r)
		if results(got) != "000001 interrupted\n" || got.Code() != 1 || got.Elapsed < 30*time.Second || got.Elapsed > 31*time.Second {
			t.Errorf("%+v", got)
		}
		b.wantCode(out, 143)
		run := b.wantState(runs.Interrupted, runs.CauseDrain)
		if run.Gate.Body.Evidence.Note == "" {
			t.Error("the verdict does not say that it is one of caution")
		}
		b.holds()
	})
}

// The end was forced before the job's own result came.
func TestGatewayLateResult(t *testing.T) {
	for _, c := range []struct {
		name string
		code int
		want runs.Verdict
	}{{"normal", 0, runs.Commit}, {"exception", 3, runs.Fail}} {
		t.Run(c.name, func(t *testing.T) {
			inMemory(t, func(b *bench) {
				r := b.start(fullPlan(), waits)
				j := b.job(r)
				run, _ := b.last()
				if won, err := b.store().Claim(run, runs.Gate{Verdict: runs.Stopped, Cause: runs.CauseDrain, By: "drain x"}); !won || err != nil {
					t.Fatal(won, err)
				}
				writes("late", c.code)(j)
				if out := b.wait(r); out.Code == 0 {
					t.Error("a late result gave exit code 0")
				}
				run = b.wantState(runs.Interrupted, runs.CauseDrain)
				if len(run.Lates) != 1 || run.Lates[0].Body.Wanted != c.want {
					t.Errorf("lates: %+v", run.Lates)
				}
				b.wantFinal("")
				b.wantWatermark("")
				b.holds()
			})
		})
	}
}
