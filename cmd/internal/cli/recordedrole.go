package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// evidence is what a folder says of one role. Its runs are read from the newest
// backward and no further than it takes: of those before, only whether they ended.
func (f recordFolder) evidence(ctx context.Context, role string) providers.Evidence {
	from := recordsIn(f.dir)
	h := history{f: f, role: role}
	h.Executed = providers.Trace{State: providers.Known, From: from}
	h.Succeeded = h.Executed
	for _, id := range slices.Backward(h.ids()) {
		if ctx.Err() != nil {
			h.lost("the look was broken off")
			break
		}
		h.older(id)
	}
	if h.skips > 0 {
		h.hint("the last %s skipped: %s", plural(h.skips, "run")+wasWere(h.skips), h.skipped)
	}
	h.progress(from)
	h.hold()
	return h.Evidence
}

// ids are the role's runs, and what stands in the place of one, oldest first.
func (h *history) ids() []string {
	ids, strange, err := h.f.store.IDs(h.role)
	if err == nil {
		err = believe(h.dir())
	}
	if err != nil {
		h.lost(fmt.Sprintf("the runs of role %s in %s cannot be read: %v", h.role, h.f.dir, err))
		return nil
	}
	if i := slices.IndexFunc(strange, func(name string) bool { return !likeRun(name) }); i >= 0 {
		h.hint("%s in the runs of role %s is no run; look what put it there", strange[i], h.role)
	}
	if odd := slices.DeleteFunc(strange, func(name string) bool { return !likeRun(name) }); len(odd) > 0 {
		ids = append(ids, odd...)
		arrange.By(ids, func(a, b string) int {
			x, _, _ := strings.Cut(a, "-")
			y, _, _ := strings.Cut(b, "-")
			return cmp.Or(len(x)-len(y), strings.Compare(x, y))
		})
	}
	return ids
}

// likeRun says that a name is one that runs have.
func likeRun(name string) bool {
	digits, token, _ := strings.Cut(name, "-")
	return len(digits) >= 6 && strings.Trim(digits, "0123456789") == "" && token != ""
}

// dir is where the role's runs are.
func (h *history) dir() string { return path.Dir(h.f.store.RunDir(h.role, "-")) }

func wasWere(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// history is a role's evidence while its runs are read, the newest first.
type history struct {
	providers.Evidence
	f       recordFolder
	role    string
	run     *runs.Run // under consideration
	skips   int       // at the end of the history
	skipped string
	begun   bool // a run that is no skip was seen
	aims    bool // a run was to move the watermark
	looked  int
	said    runs.Sayings
}

func (h *history) hint(format string, args ...any) {
	h.Hints = append(h.Hints, fmt.Sprintf(format, args...))
}

// checkpointDepth is how many runs are searched for a checkpoint beyond those that
// have to be read.
const checkpointDepth = 50

// done says that no older run can add to what is known but by not having ended.
func (h *history) done() bool {
	found := func(t providers.Trace) bool { return t.State != providers.Known || !t.Last.IsZero() }
	return found(h.Executed) && found(h.Succeeded) && (h.said.Whole() || h.looked >= checkpointDepth)
}

func (h *history) older(id string) {
	dir := h.f.store.RunDir(h.role, id)
	if h.done() && h.there(dir, runs.KindTerminal) && (h.said.Last() != nil || !h.there(dir, runs.KindCheckpoint)) {
		return
	}
	h.looked++
	if err := believeRun(dir); err != nil {
		h.lost(fmt.Sprintf("the run %s of role %s cannot be believed: %v", id, h.role, err))
		return
	}
	h.run = h.f.store.Load(h.role, id)
	life := h.f.store.Life(h.run)
	state := h.run.State(life)
	switch {
	case len(h.run.Corrupt) > 0:
		h.lost(fmt.Sprintf("the run %s of role %s cannot be believed: %s; look at %s, and at the next run", id, h.role, h.run.Corrupt[0], h.run.Dir))
		return
	case h.run.Unread != nil:
		h.lost(fmt.Sprintf("the run %s of role %s cannot be read: %v; make %s readable", id, h.role, h.run.Unread, h.run.Dir))
		return
	case state == runs.Skipped:
		h.skip()
		return
	}
	h.begun = true
	h.started()
	h.ended(state, life)
}

// there says that a run has a record, or that it cannot be seen whether it has.
func (h *history) there(dir, kind string) bool {
	_, err := h.f.store.FS.Stat(path.Join(dir, kind+".json"))
	return !errors.Is(err, fs.ErrNotExist)
}

// believeRun refuses a run of which others can write a record.
func believeRun(dir string) error {
	names := []string{dir}
	for _, kind := range []string{runs.KindScheduled, runs.KindStarted, runs.KindCheckpoint, runs.KindGate, runs.KindTerminal} {
		names = append(names, path.Join(dir, kind+".json"))
	}
	return believeAll(names...)
}

// lost is a run of which nothing can be known: it may have been a success that
// came after all that is known, or none.
func (h *history) lost(why string) {
	for _, t := range []*providers.Trace{&h.Executed, &h.Succeeded} {
		if t.State == providers.Known && t.Last.IsZero() {
			t.State, t.Reason = providers.Unreadable, why
		}
	}
	if !slices.Contains(h.Hints, why) && len(h.Hints) < 5 {
		h.hint("%s", why)
	}
}

func (h *history) skip() {
	if h.begun {
		return
	}
	if h.skips == 0 && h.run.Terminal != nil {
		h.skipped = cmp.Or(h.run.Terminal.Body.Note, h.run.Terminal.Body.Cause)
	}
	h.skips++
}

func (h *history) started() {
	if s := h.run.Started; s != nil && h.Executed.State == providers.Known && h.Executed.Last.IsZero() {
		h.Executed.Last = s.Wall.UTC()
	}
	h.said.Older(h.run.Checkpoint)
	h.aims = h.aims || h.run.Scheduled != nil && h.run.Scheduled.Body.WatermarkTo != ""
}

func (h *history) ended(state runs.State, life runs.Life) {
	switch state {
	case runs.Completed:
		if h.Succeeded.State == providers.Known && h.Succeeded.Last.IsZero() {
			h.Succeeded.Last = h.run.Terminal.Wall.UTC()
		}
	case runs.Failed, runs.Interrupted:
		if h.Failed == nil {
			h.Failed = &providers.Failure{ID: h.run.ID, At: h.run.Terminal.Wall.UTC(), Why: whyEnded(h.run.Terminal.Body)}
		}
	case runs.NeverStarted:
		h.hint("of the run %s nothing says that it began, and its wrapper is gone; close it with: rolecall runs reap%s", h.run.ID, h.f.state())
	default:
		h.open(state, life)
	}
}

// open is a run that began and has not ended.
func (h *history) open(state runs.State, life runs.Life) {
	if h.run.Started == nil {
		return
	}
	h.Running = append(h.Running, providers.Running{ID: h.run.ID, Start: h.run.Started.Wall.UTC(), Gone: state == runs.OwnerLost})
	switch state {
	case runs.OwnerLost:
		h.hint("the wrapper of the run %s is gone, so the run was cut off; close it with: rolecall runs reap%s", h.run.ID, h.f.state())
	case runs.Orphaned:
		h.hint("the wrapper of the run %s is gone, and processes of its job go on; look with: rolecall runs show %s%s", h.run.ID, h.run.ID, h.f.state())
	case runs.Unverifiable:
		h.hint("whether the run %s goes on cannot be known from here: %s", h.run.ID, life.Why)
	}
}

func whyEnded(t runs.Terminal) string {
	out := string(t.State)
	switch {
	case t.Exit != nil && t.Exit.Signal != 0:
		out += fmt.Sprintf(", signal %d", t.Exit.Signal)
	case t.Exit != nil && t.Exit.Code != 0:
		out += fmt.Sprintf(", exit code %d", t.Exit.Code)
	}
	if t.Cause != "" && t.Cause != runs.CauseExit {
		out += " (" + t.Cause + ")"
	}
	if t.Note != "" {
		out += ": " + strings.Join(strings.Fields(t.Note), " ")
	}
	return out
}

// progress is when the watermark, or what a checkpoint says, became another,
// whichever came later. A role with neither does not track it.
func (h *history) progress(from string) {
	w, err := h.f.store.Watermark(h.role)
	if err == nil {
		err = h.believeRole("watermark.json")
	}
	switch {
	case err != nil:
		h.Progressed = providers.Trace{State: providers.Unreadable, From: from, Reason: fmt.Sprintf("the watermark of role %s cannot be read: %v", h.role, err)}
		return
	case w != nil:
		h.Progressed = providers.Trace{State: providers.Known, From: from, Last: h.f.store.ProgressAt(w).UTC()}
		if hint := w.Body.WentBack(); hint != "" {
			h.hint("%s", hint)
		}
	}
	if h.aims && w == nil { // it has not come to any value yet
		h.Progressed = providers.Trace{State: providers.Known, From: from}
	}
	if said := h.said.Last(); said != nil && said.Since.After(h.Progressed.Last) {
		h.Progressed = providers.Trace{State: providers.Known, From: from, Last: said.Since.UTC()}
	}
}

// believeRole refuses a record of the role that others can write.
func (h *history) believeRole(name string) error {
	all := h.f.inside("roles")
	dir := filepath.Join(all, path.Base(h.dir()))
	return believeAll(all, dir, filepath.Join(dir, name))
}

// state is the flag that names the folder to a command.
func (f recordFolder) state() string { return " --state " + specs.ShellWord(f.store.Root) }

func (h *history) hold() {
	hold, err := h.f.store.Hold(h.role)
	if err == nil {
		err = h.believeRole("hold.json")
	}
	switch {
	case err != nil:
		h.hint("whether the role is held cannot be read: %v", err)
	case hold != nil:
		h.hint("the role is held and does not run: %s; look, then: rolecall runs release %s%s", cmp.Or(hold.Body.Reason, hold.Body.Cause), h.role, h.f.state())
	}
}
