package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Run is what the records of one run say.
type Run struct {
	Role, ID   string
	Dir        string
	Scheduled  *Record[Scheduled]
	Started    *Record[Started]
	Checkpoint *Record[Checkpoint]
	Gate       *Record[Gate]
	Terminal   *Record[Terminal]
	Readback   *Record[Annotation]
	Lates      []Record[Late]
	Corrupt    []string // why records cannot be believed
	Unread     error    // why the folder or a record could not be read
	seq        int
}

// Load reads a run. It changes nothing, and never fails: what could not be read
// or believed is said in the run.
func (s *Store) Load(role, id string) *Run {
	r := &Run{Role: role, ID: id, Dir: s.RunDir(role, id)}
	entries, err := s.FS.ReadDir(r.Dir)
	if err != nil {
		r.Unread = err
		return r
	}
	has := map[string]bool{}
	for _, e := range entries {
		has[e.Name] = true
	}
	part(s, r, has, KindScheduled, &r.Scheduled)
	part(s, r, has, KindStarted, &r.Started)
	part(s, r, has, KindCheckpoint, &r.Checkpoint)
	part(s, r, has, KindGate, &r.Gate)
	part(s, r, has, KindTerminal, &r.Terminal)
	part(s, r, has, KindReadback, &r.Readback)
	for n := 1; has[lateName(n)]; n++ {
		var l *Record[Late]
		if partAs(s, r, KindLate, lateName(n), &l); l != nil {
			r.Lates = append(r.Lates, *l)
		}
	}
	if r.Scheduled == nil && len(r.Corrupt) == 0 && r.Unread == nil {
		r.Corrupt = append(r.Corrupt, "it has no scheduled.json")
	}
	r.agree()
	return r
}

func lateName(n int) string { return fmt.Sprintf("late-%d.json", n) }

func part[T any](s *Store, r *Run, has map[string]bool, kind string, into **Record[T]) {
	if has[kind+".json"] {
		partAs(s, r, kind, kind+".json", into)
	}
}

func partAs[T any](s *Store, r *Run, kind, name string, into **Record[T]) {
	rec, err := read[T](s, kind, path.Join(r.Dir, name))
	var h *Header
	if rec != nil {
		h = &rec.Header
	}
	if r.owns(path.Join(r.Dir, name), h, err) {
		*into = rec
	}
}

// owns says whether a record that was read, if it was, belongs to the run. If not,
// the run says so.
func (r *Run) owns(name string, h *Header, err error) bool {
	switch {
	case errors.Is(err, ErrCorrupt):
		r.Corrupt = append(r.Corrupt, err.Error())
	case err != nil:
		r.Unread = errors.Join(r.Unread, err)
	case h == nil:
		r.Unread = errors.Join(r.Unread, fmt.Errorf("%s: %w", name, fs.ErrNotExist))
	case h.RunID != r.ID || h.Role != r.Role:
		r.Corrupt = append(r.Corrupt, fmt.Sprintf("%s belongs to the run %s of role %s", name, h.RunID, h.Role))
	default:
		r.seq = max(r.seq, h.Seq)
		return true
	}
	return false
}

// pairs are the closures that a verdict can have.
var pairs = map[Verdict][]State{
	Declined: {Skipped},
	Fail:     {Failed},
	Stopped:  {Interrupted},
	Commit:   {Completed, Failed, Interrupted},
}

// agree finds a closure that its verdict cannot have.
func (r *Run) agree() {
	if r.Terminal == nil || len(r.Corrupt) > 0 || r.Unread != nil {
		return
	}
	if r.Gate == nil {
		r.Corrupt = append(r.Corrupt, "it has a terminal.json and no gate.json")
		return
	}
	if v, t := r.Gate.Body.Verdict, r.Terminal.Body.State; !slices.Contains(pairs[v], t) {
		r.Corrupt = append(r.Corrupt, fmt.Sprintf("its terminal.json says %s, which the verdict %s cannot become", t, v))
	}
}

// Staging is the folder in which the job leaves its outputs.
func (r *Run) Staging() string {
	if r.Started != nil && r.Started.Body.Staging != "" {
		return r.Started.Body.Staging
	}
	return path.Join(r.Dir, "staging")
}

// Key is the idempotency key that the run went by.
func (r *Run) Key() string {
	switch {
	case r.Started != nil && r.Started.Body.Key != "":
		return r.Started.Body.Key
	case r.Scheduled != nil:
		return r.Scheduled.Body.Key
	}
	return ""
}

// Attempt is the number of the try, from 1; 0 if it never started.
func (r *Run) Attempt() int {
	if r.Started == nil {
		return 0
	}
	return r.Started.Body.Attempt
}

// Roles are those with runs, sorted.
func (s *Store) Roles() ([]string, error) {
	entries, err := s.FS.ReadDir(s.runsDir())
	if errors.Is(err, fs.ErrNotExist) {
		if _, rerr := s.FS.ReadDir(s.Root); rerr == nil || errors.Is(rerr, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir && !strings.HasPrefix(e.Name, ".") {
			out = append(out, roleOf(e.Name))
		}
	}
	slices.Sort(out)
	return out, nil
}

// IDs are a role's runs, oldest first. Names that are no run's are in strange.
func (s *Store) IDs(role string) (ids, strange []string, err error) {
	entries, err := s.FS.ReadDir(s.roleRuns(role))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if _, ok := numberOf(e.Name); ok && e.IsDir {
			ids = append(ids, e.Name)
		} else if !strings.HasPrefix(e.Name, ".") {
			strange = append(strange, e.Name)
		}
	}
	arrange.By(ids, before)
	return ids, strange, nil
}

// Open are the runs without a closure that can be read, of the roles that are
// named or of all, oldest first.
func (s *Store) Open(roles []string) (out []*Run, err error) {
	if len(roles) == 0 {
		if roles, err = s.Roles(); err != nil {
			return nil, err
		}
	}
	for _, role := range roles {
		ids, _, ierr := s.IDs(role)
		err = errors.Join(err, ierr)
		for _, id := range ids {
			if r := s.Load(role, id); r.Terminal == nil || len(r.Corrupt) > 0 {
				out = append(out, r)
			}
		}
	}
	return out, err
}

// Records are all that could be read, by the name of the record.
func (r *Run) Records() map[string]any {
	out := map[string]any{}
	put(out, KindScheduled, r.Scheduled)
	put(out, KindStarted, r.Started)
	put(out, KindCheckpoint, r.Checkpoint)
	put(out, KindGate, r.Gate)
	put(out, KindTerminal, r.Terminal)
	put(out, KindReadback, r.Readback)
	for i, l := range r.Lates {
		out[fmt.Sprintf("%s-%d", KindLate, i+1)] = l
	}
	return out
}

func put[T any](out map[string]any, kind string, r *Record[T]) {
	if r != nil {
		out[kind] = r
	}
}
