package github

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// refuse keeps the first reason why GitHub does not take the file.
func (r *reader) refuse(line int, format string, args ...any) {
	if r.w.refused == "" {
		r.w.refused = fmt.Sprintf("line %d: ", line) + fmt.Sprintf(format, args...)
	}
}

// plain is a text for a reason, in quotes only where it is not as it looks.
func plain(s string) string {
	s = short(s)
	if q := strconv.Quote(s); q != `"`+s+`"` {
		return q
	}
	return s
}

// judge looks for what GitHub's parser surely refuses. A file that it refuses
// is registered all the same, and nothing of it ever runs.
func (r *reader) judge(root *node) error {
	if r.w.refused != "" {
		return nil
	}
	r.left = maxNodes
	keys, err := r.members(root, 0)
	if err != nil {
		return err
	}
	p := find(keys, "jobs")
	if p == nil {
		r.w.refused = "it has no jobs"
		return nil
	}
	jobs, err := r.members(p.node, 1)
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		r.refuse(p.at, "jobs holds no job")
		return nil
	}
	if err := r.check(root, root.Line, "workflow", 0); err != nil {
		return err
	}
	return r.needs(jobs)
}

// check holds a node, which a key on some line leads to, against a form.
func (r *reader) check(n *node, at int, name string, depth int) error {
	n, err := r.take(n, depth)
	if err != nil || r.w.refused != "" {
		return err
	}
	s := forms[name]
	switch n.Kind {
	case yaml.ScalarNode:
		r.checkScalar(n, at, name, s)
		return nil
	case yaml.SequenceNode:
		if s.items == "" {
			r.refuse(at, "a list has no place here")
			return nil
		}
		for _, item := range n.Content {
			if err := r.checkItem(item, s.items, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if !s.mapping() {
		r.refuse(at, "a mapping has no place here")
		return nil
	}
	ps, err := r.pairs(n, depth)
	if err != nil {
		return err
	}
	return r.checkPairs(ps, at, name, depth)
}

func (r *reader) checkItem(n *node, name string, depth int) error {
	if name != "step" {
		return r.check(n, n.Line, name, depth)
	}
	ps, err := r.members(n, depth)
	if err != nil {
		return err
	}
	r.steps = append(r.steps, ps)
	kind := r.stepKind(n, ps)
	if kind == "" {
		return nil
	}
	return r.checkPairs(ps, n.Line, kind, depth)
}

// stepKind is the form of a step, empty where it is refused or not judged.
func (r *reader) stepKind(n *node, ps []pair) string {
	has := func(name string) bool { return find(ps, name) != nil }
	switch {
	case slices.ContainsFunc(newSteps, has):
		return ""
	case has("run") && has("uses"):
		r.refuse(find(ps, "uses").at, "the step has both run and uses; a step does the one or the other")
		return ""
	case has("run"):
		return "run"
	case has("uses"):
		return "action"
	}
	for _, p := range ps {
		if why := strangeKey(p.name, "run", "action"); why == "" && forms["run"].keys[p.name] == "" && forms["action"].keys[p.name] == "" {
			r.unknownKey(p.at, p.name)
			return ""
		}
	}
	r.refuse(n.Line, "the step has neither run nor uses")
	return ""
}

// checkPairs holds the members of a mapping against a form.
func (r *reader) checkPairs(ps []pair, at int, name string, depth int) error {
	if r.w.refused != "" {
		return nil
	}
	s := forms[name]
	if name == "matrix" && len(ps) == 0 {
		r.refuse(at, "the matrix is empty")
	}
	var seen names
	for _, p := range ps {
		if !seen.add(strings.ToLower(p.name)) {
			r.refuse(p.at, "the key %q stands here a second time, since GitHub does not tell large letters from small ones", short(p.name))
		}
		if err := r.checkMember(p, name, s, depth); err != nil || r.w.refused != "" {
			return err
		}
	}
	for _, key := range s.need {
		if find(ps, key) == nil && !templated(ps) {
			r.refuse(at, "%s is missing", key)
		}
	}
	return nil
}

// templated says that a key of a mapping is an expression.
func templated(ps []pair) bool {
	return slices.ContainsFunc(ps, func(p pair) bool { return strings.Contains(p.name, "${{") })
}

func (r *reader) checkMember(p pair, of string, s form, depth int) error {
	switch below, known := s.keys[p.name]; {
	case strings.Contains(p.name, "${{"), of == "workflow" && (p.name == "on" || p.name == "true"):
		return nil
	case of == "jobs":
		return r.checkJob(p, depth)
	case known:
		return r.check(p.node, p.at, below, depth+1)
	case s.others != "":
		if of == "matrix" && r.emptyAxis(p) {
			r.refuse(p.at, "%s of the matrix holds no value", plain(p.name))
		}
		return r.check(p.node, p.at, s.others, depth+1)
	case s.open:
		return nil
	}
	if why := strangeKey(p.name, of); why != "" {
		r.refuse(p.at, "the key %q has no place here%s", short(p.name), why)
		return nil
	}
	r.unknownKey(p.at, p.name)
	return nil
}

func (r *reader) emptyAxis(p pair) bool {
	n, err := r.take(p.node, 1)
	return err == nil && n.Kind == yaml.SequenceNode && len(n.Content) == 0
}

// checkJob holds a job against the one of its two forms that it has more of.
func (r *reader) checkJob(p pair, depth int) error {
	r.checkID(p.name, p.at, "job")
	ps, err := r.members(p.node, depth+1)
	if err != nil {
		return err
	}
	calls, runs := stated(ps, "uses"), find(ps, "runs-on")
	title := short(p.name)
	switch {
	case calls && runs != nil:
		r.refuse(runs.at, "the job %q calls a workflow and has a runner as well; it does the one or the other", title)
	case calls:
		return r.checkPairs(ps, p.at, "calling job", depth+1)
	case !stated(ps, "runs-on"):
		r.refuse(p.at, "the job %q has neither runs-on nor uses", title)
	default:
		return r.checkSteps(p, ps, depth)
	}
	return nil
}

func (r *reader) checkSteps(p pair, ps []pair, depth int) error {
	r.steps = r.steps[:0]
	if err := r.checkPairs(ps, p.at, "job", depth+1); err != nil || r.w.refused != "" {
		return err
	}
	steps := find(ps, "steps")
	if steps == nil {
		r.refuse(p.at, "the job %q has no steps", short(p.name))
		return nil
	}
	n, err := r.take(steps.node, depth+2)
	if err != nil {
		return err
	}
	if len(n.Content) == 0 {
		r.refuse(steps.at, "the job %q has no steps", short(p.name))
	}
	var ids names
	for _, keys := range r.steps {
		id := find(keys, "id")
		if id == nil || id.node.Kind != yaml.ScalarNode {
			continue
		}
		name := asText(scalar(id.node)).Text
		r.checkID(name, id.at, "step")
		if !ids.add(strings.ToLower(name)) {
			r.refuse(id.at, "the step id %q stands in this job a second time", short(name))
		}
	}
	return nil
}

func (r *reader) checkID(id string, line int, of string) {
	switch {
	case !identifier(id):
		r.refuse(line, "the %s id %q may hold letters, digits, _ and - only, at most 99, and begins with a letter or _", of, short(id))
	case strings.HasPrefix(id, "__"):
		r.refuse(line, "the %s id %q begins with __, which GitHub keeps for itself", of, short(id))
	}
}

func (r *reader) checkScalar(n *node, line int, name string, s form) {
	if n.Style&yaml.TaggedStyle != 0 && !slices.Contains(coreTags, n.Tag) {
		r.refuse(line, "%s is a YAML tag here; put the text in quotes", plain(n.Tag))
		return
	}
	v := scalar(n)
	text := asText(v).Text
	if v.Kind == specs.Text && r.checkExpressions(text, line, name) {
		return
	}
	r.checkReference(text, line, name)
	switch {
	case s.scalar == anything:
	case s.scalar == noScalar && text == "":
		r.refuse(line, "nothing stands here; write what belongs below the key, or remove it")
	case s.scalar == noScalar:
		r.refuse(line, "%q has no place here, where GitHub expects a mapping or a list", short(text))
	case s.scalar == filledText && text == "":
		r.refuse(line, "nothing stands here")
	case s.scalar == number && !isNumber(n):
		r.refuse(line, "%q is no number; write it without quotes", short(text))
	case s.scalar == truth && v.Kind != specs.Bool:
		r.refuse(line, "%q is neither true nor false; write it without quotes", short(text))
	case s.words != nil && !slices.Contains(s.words, text):
		r.refuse(line, "%q is none of %s", short(text), strings.Join(s.words, ", "))
	}
}

// isNumber holds also for what a double cannot.
func isNumber(n *node) bool {
	v := scalar(n)
	return v.Kind == specs.Number || n.Style == 0 && coreFloat(n.Value)
}

var coreTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!null"}

// checkExpressions refuses what is no expression, and says whether the text
// holds any, so that its kind is not known.
func (r *reader) checkExpressions(text string, line int, name string) bool {
	var few fewSpans
	spans, closed := expressions(few[:0], text)
	if !closed {
		r.refuse(line, "an expression is open: ${{ without }}")
		return true
	}
	for _, e := range spans {
		r.checkExpression(text[e.from+3:e.to-2], line, name)
	}
	if len(spans) == 0 && contexts[name] != nil && strings.TrimSpace(text) != "" {
		r.checkExpression(text, line, name)
	}
	if len(spans) > 0 && (name == "called" || name == "used") {
		r.refuse(line, "uses takes no expression")
	}
	return len(spans) > 0
}

func (r *reader) checkExpression(s string, line int, name string) {
	e := parseExpr(s)
	if e == nil {
		hint := ""
		if strings.Contains(s, `"`) {
			hint = "; texts in it stand in single quotes"
		}
		r.refuse(line, "%q is no expression%s", short(strings.TrimSpace(s)), hint)
		return
	}
	r.exprs = append(r.exprs, located{line, e})
	allowed := contexts[name]
	walkExpr(e, func(x *expr) {
		if why := strangeName(x); why != "" {
			r.refuse(line, "%s", why)
		}
		root, _, _ := strings.Cut(x.text, ".")
		if x.op == opValue && allowed != nil && slices.Contains(allContexts, root) && !slices.Contains(allowed, root) {
			r.refuse(line, "%s is not known in this condition", root)
		}
	})
}

// checkReference refuses what names no action and no workflow.
func (r *reader) checkReference(text string, line int, name string) {
	local := strings.HasPrefix(text, "./") || strings.HasPrefix(text, `.\`) || strings.HasPrefix(text, "$/") || strings.HasPrefix(text, "docker://")
	switch {
	case text == "":
	case name == "used" && !local && !actionName(text):
		r.refuse(line, "%q names no action; write owner/repository@version, or ./path for one of the checkout", short(text))
	case name == "called" && !calledHere(text) && !calledName(text):
		r.refuse(line, "%q names no workflow; write owner/repository/.github/workflows/file.yml@version, or ./.github/workflows/file.yml for one of this repository", short(text))
	}
}

// needs refuses a job that waits for one that is not there, or for itself.
func (r *reader) needs(jobs []pair) error {
	if r.w.refused != "" {
		return nil
	}
	needs := make([]*pair, len(jobs))
	for i, job := range jobs {
		keys, err := r.members(job.node, 2)
		if err != nil {
			return err
		}
		needs[i] = find(keys, "needs")
	}
	if !slices.ContainsFunc(needs, func(p *pair) bool { return p != nil }) {
		return nil
	}
	waits := map[string][]string{}
	lines := map[string]int{}
	for i, job := range jobs {
		id := strings.ToLower(job.name)
		waits[id], lines[id] = nil, job.at
		if p := needs[i]; p != nil {
			ids, err := r.idsOf(p.node)
			if err != nil {
				return err
			}
			waits[id], lines[id] = ids, p.at
		}
	}
	r.checkNeeds(waits, lines)
	return nil
}

// idsOf are the ids that a needs names, in small letters.
func (r *reader) idsOf(n *node) ([]string, error) {
	n, err := r.take(n, 3)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range append([]*node{n}, n.Content...) {
		if item, err = r.take(item, 4); err != nil {
			return nil, err
		}
		if item.Kind == yaml.ScalarNode {
			out = append(out, strings.ToLower(item.Value))
		}
	}
	return out, nil
}

func (r *reader) checkNeeds(waits map[string][]string, lines map[string]int) {
	ids := slices.Sorted(maps.Keys(waits))
	for _, id := range ids {
		for _, need := range waits[id] {
			if _, ok := waits[need]; !ok {
				r.refuse(lines[id], "the job %q needs %q, which is no job of this workflow", short(id), short(need))
				return
			}
		}
	}
	for left := true; left; {
		left = false
		for _, id := range ids {
			if w, ok := waits[id]; ok && !slices.ContainsFunc(w, func(n string) bool { _, open := waits[n]; return open }) {
				delete(waits, id)
				left = true
			}
		}
	}
	for _, id := range ids {
		if _, ok := waits[id]; ok {
			r.refuse(lines[id], "the job %q waits for itself by its needs", short(id))
			return
		}
	}
}
