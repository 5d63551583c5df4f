package cli

import (
	"context"
	"errors"
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
	got := rs.read(context.Background()).all()
	if !got["a"].Executed.Last.Equal(hour(1)) || !strings.Contains(strings.Join(got["a"].Hints, ""), "newer records") {
		t.Errorf("a: %+v", got["a"])
	}
	if !got["b"].Executed.Last.Equal(hour(5)) || got[""].Executed.State != providers.Known || !got[""].Executed.Last.IsZero() {
		t.Errorf("b: %+v, none: %+v", got["b"], got[""])
	}
	rs[1].lesser = false
	if got := rs.read(context.Background()).all(); !got["a"].Executed.Last.Equal(hour(5)) {
		t.Errorf("a: %+v", got["a"])
	}
	if err := os.Chmod(user.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	got = rs.read(context.Background()).all()
	if !got["a"].Executed.Last.Equal(hour(1)) || got[""].Executed.State != providers.Unreadable || !strings.Contains(strings.Join(got["a"].Hints, ""), "could write") {
		t.Errorf("a: %+v, none: %+v", got["a"], got[""])
	}
	if got := rs[2:].read(context.Background()).all(); len(got) != 1 || got[""].Executed.State != providers.Known || !got[""].Executed.Last.IsZero() {
		t.Errorf("where no run has made the folder, none was recorded: %+v", got)
	}
	rs[2].optional = false
	if got := rs[2:].read(context.Background()).all()[""]; got.Executed.State != providers.Unreadable {
		t.Errorf("a folder that is named and not there: %+v", got)
	}
}

// What others could have written, or what a link leads to, proves nothing: neither
// that a role ran nor that it never did.
func TestRecordsThatProveNothing(t *testing.T) {
	unread := providers.Trace{State: providers.Unreadable}
	for name, c := range map[string]struct {
		spoil               func(r *recording) error
		executed, succeeded providers.Trace
		progressed          providers.TraceState
		says                string
	}{
		"as it is written":           {func(*recording) error { return nil }, known(hour(2)), known(hour(2).Add(time.Minute)), providers.Known, ""},
		"all can write the role":     {func(r *recording) error { return os.Chmod(r.dir+"/runs/a", 0o757) }, unread, unread, providers.Known, "others could write"},
		"a group can write the role": {func(r *recording) error { return os.Chmod(r.dir+"/runs/a", 0o770) }, unread, unread, providers.Known, "others could write"},
		"all can write the last run": {func(r *recording) error { return os.Chmod(r.dir+"/runs/a/"+r.id(2), 0o757) }, unread, unread, providers.Known, "others could write"},
		"all can write a record":     {func(r *recording) error { return os.Chmod(r.dir+"/runs/a/"+r.id(2)+"/terminal.json", 0o666) }, unread, unread, providers.Known, "others could write"},
		"all can write an old run":   {func(r *recording) error { return os.Chmod(r.dir+"/runs/a/"+r.id(1), 0o757) }, known(hour(2)), known(hour(2).Add(time.Minute)), providers.Known, "others could write"},
		"the role is a link": {func(r *recording) error {
			if err := os.Rename(r.dir+"/runs/a", r.dir+"/elsewhere"); err != nil {
				return err
			}
			return os.Symlink("../elsewhere", r.dir+"/runs/a")
		}, unread, unread, providers.Known, "is a link"},
		"the role is a link to nowhere": {func(r *recording) error {
			return errors.Join(os.RemoveAll(r.dir+"/runs/a"), os.Symlink("nowhere", r.dir+"/runs/a"))
		}, unread, unread, providers.Known, ""},
		"the role is a file": {func(r *recording) error {
			return errors.Join(os.RemoveAll(r.dir+"/runs/a"), os.WriteFile(r.dir+"/runs/a", nil, 0o600))
		}, unread, unread, providers.Known, "not a directory"},
		"the last run is a file": {func(r *recording) error {
			run := r.dir + "/runs/a/" + r.id(2)
			return errors.Join(os.RemoveAll(run), os.WriteFile(run, nil, 0o600))
		}, unread, unread, providers.Known, "not a directory"},
		"the last run is a link": {func(r *recording) error {
			run := r.dir + "/runs/a/" + r.id(2)
			return errors.Join(os.RemoveAll(run), os.Symlink(r.id(1), run))
		}, unread, unread, providers.Known, "is a link"},
		"all can write the watermark": {func(r *recording) error { return os.Chmod(r.dir+"/roles/a/watermark.json", 0o666) },
			known(hour(2)), known(hour(2).Add(time.Minute)), providers.Unreadable, ""},
		"all can write what is said of roles": {func(r *recording) error { return os.Chmod(r.dir+"/roles", 0o777) },
			known(hour(2)), known(hour(2).Add(time.Minute)), providers.Unreadable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRecording(t)
			for h := range 2 {
				r.run("a", hour(h+1), runs.Completed, runs.Terminal{})
			}
			data, err := runs.Encode(runs.Record[runs.Watermark]{Header: runs.Header{Schema: runs.Schema, Kind: runs.KindWatermark, Role: "a", Wall: hour(2)}, Body: runs.Watermark{Value: "7", N: 1}})
			if err != nil {
				t.Fatal(err)
			}
			r.file("roles/a/watermark.json", data)
			if err := c.spoil(r); err != nil {
				t.Fatal(err)
			}
			folders, err := recordFolders([]string{r.dir}, false)
			if err != nil {
				t.Fatal(err)
			}
			got, listed := folders.read(context.Background()).all()["a"]
			if !listed {
				t.Fatal("the role is not among those of the folder")
			}
			for stage, pair := range map[string][2]providers.Trace{"executed": {got.Executed, c.executed}, "succeeded": {got.Succeeded, c.succeeded}} {
				if pair[0].State != pair[1].State || !pair[0].Last.Equal(pair[1].Last) || (pair[0].State == providers.Unreadable) != (pair[0].Reason != "") {
					t.Errorf("%s is %+v, want %+v", stage, pair[0], pair[1])
				}
			}
			if got.Progressed.State != c.progressed {
				t.Errorf("progressed is %+v, want %s", got.Progressed, c.progressed)
			}
			if !strings.Contains(strings.Join(got.Hints, "\n"), c.says) {
				t.Errorf("hints: %q", got.Hints)
			}
		})
	}
}

// id is that of the n-th run.
func (r *recording) id(n int) string { return fmt.Sprintf("%06d-%016x", n, n) }

// The whole folder proves nothing where others can write on the way to it.
func TestFoldersThatProveNothing(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"the folder":         func(dir string) error { return os.Chmod(dir+"/up/state", 0o775) },
		"its runs":           func(dir string) error { return os.Chmod(dir+"/up/state/runs", 0o775) },
		"the folder it's in": func(dir string) error { return os.Chmod(dir+"/up", 0o777) },
	} {
		r := newRecording(t)
		top := r.dir
		r.dir = filepath.Join(top, "up", "state")
		r.run("a", hour(1), runs.Completed, runs.Terminal{})
		folders, err := recordFolders([]string{r.dir}, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := folders.read(context.Background()).all(); got["a"].Executed.State != providers.Known || got[""].Executed.State != providers.Known {
			t.Errorf("%s, before: %+v", name, got)
		}
		if err := spoil(top); err != nil {
			t.Fatal(err)
		}
		none := folders.read(context.Background()).all()[""].Executed
		if none.State != providers.Unreadable || none.From != "run records in "+r.dir || !strings.Contains(none.Reason, "chmod") {
			t.Errorf("%s: %+v", name, none)
		}
		if err := os.Chmod(top+"/up", 0o777|os.ModeSticky); name == "the folder it's in" {
			if none := folders.read(context.Background()).all()[""].Executed; err != nil || none.State != providers.Known {
				t.Errorf("%s, where each can remove only what is theirs: %v %+v", name, err, none)
			}
		}
	}
}

// A run that was cut off is told from one that goes on, and what closes it names the
// folder.
func TestRunsThatNobodyWatches(t *testing.T) {
	r := newRecording(t)
	r.run("a", hour(1), "", runs.Terminal{})
	folders, err := recordFolders([]string{r.dir}, false)
	if err != nil {
		t.Fatal(err)
	}
	h := history{f: folders[0], role: "a"}
	for state, gone := range map[runs.State]bool{runs.OwnerLost: true, runs.Orphaned: false, runs.InFlight: false, runs.Unverifiable: false} {
		h.Running, h.Hints = nil, nil
		h.run = h.f.store.Load("a", r.id(1))
		h.open(state, runs.Life{})
		if len(h.Running) != 1 || h.Running[0].Gone != gone {
			t.Errorf("%s: %+v", state, h.Running)
		}
		told := strings.Join(h.Hints, "")
		if (state == runs.OwnerLost || state == runs.Orphaned) && !strings.HasSuffix(told, " --state "+r.dir) {
			t.Errorf("%s: %q", state, told)
		}
	}
}

// A checkpoint that lies far back is still one: its role does not pass for one
// that never said any.
func TestCheckpointsFarBack(t *testing.T) {
	r := newRecording(t)
	id := r.run("a", hour(0), runs.Completed, runs.Terminal{})
	put(r, "a", id, runs.KindCheckpoint, hour(0).Add(30*time.Second), runs.Checkpoint{N: 1, Token: "half"})
	for i := range 2 * checkpointDepth {
		r.run("a", hour(2).Add(time.Duration(i)*time.Minute), runs.Completed, runs.Terminal{})
	}
	if got := r.evidence("a").Progressed; got.State != providers.Known || !got.Last.Equal(hour(0).Add(30*time.Second)) {
		t.Errorf("%+v", got)
	}
	put(r, "b", "000001-b", runs.KindScheduled, hour(1), runs.Scheduled{Number: 1, WatermarkTo: "7"})
	put(r, "b", "000001-b", runs.KindStarted, hour(1), runs.Started{})
	if got := r.evidence("b").Progressed; got.State != providers.Known || !got.Last.IsZero() {
		t.Errorf("a run that was to move the watermark: %+v", got)
	}
}

// Whose records count is known by the account; of an account that nobody knows
// nothing is.
func TestRecordsOfAccounts(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(root+"/etc", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/etc/passwd", []byte("root:x:0:0::/root:/bin/sh\ndeploy:x:1000:1000::/home/deploy:/bin/sh\nhomeless:x:1001:1001:::/bin/sh\ntoor:x:0:0::/root:/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	put := func(dir string, roles ...string) {
		r := newRecording(t)
		r.dir = root + dir
		for _, role := range roles {
			r.run(role, hour(1), runs.Completed, runs.Terminal{})
		}
	}
	put("/var/lib/rolecall", "a")
	put("/home/deploy/.local/state/rolecall", "b")
	w := &wiring{app: &app{}}
	c := CrontabSource{Root: root, Users: []string{"deploy", "nobody-here"}, System: true}
	h := w.homes("s", c)
	folders, err := w.recordsOf("s", c, true)
	if err != nil || len(folders) != 2 {
		t.Fatal(folders, err)
	}
	var objects []providers.Object
	for _, user := range []string{"root", "toor", "deploy", "homeless", "ghost", ""} {
		objects = append(objects, providers.Object{Attrs: providers.AttrsOf(map[string]string{"user": user})})
	}
	got := h.accounts(context.Background(), folders.read(context.Background()), objects)
	for user, want := range map[string]string{"root": "known, a", "toor": "known, a", "deploy": "known, b", "homeless": "unreadable", "ghost": "unreadable"} {
		said := string(got[user][""].Executed.State)
		for _, role := range []string{"a", "b"} {
			if _, ok := got[user][role]; ok {
				said += ", " + role
			}
		}
		if said != want {
			t.Errorf("%s: %s, want %s", user, said, want)
		}
	}
	if why := got["ghost"][""].Executed.Reason; !strings.Contains(why, "ghost") || !strings.Contains(why, "runs: [DIR]") {
		t.Error(why)
	}
	if len(got) != 5 {
		t.Errorf("%d accounts", len(got))
	}
	if w.homes("s", CrontabSource{Runs: []string{"x"}}) != nil {
		t.Error("named folders belong to no account")
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
