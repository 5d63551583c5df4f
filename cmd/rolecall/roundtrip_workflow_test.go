package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// workflowText is a workflow, as lines and as a tree.
type workflowText struct {
	text  string
	lines []string
	docs  []*yaml.Node
	on    *yaml.Node
	items []*yaml.Node // of on.schedule
}

func readWorkflowText(text string) (*workflowText, bool) {
	docs, err := parseDocuments(text)
	if err != nil || len(docs) != 1 {
		return nil, false
	}
	w := &workflowText{text: text, lines: strings.SplitAfter(text, "\n"), docs: docs, on: at(docs[0], "on")}
	list := at(w.on, "schedule")
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, false
	}
	w.items = list.Content
	return w, true
}

// changedWorkflow is the text after a change of its tree.
func changedWorkflow(text string, change func(w *workflowText) bool) (string, bool) {
	w, ok := readWorkflowText(text)
	if !ok {
		return "", false
	}
	if hasAliases(w.docs[0]) {
		w = w.withoutAliases()
	}
	if !change(w) {
		return "", false
	}
	out, err := writeDocuments(w.docs)
	return out, err == nil
}

func (w *workflowText) withoutAliases() *workflowText {
	doc := copied(w.docs[0])
	on := at(doc, "on")
	return &workflowText{text: w.text, lines: w.lines, docs: []*yaml.Node{doc}, on: on, items: at(on, "schedule").Content}
}

type workflowChange struct {
	*trial
	*subject
	kind string
}

// change changes the tree. The library puts comments elsewhere when it writes one,
// so this is only for a workflow without markers.
func (m workflowChange) change(name string, change func(w *workflowText) bool, want ...string) {
	if m.Marker().Present() {
		return
	}
	text, ok := changedWorkflow(m.files[m.main], change)
	if !ok {
		m.skip(m.kind + name)
		return
	}
	m.edit(m.kind+name, text, want...)
}

// mutateWorkflow changes a workflow all of whose entries are one role.
func mutateWorkflow(r *trial, kind string) {
	text := r.files[r.main]
	for _, s := range r.subjects {
		w, ok := readWorkflowText(text)
		m := workflowChange{r, s, kind}
		switch {
		case !ok:
			r.skip(kind + "a workflow of another form")
		case len(r.subjects) > 1 || len(s.Entries()) != len(w.items):
			r.skip(kind + "a workflow of several roles")
		default:
			m.presence(w)
			m.times(w)
		}
	}
	r.edit(kind+"comments and blank lines", "# something\n\n"+text+"\n# the end\n")
	if !strings.Contains(text, "\r") {
		r.edit(kind+"line ends of Windows", strings.ReplaceAll(text, "\n", "\r\n"))
	}
	other := ".github/workflows/who-is-this.yml"
	r.change(kind+"a stranger", r.with(other, "on: {schedule: [{cron: 17 3 9 9 *}]}\njobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"), "unexpected no-role")
	r.change(kind+"a stranger with a marker", r.with(other, "# rolecall: role=who\non: {schedule: [{cron: 17 3 9 9 *}]}\njobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"), "unexpected unknown-role")
	r.change(kind+"a workflow without a schedule", r.with(other, "on: push\njobs: {a: {runs-on: x, steps: [{run: 'true'}]}}\n"))
}

func (m workflowChange) presence(w *workflowText) {
	m.among("delete the file", map[string]string{".github/workflows/other.yml": "on: push\n"}, m.missing())
	const other = ".github/workflows/copy-of-it.yml"
	if m.Marker().Present() {
		m.among("duplicate", m.with(other, w.text), m.doubled()...)
	} else {
		m.among("a copy", m.with(other, w.text), "unexpected no-role")
		m.among("duplicate by its marker", m.with(other, "# rolecall: role="+m.role+"\n"+w.text), m.doubled()...)
	}
	m.change("delete the trigger", func(w *workflowText) bool {
		dropMember(w.on, "schedule")
		putMember(w.on, "workflow_dispatch", plainNode("!!null", ""))
		return true
	}, m.missing())
	m.change("another name", func(w *workflowText) bool { putMember(w.docs[0].Content[0], "name", textNode("renamed")); return true })
	m.change("another trigger besides", func(w *workflowText) bool {
		putMember(w.on, "repository_dispatch", plainNode("!!null", ""))
		return true
	})
}

// doubled is what is found where a copy stands at another path, which an inline
// statement names.
func (m workflowChange) doubled() []string {
	want := []string{"duplicate " + m.role + " several-objects"}
	if m.workflow != "" {
		want = append(want, m.drift("workflow"))
	}
	return want
}

// among changes which files there are.
func (m workflowChange) among(name string, files map[string]string, want ...string) {
	m.trial.change(m.kind+name, files, want...)
}

// withCron is the text with another cron, as an entry has it on one line.
func (w *workflowText) withCron(i int, cron string) (string, bool) {
	_, n := memberOf(w.items[i], "cron")
	if n == nil || n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return "", false
	}
	line := w.lines[n.Line-1]
	rest := line[n.Column-1:]
	end := len(n.Value)
	if quote := rest[:1]; quote == "'" || quote == `"` {
		end = strings.Index(rest[1:], quote) + 2
	} else if !strings.HasPrefix(rest, n.Value) {
		return "", false
	}
	lines := slices.Clone(w.lines)
	lines[n.Line-1] = line[:n.Column-1] + quoteOf(rest) + cron + quoteOf(rest) + rest[end:]
	return strings.Join(lines, ""), true
}

// quoteOf is the quote to write a text with that stood so.
func quoteOf(text string) string {
	if strings.HasPrefix(text, `"`) {
		return `"`
	}
	return "'"
}

func (m workflowChange) cron(name string, w *workflowText, i int, cron string, want ...string) {
	text, ok := w.withCron(i, cron)
	if !ok {
		m.skip(m.kind + name)
		return
	}
	m.edit(m.kind+name, text, want...)
}

func (m workflowChange) times(w *workflowText) {
	drift := m.drift("schedule")
	if m.never {
		drift = m.drift("state", "schedule")
	}
	for i, e := range m.Entries() {
		m.cron("schedule by meaning", w, i, "41 7 11 3 *", drift)
		if cron, ok := nearby(e.Text); ok && !m.never && !strings.Contains(w.text, cron) {
			m.cron("schedule by one step", w, i, cron, drift)
		}
		for _, v := range sameTimes(specs.GitHub, e.Text) {
			m.cron("schedule by text: "+v.how, w, i, v.text)
		}
		if len(m.Entries()) == 1 && !m.asleep {
			m.cron("never fires", w, i, "0 0 31 2 *", "inactive "+m.role+" never-fires", m.drift("schedule"))
		}
		if !m.asleep {
			m.cron("a schedule that is refused", w, i, "0 0 * *", "inactive "+m.role+" invalid-schedule")
		}
		m.change("time zone", func(w *workflowText) bool {
			if m.never {
				return false
			}
			putMember(w.items[i], "timezone", textNode("Asia/Tokyo"))
			return e.Schedule.Zone != "Asia/Tokyo"
		}, m.drift("time_zone"))
		if len(m.Entries()) > 1 {
			m.oneLess(i, drift)
		}
	}
}

// oneLess takes one of several entries away.
func (m workflowChange) oneLess(i int, drift string) {
	for k, e := range m.Entries() {
		if k != i && e.Text == m.Entries()[i].Text {
			drift = m.drift("time_zone") // the times are there, in one zone less
		}
	}
	m.change("delete one of several entries", func(w *workflowText) bool {
		list := at(w.on, "schedule")
		list.Content = slices.Delete(slices.Clone(list.Content), i, i+1)
		for k, e := range m.Entries() {
			if k != i && e.Schedule.Canonical() == m.Entries()[i].Schedule.Canonical() {
				return false
			}
		}
		return true
	}, drift)
}

// mutateSteps compares the whole workflow, by a template.
func mutateSteps(r *trial) {
	w, ok := readWorkflowText(r.text)
	if !ok || len(r.subjects) != 1 || r.subjects[0].asleep || r.subjects[0].Marker().Present() {
		r.skip("template: a workflow of another form")
		return
	}
	s := r.subjects[0]
	r.write("ledger.yaml", fmt.Sprintf("ledger: rolecall/v1\nroles:\n  %s:\n    source: github\n    spec: {template: whole.yaml}\n    match: {workflow: %q}\n", s.role, r.main))
	r.write("whole.yaml", r.text)
	m := workflowChange{r, &subject{Object: s.Object, role: s.role}, "template: "}
	r.edit("template: nothing", r.text)
	m.change("another layout", func(w *workflowText) bool { return true })
	m.change("schedule by meaning", func(w *workflowText) bool {
		putMember(w.items[0], "cron", textNode("41 7 11 3 *"))
		return true
	}, m.drift("schedule"))
	m.change("permissions", func(w *workflowText) bool {
		putMember(w.docs[0].Content[0], "permissions", mapNode("id-token", textNode("write")))
		return true
	}, m.drift("permissions")+"*")
	m.change("another name", func(w *workflowText) bool { putMember(w.docs[0].Content[0], "name", textNode("renamed")); return true })
	jobs := at(w.docs[0], "jobs")
	if jobs == nil {
		r.skip("template: edit a step")
		return
	}
	for i := 0; i+1 < len(jobs.Content); i += 2 {
		m.job(jobs.Content[i].Value, jobs.Content[i+1])
	}
}

// job changes what one job does.
func (m workflowChange) job(name string, job *yaml.Node) {
	path := "jobs." + name
	edit := func(what string, at func(w *workflowText) *yaml.Node, key, value, path string) {
		m.change(what, func(w *workflowText) bool { putMember(at(w), key, textNode(value)); return true }, m.drift(path)+"*")
	}
	of := func(w *workflowText) *yaml.Node { return at(w.docs[0], "jobs", name) }
	if at(job, "runs-on") != nil {
		edit("edit where a job runs", of, "runs-on", "another-runner", path+".runs-on")
	}
	if at(job, "uses") != nil {
		edit("edit a called workflow", of, "uses", "acme/shared/.github/workflows/another.yml@v1", path+".uses")
	}
	steps := at(job, "steps")
	if steps == nil {
		return
	}
	for i, step := range steps.Content {
		for _, key := range []string{"run", "uses"} {
			if at(step, key) != nil {
				edit("edit a step's "+key, func(w *workflowText) *yaml.Node { return at(of(w), "steps").Content[i] }, key, "another/thing@v1", fmt.Sprintf("%s.steps[%d].%s", path, i, key))
			}
		}
	}
	m.change("delete a step", func(w *workflowText) bool {
		list := at(of(w), "steps")
		list.Content = list.Content[:max(0, len(list.Content)-1)]
		return len(list.Content) > 0
	}, m.drift(fmt.Sprintf("%s.steps[%d]", path, len(steps.Content)-1))+"*")
}

var blockItem = regexp.MustCompile(`^[ \t]*- [^{&*]`)

// span is the lines of an entry, from 1.
func (w *workflowText) span(i int) (first, last int, ok bool) {
	item := resolved(w.items[i])
	first = w.items[i].Line
	last = first
	for _, n := range item.Content {
		if n.Kind != yaml.ScalarNode || n.Anchor != "" || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			return 0, 0, false
		}
		last = max(last, n.Line)
	}
	return first, last, blockItem.MatchString(w.lines[first-1])
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// markedEntries puts a marker above each entry.
func markedEntries(r *trial) (string, bool) {
	w, ok := readWorkflowText(r.text)
	if !ok || strings.Contains(r.text, "rolecall:") {
		return "", false
	}
	lines := slices.Clone(w.lines)
	for i := range w.items {
		first, _, ok := w.span(i)
		if !ok {
			r.skip("entries: of another form")
			return "", false
		}
		lines[first-1] = fmt.Sprintf("%s# rolecall: role=entry-%d\n", indentOf(lines[first-1]), i+1) + lines[first-1]
	}
	return strings.Join(lines, ""), true
}

// mutateEntries changes entries that are a role each.
func mutateEntries(r *trial) {
	w, ok := readWorkflowText(r.files[r.main])
	if !ok || len(w.items) != len(r.subjects) {
		r.skip("entries: of another form")
		return
	}
	byRole := map[string]*subject{}
	for _, s := range r.subjects {
		byRole[s.role] = s
	}
	set := func(first, last int, text string) string {
		return strings.Join(w.lines[:first-1], "") + text + strings.Join(w.lines[last:], "")
	}
	for i := range w.items {
		s := byRole[fmt.Sprintf("entry-%d", i+1)]
		first, last, _ := w.span(i)
		whole := strings.Join(w.lines[first-2:last], "")
		if s == nil || s.asleep || !strings.HasSuffix(whole, "\n") {
			r.skip("entries: of another form")
			continue
		}
		m := workflowChange{r, s, "entries: "}
		m.edit("entries: delete", set(first-1, last, ""), m.missing())
		m.edit("entries: duplicate", set(first-1, last, whole+whole), "duplicate "+m.role+" several-objects")
		m.edit("entries: an entry without a marker", set(first-1, last, whole+indentOf(whole)+"- cron: '17 3 9 9 *'\n"), "unexpected no-role")
		off := w.lines[first-2]
		for _, l := range w.lines[first-1 : last] {
			off += indentOf(w.lines[first-1]) + "# " + strings.TrimPrefix(l, indentOf(w.lines[first-1]))
		}
		m.edit("entries: comment out", set(first-1, last, off), "inactive "+m.role+" commented-out")
		m.cron("schedule by meaning", w, i, "41 7 11 3 *", m.drift("schedule"))
		for _, v := range sameTimes(specs.GitHub, s.Entries()[0].Text) {
			m.cron("schedule by text: "+v.how, w, i, v.text)
		}
	}
}
