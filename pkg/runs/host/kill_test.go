//go:build linux

package host

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

var (
	realRaces  = flag.Int("real-races", 25, "how often a drain races a run's end with real processes")
	realStarts = flag.Int("real-starts", 25, "how often two runs start together with real processes")
	allCodes   = flag.Bool("all-codes", false, "pass all exit codes through")
	flood      = flag.Int("flood", 64, "MiB of output that a job writes")
	everyStep  = flag.Int("every-step", 3, "kill the wrapper at each n-th step of the file system")
)

const leaves = `echo new > "$ROLECALL_STAGING/dump"`

// Case 3 with real processes: SIGKILL before a step of the file system.
func TestRealKilledAtEveryStep(t *testing.T) {
	probe := newReal(t)
	count := probe.start(order{Plan: probe.full(leaves, "20"), Count: true})
	steps, err := strconv.Atoi(count.hears())
	if code := count.code(); err != nil || code != 0 || steps < 30 {
		t.Fatalf("%d steps, %v, exit code %d: %s", steps, err, code, count.errs.String())
	}
	for n := 1; n <= steps; n += *everyStep {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			r := newReal(t)
			if code, c := r.run(r.full(`echo old > "$ROLECALL_STAGING/dump"`, "10")); code != 0 {
				t.Fatal(code, c.errs.String())
			}
			if code := r.start(order{Plan: r.full(leaves, "20"), KillAt: n}).code(); code != -int(syscall.SIGKILL) && n < steps-10 { // a later run makes fewer folders
				t.Fatalf("exit code %d", code)
			}
			r.until("the job's end", func() bool {
				run, _ := r.last()
				return r.store.Life(run).Desc != runs.Alive
			})
			r.holds()
			for range 2 {
				open, err := r.store.Open(nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, run := range open {
					if _, err := r.store.Settle(run, "test", false, false); err != nil {
						t.Error(err)
					}
				}
				r.holds()
			}
			run, state := r.last()
			switch {
			case state == runs.Completed && run.Scheduled.Body.WatermarkTo == "20":
				if r.content() != "new" || r.mark() != "20" {
					t.Errorf("completed with %q and %s", r.content(), r.mark())
				}
			case state == runs.Completed || state == runs.Interrupted || state == runs.Failed:
				if r.content() != "old" || r.mark() != "10" {
					t.Errorf("%s with %q and %s", state, r.content(), r.mark())
				}
			default:
				t.Errorf("%s", state)
			}
		})
	}
}

// Case 1: SIGKILL while the job runs; its job lives on.
func TestRealOwnerKilled(t *testing.T) {
	r := newReal(t)
	tell, end := r.fifo("tell"), r.fifo("end")
	c := r.start(order{Plan: r.full(fmt.Sprintf(`echo $$ > %s; read x < %s`, tell, end), "20")})
	r.reads(tell)
	run := r.recorded()
	c.Process.Kill()
	c.Wait()
	if got := run.State(r.store.Life(run)); got != runs.Orphaned {
		t.Errorf("%s", got)
	}
	code, next := r.run(r.plan("true"))
	if code != runs.ExitSkipped {
		t.Errorf("the next run: %d %s", code, next.errs.String())
	}
	if _, err := r.store.Settle(r.store.Load("backup", run.ID), "reap", false, false); err != nil {
		t.Error(err)
	}
	run = r.store.Load("backup", run.ID)
	if run.Terminal == nil || run.Terminal.Body.Cause != runs.CauseOwnerLost {
		t.Errorf("%+v", run.Terminal)
	}
	p := r.plan("true")
	p.Overlap = runs.OverlapKill
	if code, c := r.run(p); code != 0 {
		t.Errorf("kill-orphans: %d %s", code, c.errs.String())
	}
	r.until("the orphan's end", func() bool { return gonePID(run.Started.Body.Child.PID) })
	if r.content() != "" || r.mark() != "" {
		t.Error("something was promoted")
	}
}

// Case 2: SIGKILL with the job already gone.
func TestRealOwnerKilledAfterJob(t *testing.T) {
	r := newReal(t)
	c := r.start(order{Plan: r.full(leaves, "20"), HoldAt: "syncfile /dump"})
	if c.hears() != "held" {
		t.Fatal("it was never held")
	}
	c.Process.Kill()
	c.Wait()
	run := r.want(runs.OwnerLost, "")
	if data, err := os.ReadFile(filepath.Join(run.Staging(), "dump")); err != nil || string(data) != "new\n" {
		t.Errorf("the staging: %q %v", data, err)
	}
	if code, c := r.run(r.full(leaves, "20")); code != 0 {
		t.Errorf("the next run: %d %s", code, c.errs.String())
	}
	if r.content() != "new" || r.mark() != "20" {
		t.Errorf("%s %s", r.content(), r.mark())
	}
}

// Case 4: the job's leader is killed, and its child lives and holds the pipe.
func TestRealJobKilled(t *testing.T) {
	r := newReal(t)
	tell := r.fifo("tell")
	c := r.start(order{Plan: r.plan(fmt.Sprintf(`sleep 1000 & echo $! > %s; wait`, tell))})
	grandchild, err := strconv.Atoi(r.reads(tell))
	if err != nil {
		t.Fatal(err)
	}
	run := r.recorded()
	syscall.Kill(run.Started.Body.Child.PID, syscall.SIGKILL)
	if code := c.code(); code != 137 {
		t.Errorf("exit code %d: %s", code, c.errs.String())
	}
	run = r.want(runs.Interrupted, runs.CauseKilled)
	if run.Terminal.Body.Descendants != "swept" {
		t.Errorf("%+v", run.Terminal.Body)
	}
	r.until("the grandchild's end", func() bool { return gonePID(grandchild) })
	r.holds()
}

func gonePID(pid int) bool {
	st, err := statOf(pid)
	return err != nil || st.state == 'Z'
}

// Case 5: the job leaves a child in the background that holds the pipe, and says
// 0.
func TestRealLeftBehind(t *testing.T) {
	for _, sweep := range []bool{false, true} {
		r := newReal(t)
		p := r.plan(`sleep 60 & echo $! >&2`)
		p.Sweep = sweep
		begun := time.Now()
		code, c := r.run(p)
		if code != 0 || time.Since(begun) > 30*time.Second {
			t.Errorf("sweep %v: exit code %d after %s", sweep, code, time.Since(begun))
		}
		run := r.want(runs.Completed, "")
		want := map[bool]string{false: "some", true: "swept"}[sweep]
		if run.Terminal.Body.Descendants != want || run.Terminal.Body.PipeHeld == sweep {
			t.Errorf("sweep %v: %+v", sweep, run.Terminal.Body)
		}
		if code, _ := r.run(r.plan("true")); code != 0 {
			t.Errorf("what a run left behind that ended in order stops the next: %d", code)
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(c.errs.String()))
		if pid > 1 {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// Cases 6 and 9: SIGTERM, to the wrapper or to all of its group and its job's;
// the job traps it and says 0.
func TestRealStopped(t *testing.T) {
	for _, all := range []bool{false, true} {
		for range 5 {
			r := newReal(t)
			tell, hold := r.fifo("tell"), r.fifo("hold")
			c := r.start(order{Plan: r.full(fmt.Sprintf(`trap '%s; exit 0' TERM; echo up > %s; while :; do read x < %s; done`, leaves, tell, hold), "20")})
			r.reads(tell)
			run := r.recorded()
			if all {
				syscall.Kill(-run.Started.Body.Child.PID, syscall.SIGTERM)
				syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
			} else {
				c.Process.Signal(syscall.SIGTERM)
			}
			if code := c.code(); code != 143 {
				t.Errorf("all %v: exit code %d: %s", all, code, c.errs.String())
			}
			r.want(runs.Interrupted, runs.CauseSignal)
			if r.content() != "" || r.mark() != "" {
				t.Error("something was promoted")
			}
			r.holds()
		}
	}
}

// Cases 7 and 8: the job ignores its signal; INT, then TERM.
func TestRealStubborn(t *testing.T) {
	for _, twice := range []bool{false, true} {
		r := newReal(t)
		tell, hold := r.fifo("tell"), r.fifo("hold")
		p := r.plan(fmt.Sprintf(`trap '' TERM INT; echo up > %s; while :; do read x < %s; done`, tell, hold))
		if twice {
			p.Budgets.KillAfter = time.Hour
		}
		c := r.start(order{Plan: p})
		r.reads(tell)
		r.recorded()
		c.Process.Signal(syscall.SIGINT)
		if twice {
			r.until("gate.json", func() bool { run, _ := r.last(); return run.Gate != nil })
			c.Process.Signal(syscall.SIGTERM)
		}
		if code := c.code(); code != 137 {
			t.Errorf("exit code %d: %s", code, c.errs.String())
		}
		run := r.want(runs.Interrupted, runs.CauseSignal)
		if run.Terminal.Body.Duration > 30*time.Second {
			t.Errorf("%s", run.Terminal.Body.Duration)
		}
		r.holds()
	}
}

// Cases 10 and 12: SIGTERM while the wrapper is held before the gate, or after.
func TestRealStopInCommit(t *testing.T) {
	for at, want := range map[string]runs.State{"link gate.json": runs.Completed, "rename /srv/dump": runs.Completed, "syncfile /dump": runs.Interrupted} {
		r := newReal(t)
		c := r.start(order{Plan: r.full(leaves, "20"), HoldAt: at})
		if c.hears() != "held" {
			t.Fatalf("%s: it was never held", at)
		}
		c.Process.Signal(syscall.SIGTERM)
		if c.hears() != "signal" {
			t.Fatal("the signal never came")
		}
		c.goOn.Write([]byte("x"))
		code := c.code()
		run := r.want(want, "")
		if want == runs.Completed && (code != 0 || r.content() != "new" || !run.Terminal.Body.StopRequested) || want == runs.Interrupted && (code != 143 || r.content() != "") {
			t.Errorf("%s: exit code %d, content %q, %+v", at, code, r.content(), run.Terminal.Body)
		}
		r.holds()
	}
}

// Case 13 and 45: a wrapper is frozen past the grace, its job ends well, and a
// drain forces the end. It wakes up and does not promote.
func TestRealFrozen(t *testing.T) {
	r := newReal(t)
	tell, end := r.fifo("tell"), r.fifo("end")
	c := r.start(order{Plan: r.full(fmt.Sprintf(`echo up > %s; read x < %s; %s`, tell, end, leaves), "20")})
	r.reads(tell)
	run := r.recorded()
	c.Process.Signal(syscall.SIGSTOP)
	if won, err := r.store.Claim(run, runs.Gate{Verdict: runs.Stopped, Cause: runs.CauseDrain, By: "drain x"}); !won || err != nil {
		t.Fatal(won, err)
	}
	if err := os.WriteFile(end, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	r.until("the job's end", func() bool { return gonePID(run.Started.Body.Child.PID) })
	c.Process.Signal(syscall.SIGCONT)
	if code := c.code(); code == 0 {
		t.Error("exit code 0")
	}
	run = r.want(runs.Interrupted, runs.CauseDrain)
	if len(run.Lates) != 1 || run.Lates[0].Body.Wanted != runs.Commit || r.content() != "" || r.mark() != "" {
		t.Errorf("%+v %q %q", run.Lates, r.content(), r.mark())
	}
	r.holds()
}

// Case 45 whole: the drain kills what does not stir.
func TestRealFrozenDrained(t *testing.T) {
	r := newReal(t)
	tell, hold := r.fifo("tell"), r.fifo("hold")
	p := r.full(fmt.Sprintf(`echo up > %s; read x < %s`, tell, hold), "20")
	p.Budgets.KillAfter = 100 * time.Millisecond
	c := r.start(order{Plan: p})
	r.reads(tell)
	run := r.recorded()
	c.Process.Signal(syscall.SIGSTOP)
	code, d := r.drain(100 * time.Millisecond)
	if code != 1 || len(d.Runs) != 1 || d.Runs[0].Result != runs.ResultInterrupted {
		t.Errorf("exit code %d: %+v", code, d)
	}
	c.Process.Signal(syscall.SIGCONT)
	if code := c.code(); code != -int(syscall.SIGKILL) {
		t.Errorf("exit code %d", code)
	}
	r.want(runs.Interrupted, runs.CauseDrain)
	r.until("the job's end", func() bool { return gonePID(run.Started.Body.Child.PID) })
	r.holds()
}

// Case 14 with real processes.
func TestRealDrainAgainstFinish(t *testing.T) {
	seen := map[runs.State]int{}
	for i := range *realRaces {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			r := newReal(t)
			tell, end := r.fifo("tell"), r.fifo("end")
			c := r.start(order{Plan: r.full(fmt.Sprintf(`echo up > %s; read x < %s; %s`, tell, end, leaves), "20")})
			r.reads(tell)
			r.recorded()
			go os.WriteFile(end, []byte("go\n"), 0)
			code, d := r.drain(time.Duration(i%5) * 5 * time.Millisecond)
			own := c.code()
			run, state := r.last()
			seen[state]++
			if state == runs.Completed && (own != 0 || code != 0 || r.content() != "new") || state == runs.Interrupted && (own == 0 || r.content() != "") || state != runs.Completed && state != runs.Interrupted {
				t.Errorf("%s: the run ended with %d, the drain with %d: %+v %+v", state, own, code, d, run.Terminal)
			}
			r.holds()
			// A job that was cut off before it read from the pipe leaves it unread.
			if f, err := os.OpenFile(end, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
				f.Close()
			}
		})
	}
	t.Log(seen)
}

// Case 15 with real processes.
func TestRealDoubleStart(t *testing.T) {
	for i := range *realStarts {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			r := newReal(t)
			end := r.fifo("end")
			p := r.full(fmt.Sprintf(`read x < %s; %s`, end, leaves), "20")
			one, two := r.start(order{Plan: p}), r.start(order{Plan: p})
			codes := make(chan int, 2)
			for _, c := range []*child{one, two} {
				go func() { c.Wait(); codes <- c.ProcessState.ExitCode() }()
			}
			if first := <-codes; first != runs.ExitSkipped {
				t.Errorf("the first to end: %d %s %s", first, one.errs.String(), two.errs.String())
			}
			os.WriteFile(end, []byte("go\n"), 0)
			if second := <-codes; second != 0 {
				t.Errorf("the second to end: %d %s %s", second, one.errs.String(), two.errs.String())
			}
			if sum := r.store.Summarize("backup"); sum.Counts[runs.Completed] != 1 || sum.Counts[runs.Skipped] != 1 {
				t.Errorf("%v", sum.Counts)
			}
			r.holds()
		})
	}
}

// Case 19: a drain is killed while it waits; a second one finishes the job.
func TestRealDrainKilled(t *testing.T) {
	r := newReal(t)
	tell, hold := r.fifo("tell"), r.fifo("hold")
	c := r.start(order{Plan: r.plan(fmt.Sprintf(`echo up > %s; read x < %s`, tell, hold))})
	r.reads(tell)
	run := r.recorded()
	first := r.start(order{Drain: true, Grace: time.Hour})
	r.until("the mark with its list", func() bool {
		m, err := r.store.DrainMark()
		return err == nil && m != nil && len(m.Body.Counted) == 1
	})
	first.Process.Kill()
	first.Wait()
	if got := run.State(r.store.Life(run)); got != runs.InFlight {
		t.Errorf("%s", got)
	}
	m, err := r.store.DrainMark()
	if err != nil {
		t.Fatal(err)
	}
	m.Body.Counted[0].Deadline = r.store.Mono() // so that the test need not wait an hour
	data, err := runs.Encode(*m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.store.Root, "drain.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	code, d := r.drain(time.Hour)
	if code != 1 || !d.Joined || len(d.Runs) != 1 {
		t.Errorf("%d %+v", code, d)
	}
	if code := c.code(); code != 143 {
		t.Errorf("%d", code)
	}
	r.want(runs.Interrupted, runs.CauseDrain)
}

// Case 17 with real processes: the wrapper is held just before it appears.
func TestRealDrainDuringStart(t *testing.T) {
	r := newReal(t)
	c := r.start(order{Plan: r.plan("true"), HoldAt: "mkdir /staging"})
	if c.hears() != "held" {
		t.Fatal("it was never held")
	}
	d := r.start(order{Drain: true, Grace: time.Hour})
	r.until("the mark", func() bool { m, err := r.store.DrainMark(); return err == nil && m != nil })
	c.goOn.Write([]byte("x"))
	if code := c.code(); code != 0 && code != runs.ExitSkipped {
		t.Errorf("%d %s", code, c.errs.String())
	}
	if code := d.code(); code != 0 {
		t.Errorf("the drain: %d %s", code, d.out.String())
	}
	_, state := r.last()
	if counted := strings.Contains(d.out.String(), `"run_id"`); counted != (state == runs.Completed) && state != runs.Skipped {
		t.Errorf("%s, the drain says %s", state, d.out.String())
	}
	r.holds()
}
