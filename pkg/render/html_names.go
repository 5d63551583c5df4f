package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// htmlNames gives out the numbers of choices and the anchors of a page, each once.
type htmlNames struct {
	kinds, sources, owners htmlChoices
	roles                  map[specs.Ref]string // anchors
	findings               map[specs.Ref]string // of the first one of a role
	taken                  map[string]bool
	rows, cards            []string // the anchors of all roles and findings, in the order of the page
}

type htmlChoices struct {
	choices []htmlChoice
	number  map[string]int
}

func newHTMLChoices(texts []string) htmlChoices {
	slices.Sort(texts)
	c := htmlChoices{number: map[string]int{}}
	for i, s := range slices.Compact(texts) {
		c.number[s] = i
		c.choices = append(c.choices, htmlChoice{i, cmp.Or(short(s, valueRoom), "(none)")})
	}
	return c
}

func newHTMLNames(r report.Report) *htmlNames {
	n := &htmlNames{roles: map[specs.Ref]string{}, findings: map[specs.Ref]string{}, taken: map[string]bool{}}
	var kinds, sources, owners []string
	for _, f := range bySeverity(r.Findings) {
		kinds, sources, owners = append(kinds, string(f.Kind)), append(sources, f.Source), append(owners, f.Owner)
		anchor := n.anchor(f.ID)
		n.cards = append(n.cards, anchor)
		if ref := (specs.Ref{Role: f.Role, Source: f.Source}); n.findings[ref] == "" {
			n.findings[ref] = anchor
		}
	}
	for _, x := range r.Roles {
		kinds, sources, owners = append(kinds, string(x.State)), append(sources, x.Source), append(owners, x.Owner)
		ref := specs.Ref{Role: x.Role, Source: x.Source}
		anchor := n.anchor("role:" + ref.String())
		n.rows = append(n.rows, anchor)
		if n.roles[ref] == "" {
			n.roles[ref] = anchor
		}
	}
	for _, c := range r.Coverage {
		sources = append(sources, c.Source)
	}
	for _, x := range r.Notes {
		sources = append(sources, x.Source)
	}
	if r.Gate != nil {
		for _, e := range r.Gate.Changes {
			owners = append(owners, e.Owner)
		}
	}
	n.kinds, n.sources, n.owners = newHTMLChoices(kinds), newHTMLChoices(sources), newHTMLChoices(owners)
	n.kinds.inOrder()
	return n
}

// inOrder has the kinds stand in the order of the catalogue.
func (c *htmlChoices) inOrder() {
	arrange.By(c.choices, func(a, b htmlChoice) int {
		x, y := report.Kind(a.Text), report.Kind(b.Text)
		switch {
		case x.Before(y):
			return -1
		case y.Before(x):
			return 1
		}
		return 0
	})
	for i := range c.choices {
		c.choices[i].Text = htmlTitle(c.choices[i].Text)
	}
}

// anchor is a name for a place of the page that no other has: it holds a colon,
// which none of the page's own does, and no blank.
func (n *htmlNames) anchor(id string) string {
	s := strings.ReplaceAll(short(id, 100), " ", "_")
	if !strings.Contains(s, ":") {
		s = "id:" + s
	}
	name := s
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s~%d", s, i)
	}
	n.taken[name] = true
	return name
}

// htmlTag are the numbers by which an entry of the page is filtered.
type htmlTag struct{ Kind, Source, Owner int }

func (n *htmlNames) tag(kind, source, owner string) htmlTag {
	return htmlTag{n.kinds.number[kind], n.sources.number[source], n.owners.number[owner]}
}

// htmlChip is how something stands: a word, a sign that says it without colour,
// and a look.
type htmlChip struct{ Sign, Text, Look string }

func stateChip(s string) htmlChip {
	switch k := report.Kind(s); {
	case s == string(report.OK):
		return htmlChip{"✓", "ok", "good"}
	case s == string(report.OutOfScope):
		return htmlChip{"–", "not looked at", "none"}
	case k.Entry().Severity == "error":
		return htmlChip{"✕", htmlTitle(s), "bad"}
	}
	return htmlChip{"!", htmlTitle(s), "warn"}
}

// htmlTitle is what a kind or a state is called.
func htmlTitle(s string) string {
	return cmp.Or(short(report.Kind(s).Entry().Title, valueRoom), "(none)")
}

// stageNames are the steps of the ladder that a report has, as it calls them.
func stageNames() []string {
	var out []string
	for _, s := range ladder(report.Role{}) {
		out = append(out, s.name)
	}
	return out
}

// htmlStage is a step of a role's ladder, and when it was reached last.
type htmlStage struct {
	Chip     htmlChip
	Age, Day string // as of the look
}

func htmlStages(x report.Role, now time.Time) []htmlStage {
	var out []htmlStage
	for _, s := range ladder(x) {
		stage := htmlStage{Chip: stageChip(s.stage)}
		if s.at != nil {
			stage.Age, stage.Day = Age(now, *s.at), Moment(*s.at)
		}
		out = append(out, stage)
	}
	return out
}

func stageChip(s report.Stage) htmlChip {
	switch s {
	case report.Yes:
		return htmlChip{"✓", string(s), "good"}
	case report.No, report.Stale, report.Never:
		return htmlChip{"✕", string(s), "bad"}
	case "", report.NotTracked, report.NotDue:
		return htmlChip{"–", cmp.Or(strings.ReplaceAll(string(s), "-", " "), "none"), "none"}
	}
	return htmlChip{"!", short(string(s), valueRoom), "warn"}
}
