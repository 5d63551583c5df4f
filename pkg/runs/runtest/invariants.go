package runtest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// Invariants hold whatever happens to a state folder. They keep what they saw, so
// that one check after another finds what changed and must not have.
//
//	I1 completed ⇒ its own gate says commit, every final is what the gate
//	   intended (or a later run's), the watermark has come at least so far
//	I2 the watermark moved ⇒ the promotion that it stands for happened
//	I3 one gate and one closure a run, whose bytes never change
//	I4 interrupted or failed ⇒ no watermark of its own, and nothing of its
//	   outputs under a final name, but where its closure says so
//	I5 no run without a closure counts as success
//	I6 what cannot be read stays as it is
type Invariants struct{ seen map[string]string }

// Check says what does not hold in a store.
func (v *Invariants) Check(s *runs.Store) []string {
	if v.seen == nil {
		v.seen = map[string]string{}
	}
	c := &checking{Store: s, v: v}
	roles, err := s.Roles()
	if err != nil {
		return []string{err.Error()}
	}
	for _, role := range roles {
		c.role(role)
	}
	return c.wrong
}

type checking struct {
	*runs.Store
	v     *Invariants
	wrong []string
}

func (c *checking) bad(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (c *checking) role(role string) {
	ids, _, err := c.IDs(role)
	if err != nil {
		c.bad("%v", err)
	}
	var list []*runs.Run
	for _, id := range ids {
		r := c.Load(role, id)
		c.frozen(r)
		list = append(list, r)
	}
	for i, r := range list {
		c.closure(r)
		c.finals(r, list[i+1:])
	}
	c.watermark(role, list)
}

// frozen holds the write-once records, and those that cannot be read, to what
// they were.
func (c *checking) frozen(r *runs.Run) {
	entries, err := c.FS.ReadDir(r.Dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name, ".json") || strings.HasPrefix(e.Name, ".") {
			continue
		}
		name := path.Join(r.Dir, e.Name)
		data, err := c.FS.ReadFile(name)
		if err != nil {
			continue
		}
		once := e.Name != "checkpoint.json" && e.Name != "readback.json"
		if old, known := c.v.seen[name]; known && once && old != string(data) {
			c.bad("I3/I6 %s changed:\n%s%s", name, old, data)
		}
		c.v.seen[name] = string(data)
	}
}

// Forget lets a test edit a record.
func (v *Invariants) Forget() { v.seen = nil }

func (c *checking) closure(r *runs.Run) {
	state := r.State(runs.Life{Owner: runs.Dead})
	if state == runs.Completed && (r.Terminal == nil || r.Gate == nil || r.Gate.Body.Verdict != runs.Commit) {
		c.bad("I5 run %s counts as success without a gate and a closure", r.ID)
	}
	if state != runs.Completed {
		return
	}
	by := r.Gate.Body
	if !by.ByJob && by.Token != r.ID {
		c.bad("I1 run %s completed by the verdict of %s", r.ID, by.By)
	}
	if by.Watermark != nil && !r.Terminal.Body.WatermarkMoved {
		c.bad("I1 run %s completed and its watermark was not moved", r.ID)
	}
	if by.Exit != nil && by.Exit.Shell() != 0 {
		c.bad("I1 run %s completed with %s", r.ID, by.Exit)
	}
}

// finals looks at what stands under the final names of one run.
func (c *checking) finals(r *runs.Run, later []*runs.Run) {
	if r.Gate == nil || len(r.Corrupt) > 0 {
		return
	}
	for _, p := range r.Gate.Body.Promotion {
		if replaced(p.Final, later) {
			continue
		}
		now := c.sum(p.Final)
		switch state := r.State(runs.Life{Owner: runs.Dead}); {
		case state == runs.Completed && now != p.SHA256:
			c.bad("I1 run %s completed, and %s is not what it intended", r.ID, p.Final)
		case (state == runs.Interrupted || state == runs.Failed) && now == p.SHA256 && now != p.Replaced && !said(r, p):
			c.bad("I4 run %s was %s, and its output stands under %s", r.ID, state, p.Final)
		}
	}
}

func said(r *runs.Run, p runs.Promotion) bool {
	for _, q := range r.Terminal.Body.Promoted {
		if q.Final == p.Final {
			return true
		}
	}
	return false
}

// replaced says that a later run may have put something of its own there; of one
// that cannot be read that is not known.
func replaced(final string, later []*runs.Run) bool {
	for _, r := range later {
		if len(r.Corrupt) > 0 {
			return true
		}
		if r.Gate == nil || r.Gate.Body.Verdict != runs.Commit {
			continue
		}
		for _, p := range r.Gate.Body.Promotion {
			if p.Final == final {
				return true
			}
		}
	}
	return false
}

func (c *checking) watermark(role string, list []*runs.Run) {
	w, err := c.Watermark(role)
	if err != nil || w == nil {
		return
	}
	for i, r := range list {
		if r.ID != w.Body.RunID || len(r.Corrupt) > 0 {
			continue
		}
		if r.Gate == nil || r.Gate.Body.Verdict != runs.Commit || r.Gate.Body.Watermark == nil || r.Gate.Body.Watermark.To != w.Body.Value {
			c.bad("I2 the watermark %q of %s stands for run %s, whose gate intended none such", w.Body.Value, role, r.ID)
			continue
		}
		if s := r.State(runs.Life{Owner: runs.Dead}); s == runs.Interrupted || s == runs.Failed {
			c.bad("I4 run %s was %s and moved the watermark", r.ID, s)
		}
		for _, p := range r.Gate.Body.Promotion {
			if !replaced(p.Final, list[i+1:]) && c.sum(p.Final) != p.SHA256 {
				c.bad("I2 the watermark moved for run %s, and %s is not what it promised", r.ID, p.Final)
			}
		}
	}
	for _, r := range list {
		if r.State(runs.Life{Owner: runs.Dead}) == runs.Completed && r.Gate.Body.Watermark != nil && r.ID > w.Body.RunID {
			c.bad("I1 run %s completed, and the watermark stands for the earlier %s", r.ID, w.Body.RunID)
		}
	}
}

func (c *checking) sum(name string) string {
	f, err := c.FS.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "unreadable"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(h.Sum(nil))
}
