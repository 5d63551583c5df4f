package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"time"
)

// Progress is what a role is for that has moved: a value that is written anew and
// stays the same is none.

// had is how many of a watermark's earlier values are remembered.
const had = 100

// digest stands for a value of a watermark, which may be long.
func digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// after is the watermark that a move to a value makes of this one; now is the
// instant, and since is when this one came to its value.
func (w Watermark) after(to, run string, now, since time.Time) Watermark {
	next := Watermark{Value: to, Previous: w.Value, RunID: run, N: w.N + 1, Since: &now, Had: w.Had, Back: w.Back}
	if len(next.Had) == 0 && w.N > 0 { // of a record that remembers none
		next.Had = []string{digest(w.Previous), digest(w.Value)}
	}
	furthest := w.Value
	if w.Back != "" {
		furthest = w.Back
	}
	mark := digest(to)
	known := slices.Contains(next.Had, mark)
	switch {
	case w.N == 0:
	case to == w.Value:
		next.Since = &since
	case to == furthest:
		next.Since, next.Back = &since, ""
	case known:
		next.Since, next.Back = &since, furthest
	case lower(to, furthest):
		next.Back = furthest
	default:
		next.Back = ""
	}
	if !known {
		next.Had = append(slices.Clone(next.Had), mark)
		next.Had = next.Had[max(0, len(next.Had)-had):]
	}
	return next
}

// WentBack says that a watermark stands behind where it was; empty if it does not.
func (w Watermark) WentBack() string {
	if w.Back == "" {
		return ""
	}
	return fmt.Sprintf("the watermark went back from %q to %q; look whether what lies between is to be done again", w.Back, w.Value)
}

// lower says that a comes before b, where they differ in their numbers alone, in
// the first that differs.
func lower(a, b string) bool {
	order := 0
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 && y == 0 {
			x, y = 1, 1
		}
		switch p, q := a[:x], b[:y]; {
		case x == 0 || y == 0, !isDigit(a[0]) && p != q:
			return false
		case order == 0 && isDigit(a[0]):
			order = compareNumbers(p, q)
		}
		a, b = a[x:], b[y:]
	}
	return a == b && order < 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digits counts those at the beginning.
func digits(s string) (n int) {
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func compareNumbers(a, b string) int {
	for len(a) > len(b) && a[0] == '0' {
		a = a[1:]
	}
	for len(b) > len(a) && b[0] == '0' {
		b = b[1:]
	}
	switch {
	case len(a) != len(b):
		return len(a) - len(b)
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// ProgressAt is when a watermark came to a value that it had not had before, by
// the wall clock. A record that does not say so is read as well as it can be: by
// the moves that the runs intended, no later than it was written.
func (s *Store) ProgressAt(w *Record[Watermark]) time.Time {
	switch {
	case w.Body.Since != nil:
		return *w.Body.Since
	case w.Body.Previous != w.Body.Value:
		return w.Wall
	}
	at := w.Wall
	ids, _, _ := s.IDs(w.Role)
	for _, id := range slices.Backward(ids) {
		r := s.Load(w.Role, id)
		if r.unbelievable() != nil || r.Terminal == nil || !r.Terminal.Body.WatermarkMoved || r.Gate == nil || r.Gate.Body.Watermark == nil {
			continue
		}
		move := *r.Gate.Body.Watermark
		if move.To != w.Body.Value {
			break
		}
		at = r.Terminal.Wall
		if move.From != move.To {
			break
		}
	}
	return at
}

// Said is what a role's jobs said last of their progress, and since when.
type Said struct {
	Token string    `json:"token"`
	Since time.Time `json:"since"`
}

// said is what a checkpoint says, if it is a word of progress; of one without a
// token, what was said before it. whole is that its since is exact.
func said(c *Record[Checkpoint]) (out Said, whole, ok bool) {
	switch body := c.Body; {
	case body.Token != "" && body.Since != nil:
		return Said{body.Token, *body.Since}, true, true
	case body.Token != "":
		return Said{body.Token, c.Wall}, false, true
	case body.Before != nil:
		return *body.Before, true, true
	}
	return Said{}, false, false
}

// Sayings finds what a role's jobs said last, of runs that are handed in from the
// newest backward. A token that is that of the runs before is no progress.
type Sayings struct {
	last  *Said
	whole bool
}

// Older takes the checkpoint of a run that is older than those before; nil is none.
func (x *Sayings) Older(c *Record[Checkpoint]) {
	if x.whole || c == nil {
		return
	}
	now, whole, ok := said(c)
	switch {
	case !ok:
	case x.last == nil:
		x.last, x.whole = &now, whole
	case now.Token == x.last.Token:
		x.last.Since, x.whole = now.Since, whole
	default:
		x.whole = true
	}
}

// Last is what was said; nil is nothing.
func (x *Sayings) Last() *Said { return x.last }

// Whole says that no older run can change it.
func (x *Sayings) Whole() bool { return x.whole }

// saidBefore is what the runs before one said.
func (s *Store) saidBefore(r *Run) *Said {
	var out Sayings
	ids, _, _ := s.IDs(r.Role) // what cannot be read said nothing
	for _, id := range slices.Backward(ids) {
		if before(id, r.ID) >= 0 {
			continue
		}
		old, err := read[Checkpoint](s, KindCheckpoint, path.Join(s.RunDir(r.Role, id), KindCheckpoint+".json"))
		if err == nil && old != nil && old.RunID == id && old.Role == r.Role {
			out.Older(old)
		}
		if out.whole {
			break
		}
	}
	return out.last
}
