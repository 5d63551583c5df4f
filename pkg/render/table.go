package render

import (
	"slices"
	"strings"
)

// grid is a table of texts that were escaped.
type grid struct {
	head []string
	rows [][]string
	// whole are the columns that are never cut, since half of a time misleads.
	whole []int
}

func (g *grid) add(cells ...string) {
	for i := range cells {
		if cells[i] == "" {
			cells[i] = "-"
		}
	}
	g.rows = append(g.rows, cells)
}

// table writes a grid with its columns aligned. Where it is wider than the page,
// the last column is cut first, then the widest.
func (p *page) table(indent int, g grid) {
	if len(g.rows) == 0 {
		return
	}
	widths := g.widths()
	if p.width > 0 {
		g.shrink(widths, p.width-indent-2*(len(widths)-1))
	}
	p.row(indent, widths, g.head, bold)
	for _, r := range g.rows {
		p.row(indent, widths, r, "")
	}
}

// widest is how wide a column gets that others stand behind.
const widest = 200

func (g grid) widths() []int {
	out := make([]int, len(g.head))
	for _, r := range append([][]string{g.head}, g.rows...) {
		for i, c := range r {
			out[i] = max(out[i], columns(c))
			if i < len(r)-1 {
				out[i] = min(out[i], widest)
			}
		}
	}
	return out
}

// narrowest is what is left of a column that is cut, for there is no use in less;
// of the last one more.
const narrowest, narrowestLast = 8, 20

func (g grid) shrink(widths []int, room int) {
	over := -room
	for _, w := range widths {
		over += w
	}
	last := len(widths) - 1
	if cut := min(over, widths[last]-narrowestLast); cut > 0 {
		widths[last] -= cut
		over -= cut
	}
	for ; over > 0; over-- {
		i := g.longest(widths)
		if i < 0 {
			return
		}
		widths[i]--
	}
}

// longest is the widest column that can be cut, or -1.
func (g grid) longest(widths []int) int {
	best := -1
	for i, w := range widths {
		if w > narrowest && !slices.Contains(g.whole, i) && (best < 0 || w > widths[best]) {
			best = i
		}
	}
	return best
}

func (p *page) row(indent int, widths []int, cells []string, look string) {
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	for i, c := range cells {
		c = elide(c, widths[i])
		b.WriteString(p.paint(look, c))
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-columns(c)+2))
		}
	}
	p.line(b.String())
}
