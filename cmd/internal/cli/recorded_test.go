package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/providers"
)

// recording writes records as rolecall run does, at times of its own.
type recording struct {
	t   *testing.T
	dir string
	n   int
}

func newRecording(t *testing.T) *recording {
	if os.PathSeparator != '/' {
		t.Skip("runs are recorded on Unix")
	}
	return &recording{t: t, dir: t.TempDir()}
}

func put[T any](r *recording, role, id, kind string, at time.Time, body T) {
	r.t.Helper()
	data, err := runs.Encode(runs.Record[T]{Header: runs.Header{Schema: runs.Schema, Kind: kind, RunID: id, Role: role, Wall: at}, Body: body})
	if err != nil {
		r.t.Fatal(err)
	}
	r.file(filepath.Join("runs", role, id, kind+".json"), data)
}

func (r *recording) file(name string, data []byte) {
	r.t.Helper()
	name = filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// run records one run that began and, unless state is empty, ended a minute later.
func (r *recording) run(role string, begin time.Time, state runs.State, t runs.Terminal) string {
	r.t.Helper()
	r.n++
	id := fmt.Sprintf("%06d-%016x", r.n, r.n)
	put(r, role, id, runs.KindScheduled, begin, runs.Scheduled{Number: r.n})
	verdict := map[runs.State]runs.Verdict{runs.Completed: runs.Commit, runs.Failed: runs.Fail, runs.Interrupted: runs.Stopped, runs.Skipped: runs.Declined}[state]
	if state != runs.Skipped {
		put(r, role, id, runs.KindStarted, begin, runs.Started{})
	}
	if state != "" {
		t.State = state
		put(r, role, id, runs.KindGate, begin.Add(time.Minute), runs.Gate{Verdict: verdict})
		put(r, role, id, runs.KindTerminal, begin.Add(time.Minute), t)
	}
	return id
}

func (r *recording) watermark(role string, at time.Time, w runs.Watermark) {
	r.t.Helper()
	data, err := runs.Encode(runs.Record[runs.Watermark]{Header: runs.Header{Schema: runs.Schema, Kind: runs.KindWatermark, Role: role, Wall: at}, Body: w})
	if err != nil {
		r.t.Fatal(err)
	}
	r.file(filepath.Join("roles", role, "watermark.json"), data)
}

func (r *recording) evidence(role string) providers.Evidence {
	r.t.Helper()
	folders, err := recordFolders([]string{r.dir}, false)
	if err != nil {
		r.t.Fatal(err)
	}
	return folders[0].evidence(context.Background(), role)
}

func hour(h int) time.Time { return time.Date(2026, 11, 25, h, 0, 0, 0, time.UTC) }

func known(at time.Time) providers.Trace {
	return providers.Trace{State: providers.Known, Last: at}
}

func TestEvidenceOfRecords(t *testing.T) {
	ended := func(h int) time.Time { return hour(h).Add(time.Minute) }
	for name, c := range map[string]struct {
		write                           func(r *recording)
		executed, succeeded, progressed providers.Trace
		running                         int
		failed                          string
		hint                            string
	}{
		"never":     {func(*recording) {}, known(time.Time{}), known(time.Time{}), providers.Trace{}, 0, "", ""},
		"completed": {func(r *recording) { r.run("a", hour(1), runs.Completed, runs.Terminal{}) }, known(hour(1)), known(ended(1)), providers.Trace{}, 0, "", ""},
		"failed since": {func(r *recording) {
			r.run("a", hour(1), runs.Completed, runs.Terminal{})
			r.run("a", hour(2), runs.Failed, runs.Terminal{Cause: runs.CauseExit, Exit: &runs.Exit{Code: 3}})
			r.run("a", hour(3), runs.Failed, runs.Terminal{Cause: runs.CauseValidation, Note: "the output is empty"})
		}, known(hour(3)), known(ended(1)), providers.Trace{}, 0, "failed (validation): the output is empty", ""},
		"killed": {func(r *recording) {
			r.run("a", hour(1), runs.Interrupted, runs.Terminal{Cause: runs.CauseKilled, Exit: &runs.Exit{Code: -1, Signal: 9}})
		}, known(hour(1)), known(time.Time{}), providers.Trace{}, 0, "interrupted, signal 9 (killed)", ""},
		"skipped": {func(r *recording) {
			r.run("a", hour(1), runs.Completed, runs.Terminal{})
			r.run("a", hour(2), runs.Skipped, runs.Terminal{Cause: runs.CauseOverlap})
			r.run("a", hour(3), runs.Skipped, runs.Terminal{Cause: runs.CauseHold})
		}, known(hour(1)), known(ended(1)), providers.Trace{}, 0, "", "the last 2 runs were skipped: hold"},
		"in flight elsewhere": {func(r *recording) {
			r.run("a", hour(1), runs.Completed, runs.Terminal{})
			r.run("a", hour(2), "", runs.Terminal{})
		}, known(hour(2)), known(ended(1)), providers.Trace{}, 1, "", "cannot be known from here"},
		"open long ago": {func(r *recording) {
			r.run("a", hour(1), "", runs.Terminal{})
			for i := range 2 * checkpointDepth {
				r.run("a", hour(2).Add(time.Duration(i)*time.Minute), runs.Completed, runs.Terminal{})
			}
		}, known(hour(2).Add((2*checkpointDepth - 1) * time.Minute)), known(hour(2).Add(2 * checkpointDepth * time.Minute)), providers.Trace{}, 1, "", ""},
		"torn after a success": {func(r *recording) {
			r.run("a", hour(1), runs.Completed, runs.Terminal{})
			id := r.run("a", hour(2), runs.Completed, runs.Terminal{})
			r.file("runs/a/"+id+"/terminal.json", []byte("{"))
		}, providers.Trace{State: providers.Unreadable}, providers.Trace{State: providers.Unreadable}, providers.Trace{}, 0, "", "cannot be believed"},
		"torn before a success": {func(r *recording) {
			id := r.run("a", hour(1), runs.Completed, runs.Terminal{})
			r.file("runs/a/"+id+"/terminal.json", []byte("{"))
			r.run("a", hour(2), runs.Completed, runs.Terminal{})
		}, known(hour(2)), known(ended(2)), providers.Trace{}, 0, "", "cannot be believed"},
		"another's": {func(r *recording) {
			id := r.run("b", hour(2), runs.Completed, runs.Terminal{})
			if err := os.MkdirAll(filepath.Join(r.dir, "runs/a"), 0o700); err != nil {
				r.t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(r.dir, "runs/b", id), filepath.Join(r.dir, "runs/a", id)); err != nil {
				r.t.Fatal(err)
			}
		}, providers.Trace{State: providers.Unreadable}, providers.Trace{State: providers.Unreadable}, providers.Trace{}, 0, "", "belongs to"},
		"a checkpoint": {func(r *recording) {
			id := r.run("a", hour(1), runs.Failed, runs.Terminal{})
			put(r, "a", id, runs.KindCheckpoint, hour(1).Add(30*time.Second), runs.Checkpoint{N: 1, Token: "half"})
		}, known(hour(1)), known(time.Time{}), known(hour(1).Add(30 * time.Second)), 0, "failed", ""},
		"a checkpoint that says the same again": {func(r *recording) {
			id := r.run("a", hour(1), runs.Completed, runs.Terminal{})
			put(r, "a", id, runs.KindCheckpoint, hour(1).Add(30*time.Second), runs.Checkpoint{N: 1, Token: "half"})
			r.run("a", hour(2), runs.Completed, runs.Terminal{})
			id = r.run("a", hour(3), runs.Completed, runs.Terminal{})
			put(r, "a", id, runs.KindCheckpoint, hour(3).Add(30*time.Second), runs.Checkpoint{N: 1, Token: "half"})
		}, known(hour(3)), known(ended(3)), known(hour(1).Add(30 * time.Second)), 0, "", ""},
		"a watermark that was written again": {func(r *recording) {
			r.run("a", hour(3), runs.Completed, runs.Terminal{})
			since := hour(1)
			r.watermark("a", hour(3), runs.Watermark{Value: "7", Previous: "7", N: 3, Since: &since})
		}, known(hour(3)), known(ended(3)), known(hour(1)), 0, "", ""},
		"a watermark that went back": {func(r *recording) {
			r.run("a", hour(3), runs.Completed, runs.Terminal{})
			since := hour(2)
			r.watermark("a", hour(3), runs.Watermark{Value: "6", Previous: "7", N: 3, Since: &since, Back: "7"})
		}, known(hour(3)), known(ended(3)), known(hour(2)), 0, "", `the watermark went back from "7" to "6"`},
		"a watermark that is torn": {func(r *recording) {
			r.run("a", hour(1), runs.Completed, runs.Terminal{})
			r.file("roles/a/watermark.json", []byte("{"))
		}, known(hour(1)), known(ended(1)), providers.Trace{State: providers.Unreadable}, 0, "", ""},
		"strange": {func(r *recording) { r.file("runs/a/notes.txt", nil) }, known(time.Time{}), known(time.Time{}), providers.Trace{}, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecording(t)
			c.write(r)
			got := r.evidence("a")
			for stage, pair := range map[string][2]providers.Trace{"executed": {got.Executed, c.executed}, "succeeded": {got.Succeeded, c.succeeded}, "progressed": {got.Progressed, c.progressed}} {
				if pair[0].State != pair[1].State || !pair[0].Last.Equal(pair[1].Last) || (pair[0].State == providers.Unreadable) != (pair[0].Reason != "") {
					t.Errorf("%s is %+v, want %+v", stage, pair[0], pair[1])
				}
			}
			if len(got.Running) != c.running {
				t.Errorf("running: %v", got.Running)
			}
			if why := ""; got.Failed != nil {
				if why = got.Failed.Why; why != c.failed {
					t.Errorf("failed: %q, want %q", why, c.failed)
				}
			} else if c.failed != "" {
				t.Error("no failure")
			}
			if !strings.Contains(strings.Join(got.Hints, "\n"), c.hint) {
				t.Errorf("hints: %q", got.Hints)
			}
		})
	}
}

// What an ordinary account writes does not speak for a role that root's records
// know, and a folder that cannot be read makes no role that stands elsewhere
// unknown.
func TestRecordsOfSeveralFolders(t *testing.T) {
	root, user := newRecording(t), newRecording(t)
	root.run("a", hour(1), runs.Completed, runs.Terminal{})
	user.run("a", hour(5), runs.Completed, runs.Terminal{})
	user.run("b", hour(5), runs.Completed, runs.Terminal{})
	rs, err := recordFolders([]string{root.dir, user.dir, filepath.Join(root.dir, "nowhere")}, true)
	if err != nil {
		t.Fatal(err)
	}
	rs[1].lesser = true
	got := rs.all(context.Background())
	if !got["a"].Executed.Last.Equal(hour(1)) || !strings.Contains(strings.Join(got["a"].Hints, ""), "newer records") {
		t.Errorf("a: %+v", got["a"])
	}
	if !got["b"].Executed.Last.Equal(hour(5)) || got[""].Executed.State != providers.Known || !got[""].Executed.Last.IsZero() {
		t.Errorf("b: %+v, none: %+v", got["b"], got[""])
	}
	rs[1].lesser = false
	if got := rs.all(context.Background()); !got["a"].Executed.Last.Equal(hour(5)) {
		t.Errorf("a: %+v", got["a"])
	}
	if err := os.Chmod(user.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	got = rs.all(context.Background())
	if !got["a"].Executed.Last.Equal(hour(1)) || got[""].Executed.State != providers.Unreadable || !strings.Contains(strings.Join(got["a"].Hints, ""), "could write") {
		t.Errorf("a: %+v, none: %+v", got["a"], got[""])
	}
	if got := rs[2:].all(context.Background()); len(got) != 1 || got[""].Executed.State != providers.Known || !got[""].Executed.Last.IsZero() {
		t.Errorf("where no run has made the folder, none was recorded: %+v", got)
	}
	rs[2].optional = false
	if got := rs[2:].all(context.Background())[""]; got.Executed.State != providers.Unreadable {
		t.Errorf("a folder that is named and not there: %+v", got)
	}
}

// Reading leaves everything as it was.
func TestReadingRecordsChangesNothing(t *testing.T) {
	r := newRecording(t)
	r.run("a", hour(1), runs.Completed, runs.Terminal{})
	r.run("a", hour(2), "", runs.Terminal{})
	before := treeOf(t, r.dir)
	r.evidence("a")
	if after := treeOf(t, r.dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(&b, p, info.Mode(), info.ModTime(), info.Size())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func BenchmarkEvidenceOfRecords(b *testing.B) {
	r := &recording{t: &testing.T{}, dir: b.TempDir()}
	for i := range 2000 {
		r.run("a", hour(1).Add(time.Duration(i)*time.Minute), runs.Completed, runs.Terminal{})
	}
	for b.Loop() {
		r.evidence("a")
	}
}
