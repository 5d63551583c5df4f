package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// maxErrors is how many errors of one file are kept: more help nobody, and a
// hostile file could otherwise hold millions.
const maxErrors = 1000

// Error is one thing that is wrong with a file.
type Error struct {
	Pos  specs.Pos
	Text string // without the place
}

func (e Error) String() string { return e.Pos.String() + ": " + e.Text }

// Errors gathers what is wrong with a file.
type Errors struct {
	list []Error
	more int
}

// Add notes one error.
func (e *Errors) Add(pos specs.Pos, format string, args ...any) {
	if len(e.list) == maxErrors {
		e.more++
		return
	}
	e.list = append(e.list, Error{pos, fmt.Sprintf(format, args...)})
}

// Join appends what else is wrong with the file.
func (e *Errors) Join(other Errors) {
	kept := min(len(other.list), maxErrors-len(e.list))
	e.list = append(e.list, other.list[:kept]...)
	e.more += other.more + len(other.list) - kept
}

// Len counts the errors.
func (e *Errors) Len() int { return len(e.list) + e.more }

// Err is all errors in the order of their places, each once, or nil if there
// is none. Next is the step that helps with any of them.
func (e *Errors) Err(next string) error {
	if len(e.list) == 0 {
		return nil
	}
	arrange.By(e.list, func(a, b Error) int {
		return cmp.Or(a.Pos.Compare(b.Pos), strings.Compare(a.Text, b.Text))
	})
	return &Failure{Errors: slices.Compact(e.list), More: e.more, Next: next}
}

// Failure is why a file was refused.
type Failure struct {
	Errors []Error // at least one, sorted by place
	More   int     // how many errors were left out
	Next   string  // the next step
}

// Error prints one error a line, each with its place, and the next step last.
func (f *Failure) Error() string {
	lines := make([]string, 0, len(f.Errors)+2)
	for _, e := range f.Errors {
		lines = append(lines, e.String())
	}
	if f.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d errors more", f.More))
	}
	if f.Next != "" {
		lines = append(lines, f.Next)
	}
	return strings.Join(lines, "\n")
}

// Quote shows a text from a file in a message: in quotes, with control
// characters and terminal escapes written out, and cut if it is long.
func Quote(s string) string {
	const most = 80
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return strconv.Quote(strings.ToValidUTF8(s[:most], "")) + "…"
}
