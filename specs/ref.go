package specs

import (
	"cmp"
	"fmt"
	"strings"
)

// Pos is a place in a file that people can open. Line and Column count from 1;
// 0 means that the place is not known that closely.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"-"`
}

// String is file:line:column as far as they are known, the form that editors
// and terminals make clickable.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Compare orders places by file, line and column.
func (p Pos) Compare(q Pos) int {
	return cmp.Or(strings.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// Ref is one expectation: a role in one source that must hold it. A role with
// several sources has a Ref in each.
type Ref struct {
	Role   string
	Source string
}

// String is role@source, the tail of a finding's id.
func (r Ref) String() string { return r.Role + "@" + r.Source }

// ValidRoleKey says whether a text can be the key of a role: 1 to 63 of
// letters, digits, dot, underscore and hyphen.
func ValidRoleKey(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return 0 < len(s) && len(s) <= 63
}
