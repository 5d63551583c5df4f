package github

import (
	"fmt"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// place is where a workflow file stands.
type place struct {
	source string
	repo   string // owner/name; empty where a checkout does not say whose it is
	path   string // .github/workflows/nightly.yml
	part   string // the area in which it was read
	file   string // for people to open
}

// id is github:SOURCE/OWNER/REPO/PATH, with -/- for a repository that is not
// known.
func (p place) id() string {
	repo := p.repo
	if repo == "" {
		repo = "-/-"
	}
	return "github:" + p.source + "/" + repo + "/" + p.path
}

// objects groups the entries of a workflow: those with a marker of their own
// one by one; the others together, unless some entry has a marker and the
// workflow has none. Then each is an object of its own that plays no role.
func (w workflow) objects(p place) []providers.Object {
	var whole []entry
	var out []providers.Object
	alone := false
	for _, e := range w.entries {
		alone = alone || e.marker.Present()
	}
	alone = alone && !w.marker.Present()
	ids := map[string]int{}
	for _, e := range w.entries {
		if !e.marker.Present() && !alone {
			whole = append(whole, e)
			continue
		}
		o := w.object(p, []entry{e}, e.marker)
		o.ID = unique(ids, p.id()+"#"+short(e.text))
		o.Pos.Line = e.line
		out = append(out, o)
	}
	if len(whole) > 0 {
		out = append(out, w.object(p, whole, w.marker))
	}
	return out
}

// unique tells entries with one cron apart, in their order in the file.
func unique(seen map[string]int, id string) string {
	seen[id]++
	if n := seen[id]; n > 1 {
		return fmt.Sprintf("%s~%d", id, n)
	}
	return id
}

// short keeps an id to a length that people can paste; no schedule that GitHub
// takes is cut in practice.
func short(text string) string {
	const longest = 300
	if len(text) <= longest { // and so are its characters
		return text
	}
	if r := []rune(text); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return text
}

// spec is what the workflow does; its schedules are the caller's to add.
func (w workflow) spec() specs.Spec {
	return specs.Spec{Body: specs.Pack(w.body), Cosmetic: specs.Pack(w.cosmetic)}
}

func (w workflow) object(p place, entries []entry, marker providers.Marker) providers.Object {
	o := providers.Object{
		ID: p.id(), Origin: &providers.Origin{Source: p.source, Provider: "github", Part: p.part},
		Pos:    specs.Pos{File: p.file, Line: w.line},
		Marked: providers.Keep(marker),
		Attrs:  providers.Attrs{{Name: "repo", Text: p.repo}, {Name: "workflow", Text: p.path}},
		Spec:   w.spec(),
	}
	if len(entries) == 1 {
		o.SetAttr("cron", entries[0].text)
	}
	var more providers.More
	for _, e := range entries {
		at := specs.Pos{File: p.file, Line: e.line}
		switch {
		case e.bad != "":
			o.Opaque = true
		default:
			o.Spec.Schedules = append(o.Spec.Schedules, e.schedule)
		}
		if e.commented {
			more.Inactive = append(more.Inactive, providers.Inactive{Code: "commented-out", Detail: at.String() + ": the entry is commented out", Next: "remove the comment signs, or say state: suspended in the ledger"})
		}
		more.Entries = append(more.Entries, providers.Entry{Text: e.text, Schedule: e.schedule, Pos: at})
	}
	more.Inactive = append(more.Inactive, w.refusals(p, entries)...)
	if len(more.Inactive) > 0 || len(more.Entries) > 0 {
		o.More = &more
	}
	return o
}

// maxRefusals bounds the reasons that one object gets.
const maxRefusals = 3

// refusals are the reasons why GitHub runs nothing of a file: it takes a
// workflow whole or not at all. An object's own come before those of others.
func (w workflow) refusals(p place, own []entry) []providers.Inactive {
	var out []providers.Inactive
	if w.refused != "" {
		out = append(out, providers.Inactive{Code: "file-not-loaded", Detail: p.file + ": " + w.refused, Next: "correct the workflow; GitHub refuses the whole file"})
	}
	said := map[int]bool{}
	for _, entries := range [][]entry{own, w.entries} {
		for _, e := range entries {
			if len(said) == maxRefusals {
				return out
			}
			if e.bad == "" || e.commented || said[e.line] {
				continue
			}
			said[e.line] = true
			at := specs.Pos{File: p.file, Line: e.line}
			out = append(out, providers.Inactive{Code: "invalid-schedule", Detail: at.String() + ": " + e.bad, Next: "correct the schedule; GitHub refuses a workflow with an invalid one"})
		}
	}
	return out
}
