package github

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// workflow is what one file says.
type workflow struct {
	entries []entry
	marker  providers.Marker // of the whole workflow
	line    int              // of the key schedule, or of on
	// body holds jobs, env, permissions, concurrency and defaults; cosmetic
	// the names and the other triggers.
	body, cosmetic specs.Value
	// call is on.workflow_call, Absent where nobody may call the workflow.
	call specs.Value
	// refused is why GitHub does not take the file at all; empty if it does.
	refused string
	notes   []providers.Note
}

// entry is one item of on.schedule.
type entry struct {
	text, zone string
	line       int // of its cron
	top        int // its first line
	marker     providers.Marker
	schedule   specs.Schedule
	bad        string // why GitHub refuses it; empty if it does not
	commented  bool
}

func (e *entry) refuse(why string) {
	if e.bad == "" {
		e.bad = why
	}
}

// parse reads the schedule. A zone that is not stated is UTC.
func (e *entry) parse() {
	s, err := parseSchedule(e.text, e.zone)
	if err != nil {
		e.refuse(err.Error())
		return
	}
	e.schedule = s
}

// parseSchedule shields from a parser that panics over hostile text.
func parseSchedule(text, zone string) (s specs.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schedule %q: could not be read: %v; write it as five fields", text, r)
		}
	}()
	return specs.ParseSchedule(specs.GitHub, text, zone)
}

// mayHold says that a file could hold a schedule. The word is looked for as
// bytes; what can hide it from that, an escape in a quoted key or UTF-16, is
// let through to the full reading.
func mayHold(data []byte) bool {
	for _, s := range []string{"schedule", `\u`, `\U`, `\x`, "\xFE\xFF", "\xFF\xFE"} {
		if bytes.Contains(data, []byte(s)) {
			return true
		}
	}
	return false
}

// readWorkflow translates a file. The file's name stands in the places of what
// is found. The error is a *fault: the text is no YAML, or none that GitHub
// would read.
func readWorkflow(data []byte, file string) (workflow, error) {
	return new(scratch).readWorkflow(data, file)
}

func (s *scratch) readWorkflow(data []byte, file string) (w workflow, err error) {
	defer func() {
		if r := recover(); r != nil {
			w, err = workflow{}, &fault{message: fmt.Sprintf("the reader gave up: %v", r)}
		}
	}()
	text := string(toUTF8(data))
	t, err := s.parseYAML(text)
	if err != nil {
		return workflow{}, err
	}
	if t.root == nil {
		return workflow{}, nil
	}
	r := reader{tree: t, comments: newComments(file, text, t.root), file: file}
	if err := r.read(); err != nil {
		return workflow{}, err
	}
	return r.w, nil
}

type reader struct {
	*tree
	*comments
	file    string
	w       workflow
	unknown bool      // a key that is not judged was noted
	exprs   []located // of the jobs, as they are met
	steps   [][]pair  // of the job that is judged
}

func (r *reader) read() error {
	root, err := r.take(r.root, 0)
	if err != nil {
		return err
	}
	if root.Kind != yaml.MappingNode {
		return &fault{root.Line, "a workflow is a mapping with the keys on and jobs"}
	}
	top, err := r.pairs(root, 0)
	if err != nil {
		return err
	}
	if err := r.split(top); err != nil {
		return err
	}
	r.w.marker = r.head(root.Line)
	for _, name := range []string{"name", "run-name", "on", "true"} {
		if p := find(top, name); p != nil {
			r.whole(p.at)
		}
	}
	on := r.trigger(top)
	if on == nil {
		return nil
	}
	if err := r.schedules(*on); err != nil {
		return err
	}
	if len(r.w.entries) > 0 || r.w.call.Kind != specs.Absent {
		if err := r.judge(root); err != nil {
			return err
		}
	}
	r.finish()
	return nil
}

// whole takes the marker above a line as the whole workflow's.
func (r *reader) whole(line int) {
	if !r.w.marker.Present() {
		r.w.marker = r.above(line)
	}
}

// split parts the keys into what counts and what is cosmetic.
func (r *reader) split(top []pair) error {
	does, cosmetic := make([]specs.Member, 0, len(top)), make([]specs.Member, 0, 4)
	for _, p := range top {
		v, err := r.value(p.node, 1)
		if err != nil {
			return err
		}
		m := specs.Member{Key: p.name, Value: v}
		switch p.name {
		case "name", "run-name":
			cosmetic = append(cosmetic, m)
		case "on", "true":
			r.w.call = callOf(v)
			m.Key, m.Value = "on", otherTriggers(v)
			cosmetic = append(cosmetic, m)
		default:
			does = append(does, m)
		}
	}
	whole := specs.MapOf(does)
	cosmetic = append(cosmetic, specs.Member{Key: "jobs", Value: dropEmpty(titles(whole.Get("jobs")))})
	r.w.body = body(whole)
	r.w.cosmetic = specs.MapOf(cosmetic)
	return nil
}

func otherTriggers(v specs.Value) specs.Value {
	if v.Kind != specs.Map {
		return v
	}
	return mapMembers(v, func(key string, m specs.Value) specs.Value {
		if key == "schedule" {
			return specs.Value{}
		}
		return m
	})
}

// callOf is on.workflow_call, Null where the trigger is named and no more.
func callOf(on specs.Value) specs.Value {
	const name = "workflow_call"
	switch {
	case on.Kind == specs.Text && on.Text == name,
		on.Kind == specs.List && slices.ContainsFunc(on.Members, func(m specs.Member) bool { return m.Value.Kind == specs.Text && m.Value.Text == name }):
		return specs.Value{Kind: specs.Null}
	}
	return on.Get(name)
}

// trigger is the member on. Tools that read YAML 1.1 write it back as true,
// which GitHub, that reads YAML 1.2, refuses.
func (r *reader) trigger(top []pair) *pair {
	if p := find(top, "on"); p != nil {
		return p
	}
	for i := range top {
		if p := &top[i]; p.name == "true" && scalar(p.key).Kind == specs.Bool {
			r.w.refused = fmt.Sprintf("line %d: the key is true and must be on", p.at)
			return p
		}
	}
	return nil
}

func (r *reader) schedules(on pair) error {
	n, err := r.take(on.node, 1)
	if err != nil {
		return err
	}
	r.w.line = on.at
	if n.Kind != yaml.MappingNode {
		return r.scheduleWord(n)
	}
	ps, err := r.pairs(n, 1)
	if err != nil {
		return err
	}
	p := find(ps, "schedule")
	if p == nil {
		return nil
	}
	r.w.line = p.at
	r.whole(p.at)
	r.checkEvents(ps)
	items, err := r.take(p.node, 2)
	if err != nil {
		return err
	}
	if items.Kind != yaml.SequenceNode {
		return r.notAList(*p, items)
	}
	for _, item := range items.Content {
		if err := r.entry(item); err != nil {
			return err
		}
	}
	if len(items.Content) > 0 && len(r.w.entries) == 0 {
		// the workflow is meant to be scheduled, so it is an object
		r.w.entries = append(r.w.entries, entry{line: p.at, top: p.at, zone: "UTC", bad: "no item of on.schedule has a cron"})
	}
	return nil
}

// scheduleWord meets on: schedule and on: [push, schedule], which name the
// trigger without a time.
func (r *reader) scheduleWord(n *node) error {
	words := []*node{n}
	if n.Kind == yaml.SequenceNode {
		words = n.Content
	}
	for _, w := range words {
		w, err := r.take(w, 2)
		if err != nil {
			return err
		}
		if w.Kind == yaml.ScalarNode && w.Value == "schedule" {
			r.note("suspicious-schedule", w.Line, "the trigger schedule stands here without a cron, so nothing is scheduled; write on: {schedule: [{cron: …}]}")
		}
	}
	return nil
}

// notAList meets a schedule that holds no list: nothing at all, or a mapping
// in which people forgot the dash.
func (r *reader) notAList(p pair, n *node) error {
	if n.Kind == yaml.ScalarNode && scalar(n).Kind == specs.Null {
		r.note("suspicious-schedule", p.at, "on.schedule is empty, so nothing is scheduled; remove the key or write a cron below it")
		return nil
	}
	r.w.refused = fmt.Sprintf("line %d: on.schedule is not a list", p.at)
	if n.Kind == yaml.MappingNode {
		return r.entry(p.node)
	}
	r.w.entries = append(r.w.entries, entry{line: p.at, top: p.at, text: n.Value, zone: "UTC", bad: "on.schedule is not a list of cron entries"})
	return nil
}

func (r *reader) entry(item *node) error {
	e := entry{line: item.Line, top: item.Line, zone: "UTC"}
	n, err := r.take(item, 3)
	if err != nil {
		return err
	}
	if n.Kind != yaml.MappingNode {
		e.text = n.Value
		e.refuse("the item is not a mapping with the key cron")
		r.w.entries = append(r.w.entries, e)
		return nil
	}
	ps, err := r.pairs(n, 3)
	if err != nil {
		return err
	}
	if find(ps, "cron") == nil {
		r.withoutCron(item.Line, ps)
		return nil
	}
	for _, p := range ps {
		if err := r.entryKey(&e, p); err != nil {
			return err
		}
	}
	e.text, e.zone = strings.Clone(e.text), strings.Clone(e.zone) // lest they keep the file's text
	if e.bad == "" {
		e.parse()
	}
	r.w.entries = append(r.w.entries, e)
	return nil
}

func (r *reader) entryKey(e *entry, p pair) error {
	v, err := r.take(p.node, 4)
	if err != nil {
		return err
	}
	known := p.name == "cron" || p.name == "timezone"
	switch {
	case !known:
		e.refuse(fmt.Sprintf("line %d: the key %q has no place beside cron", p.at, p.name))
	case v.Kind != yaml.ScalarNode:
		e.refuse(fmt.Sprintf("line %d: %s is not a text", p.at, p.name))
	case p.name == "cron":
		e.line = p.at
		e.text = strings.TrimRight(v.Value, " \t\r\n")
	case v.Value == "" || scalar(v).Kind == specs.Null:
		r.refuse(p.at, "timezone is empty; name a zone, or remove the key for UTC")
	default:
		e.zone = strings.TrimRight(v.Value, " \t\r\n")
	}
	return nil
}

// withoutCron meets an item that has no cron, for which GitHub refuses the file
// (cron is required by both of its schemas; see forms). The usual one is a
// timezone with a dash of its own, which people mean for the entry above it.
func (r *reader) withoutCron(line int, ps []pair) {
	if find(ps, "timezone") != nil {
		r.refuse(line, "this timezone is an item of its own, without the cron that each item needs; write it without the dash, below the cron that it is meant for")
		return
	}
	r.refuse(line, "this item of on.schedule has no cron, which each item needs")
}

// finish gives the entries their markers, adds what is commented out, and says
// what is left over.
func (r *reader) finish() {
	for i := range r.w.entries {
		e := &r.w.entries[i]
		e.marker = r.above(e.top)
	}
	r.doubts()
	r.w.entries = append(r.w.entries, r.commentedOut()...)
	arrange.By(r.w.entries, func(a, b entry) int { return a.line - b.line })
	r.conditions()
	if r.merge > 0 && r.w.refused == "" {
		r.w.refused = fmt.Sprintf("line %d: GitHub resolves anchors and aliases but no merge key <<", r.merge)
	}
	for _, pos := range r.dangling() {
		r.note("dangling-marker", pos.Line, "this marker stands above no workflow name, no on and no cron, so it says nothing; move it there or remove it")
	}
	if m := r.w.marker; m.Present() && len(r.w.entries) == 0 {
		r.note("dangling-marker", m.Pos.Line, "the workflow of this marker has no schedule")
	}
}

func (r *reader) note(code string, line int, message string) {
	r.w.notes = append(r.w.notes, providers.Note{Code: code, Message: message, Pos: specs.Pos{File: r.file, Line: line}})
}

// doubts notes what is valid in a schedule and surely not meant, each thing once
// for a workflow.
func (r *reader) doubts() {
	var said names
	for _, e := range r.w.entries {
		if e.bad != "" {
			continue
		}
		for _, w := range e.schedule.Warnings() {
			if said.add(w) {
				r.note("suspicious-schedule", e.line, fmt.Sprintf("schedule %q: %s", short(e.text), w))
			}
		}
	}
}
