package github

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// theSchedule is the cron text of the entry that a run is due to, as it is
// written (reference: contexts, github context).
const theSchedule = "github.event.schedule"

// result is what is known of an expression's value before it runs: its truth,
// and the value itself where it is a text.
type result struct {
	truth  tri
	text   string
	isText bool
}

type tri int8

const (
	unsure tri = iota
	no
	yes
)

func truthOf(b bool) result {
	if b {
		return result{truth: yes}
	}
	return result{truth: no}
}

// textOf: of the texts only the empty one is false.
func textOf(s string) result {
	r := truthOf(s != "")
	r.text, r.isText = s, true
	return r
}

// evaluate is what is known of an expression in a run that is due to a cron.
func evaluate(e *expr, cron string) result {
	if e == nil {
		return result{}
	}
	switch e.op {
	case opText:
		return textOf(e.text)
	case opNumber:
		f, err := strconv.ParseFloat(e.text, 64)
		if err != nil {
			return result{}
		}
		return truthOf(f != 0)
	case opValue:
		return valueOf(e.text, cron)
	case opCall:
		return evaluateCall(e, cron)
	case "!":
		switch evaluate(e.args[0], cron).truth {
		case yes:
			return truthOf(false)
		case no:
			return truthOf(true)
		}
		return result{}
	case "&&", "||", "==", "!=":
		return evaluatePair(e.op, evaluate(e.args[0], cron), evaluate(e.args[1], cron))
	}
	return result{}
}

func valueOf(name, cron string) result {
	switch name {
	case "true":
		return truthOf(true)
	case "false", "null":
		return truthOf(false)
	case theSchedule:
		return textOf(cron)
	case "github.event_name":
		return textOf("schedule")
	}
	return result{}
}

func evaluatePair(op string, a, b result) result {
	switch op {
	case "&&":
		switch {
		case a.truth == no || a.truth == yes && b.truth != unsure:
			return pick(a.truth == no, a, b)
		case b.truth == no:
			return truthOf(false)
		}
		return result{}
	case "||":
		switch {
		case a.truth == yes || a.truth == no && b.truth != unsure:
			return pick(a.truth == yes, a, b)
		case b.truth == yes:
			return truthOf(true)
		}
		return result{}
	}
	if !a.isText || !b.isText {
		return result{}
	}
	return truthOf(strings.EqualFold(a.text, b.text) == (op == "=="))
}

func pick(first bool, a, b result) result {
	if first {
		return a
	}
	return b
}

func evaluateCall(e *expr, cron string) result {
	switch {
	case e.text == "always":
		return truthOf(true)
	case e.text == "case" && len(e.args)%2 == 1:
		return evaluateCase(e.args, cron)
	case len(e.args) != 2:
		return result{}
	}
	b := evaluate(e.args[1], cron)
	if list, ok := listOfTexts(e.args[0]); ok && e.text == "contains" && b.isText {
		return truthOf(slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, b.text) }))
	}
	a := evaluate(e.args[0], cron)
	if !a.isText || !b.isText {
		return result{}
	}
	has := textTests[e.text]
	if has == nil {
		return result{}
	}
	return truthOf(has(strings.ToLower(a.text), strings.ToLower(b.text)))
}

var textTests = map[string]func(s, part string) bool{
	"contains": strings.Contains, "startswith": strings.HasPrefix, "endswith": strings.HasSuffix,
}

func evaluateCase(args []*expr, cron string) result {
	for i := 0; i+1 < len(args); i += 2 {
		switch evaluate(args[i], cron).truth {
		case yes:
			return evaluate(args[i+1], cron)
		case unsure:
			return result{}
		}
	}
	return evaluate(args[len(args)-1], cron)
}

// listOfTexts is fromJSON('["a", "b"]').
func listOfTexts(e *expr) ([]string, bool) {
	if e == nil || e.op != opCall || e.text != "fromjson" || len(e.args) != 1 || e.args[0].op != opText {
		return nil, false
	}
	var list []string
	return list, json.Unmarshal([]byte(e.args[0].text), &list) == nil
}

// located is an expression and the line on which its text begins.
type located struct {
	line int
	e    *expr
}

// conditions says what the conditions of a workflow make of its schedule: a text
// that is compared with the entry's and that no entry has, and an entry for which
// no job has anything to do.
func (r *reader) conditions() {
	var crons []string
	for _, e := range r.w.entries {
		if e.bad != "" {
			return
		}
		if !e.commented {
			crons = append(crons, e.text)
		}
	}
	if r.w.refused != "" || len(crons) == 0 {
		return
	}
	r.staleTexts(crons)
	r.idleEntries()
}

func (r *reader) staleTexts(crons []string) {
	first, more := 0, map[string]bool{}
	var text string
	for _, x := range r.exprs {
		walkExpr(x.e, func(e *expr) {
			for _, s := range compared(e) {
				if fits(e, s, crons) {
					continue
				}
				if first == 0 {
					first, text = x.line, s
				}
				more[s] = true
			}
		})
	}
	if first == 0 {
		return
	}
	others := ""
	if n := len(more) - 1; n > 0 {
		others = fmt.Sprintf(" (and %d more)", n)
	}
	same := ""
	if s := r.meansTheSame(text); s != "" {
		same = fmt.Sprintf("; %q is due at the same times, and its text is another", s)
	}
	r.note("early-warning", first, fmt.Sprintf("a condition asks for the schedule %q%s, which is none of on.schedule (%s)%s; write the text as it stands there", short(text), others, quotedList(crons), same))
}

// compared are the texts with which an expression compares the schedule.
func compared(e *expr) []string {
	if len(e.args) != 2 || e.op != "==" && e.op != "!=" && e.op != opCall {
		return nil
	}
	a, b := e.args[0], e.args[1]
	is := func(x *expr) bool { return x != nil && x.op == opValue && x.text == theSchedule }
	if list, ok := listOfTexts(a); ok && is(b) && e.text == "contains" {
		return list
	}
	if e.op == opCall && textTests[e.text] == nil {
		return nil
	}
	switch {
	case is(a) && b != nil && b.op == opText:
		return []string{b.text}
	case is(b) && a != nil && a.op == opText:
		return []string{a.text}
	}
	return nil
}

// fits says that a text can hold of some entry.
func fits(e *expr, s string, crons []string) bool {
	_, list := listOfTexts(e.args[0])
	return slices.ContainsFunc(crons, func(cron string) bool {
		if e.op != opCall || list {
			return strings.EqualFold(s, cron)
		}
		return evaluateCall(e, cron).truth == yes
	})
}

// meansTheSame is an entry that fires with a text of another spelling.
func (r *reader) meansTheSame(text string) string {
	for _, e := range r.w.entries {
		s, err := parseSchedule(text, e.zone)
		if err == nil && s.Canonical() == e.schedule.Canonical() {
			return e.text
		}
	}
	return ""
}

// idleEntries says for which entries every job is left out by its condition, or
// by that of a job that it needs.
func (r *reader) idleEntries() {
	var idle []string
	line, live := 0, 0
	for _, e := range r.w.entries {
		if e.commented {
			continue
		}
		live++
		if allIdle(r.w.body.Get("jobs"), e.text) && !slices.Contains(idle, e.text) {
			idle = append(idle, e.text)
			if line == 0 {
				line = e.line
			}
		}
	}
	switch {
	case len(idle) == 0:
	case len(idle) == live:
		r.note("early-warning", line, "the conditions of the jobs leave out every job when the workflow is due by its schedule, so it does nothing")
	default:
		r.note("early-warning", line, fmt.Sprintf("the conditions of the jobs leave out every job when it is due by %s, so that does nothing", quotedList(idle)))
	}
}

func allIdle(jobs specs.Value, cron string) bool {
	idle := map[string]bool{}
	for again := true; again; {
		again = false
		for _, job := range jobs.Members {
			id := strings.ToLower(job.Key)
			if !idle[id] && leftOut(job.Value, cron, idle) {
				idle[id], again = true, true
			}
		}
	}
	return len(idle) > 0 && len(idle) == len(jobs.Members)
}

// leftOut says that a job does nothing: by its condition, since one that it
// needs is left out and it does not go on all the same, or since each of its
// steps is left out.
func leftOut(job specs.Value, cron string, idle map[string]bool) bool {
	condition := parseExpr(job.Get("if").Text)
	if evaluate(condition, cron).truth == no {
		return true
	}
	goesOn := false
	walkExpr(condition, func(e *expr) {
		goesOn = goesOn || e.op == opCall && (e.text == "always" || e.text == "failure" || e.text == "cancelled")
	})
	needs := job.Get("needs")
	if !goesOn && (needs.Kind == specs.Text && idle[strings.ToLower(needs.Text)] ||
		slices.ContainsFunc(needs.Members, func(m specs.Member) bool { return idle[strings.ToLower(m.Value.Text)] })) {
		return true
	}
	steps := job.Get("steps").Members
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(m specs.Member) bool {
		return evaluate(parseExpr(m.Value.Get("if").Text), cron).truth != no
	})
}

func quotedList(texts []string) string {
	const most = 5
	var out []string
	for i, s := range texts {
		if i == most {
			out = append(out, fmt.Sprintf("and %d more", len(texts)-most))
			break
		}
		out = append(out, strconv.Quote(short(s)))
	}
	return strings.Join(out, ", ")
}

// topOfHour notes which workflows of a source are due at minute 0 only, where
// GitHub is under the highest load (reference: events that trigger workflows,
// schedule). One note for all of them.
func topOfHour(objects []providers.Object) []providers.Note {
	var names []string
	var first specs.Pos
	for _, o := range objects {
		name := strings.TrimPrefix(o.Attr("repo")+"/"+o.Attr("workflow"), "/")
		full := slices.ContainsFunc(o.Entries(), func(e providers.Entry) bool {
			minute, _, _ := strings.Cut(e.Text, " ")
			return minute == "0" || minute == "00"
		})
		if !full || len(o.Inactive()) > 0 || slices.Contains(names, name) {
			continue
		}
		if names == nil {
			first = o.Pos
		}
		names = append(names, name)
	}
	if names == nil {
		return nil
	}
	list := names
	if len(list) > 3 {
		list = append(slices.Clone(names[:3]), fmt.Sprintf("and %d more", len(names)-3))
	}
	return []providers.Note{{Code: "early-warning", Pos: first,
		Message: "due at minute 0, when GitHub's load is highest and it starts runs late or leaves some out: " + strings.Join(list, ", ") + "; another minute is safer"}}
}
