package render

import "strings"

// grid is a table of texts that were escaped.
type grid struct {
	head []string
	rows [][]string
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
// the widest columns are cut.
func (p *page) table(indent int, g grid) {
	if len(g.rows) == 0 {
		return
	}
	widths := g.widths()
	if p.width > 0 {
		shrink(widths, p.width-indent-2*(len(widths)-1))
	}
	p.row(indent, widths, g.head, bold)
	for _, r := range g.rows {
		p.row(indent, widths, r, "")
	}
}

func (g grid) widths() []int {
	out := make([]int, len(g.head))
	for _, r := range append([][]string{g.head}, g.rows...) {
		for i, c := range r {
			out[i] = max(out[i], columns(c))
		}
	}
	return out
}

// narrowest is what a column keeps of its width, for there is no use in less.
const narrowest = 8

// shrink takes columns of the widest until the sum fits the room.
func shrink(widths []int, room int) {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for ; sum > room; sum-- {
		widest := 0
		for i, w := range widths {
			if w >= widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= narrowest {
			return
		}
		widths[widest]--
	}
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
