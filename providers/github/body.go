package github

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// rules say, for the keys of one level, how two spellings become one. What GitHub
// takes for the same is read off its own parser (actions/runner,
// src/Sdk/WorkflowParser, 258d6c8) and its workflow syntax reference: a text is
// meant wherever the schema has a string, so 1 and "1" are one there; a default
// that is spelled out is as if left out (fail-fast: true, timeout-minutes: 360,
// cancel-in-progress: false, queue: single, continue-on-error: false); a map of
// permissions sets to none what it does not name.
type rules map[string]func(specs.Value) specs.Value

var (
	topRules = rules{
		"env": secretTexts, "concurrency": concurrency, "defaults": defaults, "permissions": permissions, "jobs": jobs,
	}
	jobRules = rules{
		"env": secretTexts, "secrets": secretTexts, "concurrency": concurrency, "defaults": defaults,
		"needs": oneOrSet, "runs-on": runsOn, "steps": steps, "strategy": strategy, "outputs": texts,
		"container": container, "services": services, "environment": environment, "if": condition,
		"permissions": permissions, "uses": text, "with": typed, "name": nothing,
		"timeout-minutes": minutes(360), "cancel-timeout-minutes": whole, "continue-on-error": defaulted(specs.NewBool(false)),
	}
	stepRules = rules{
		"env": secretTexts, "with": inputs, "run": script, "if": condition, "id": text, "uses": text, "name": nothing,
		"shell": text, "working-directory": text, "timeout-minutes": whole,
		"continue-on-error": defaulted(specs.NewBool(false)),
	}
	containerRules = rules{
		"env": secretTexts, "credentials": secretTexts, "image": image, "options": text, "entrypoint": text, "command": text,
		"ports": listOf(text), "volumes": listOf(text),
	}
	runnerRules      = rules{"labels": oneOrSet, "group": text}
	concurrencyRules = rules{
		"group": text, "cancel-in-progress": defaulted(specs.NewBool(false)), "queue": defaulted(specs.NewText("single")),
	}
	strategyRules    = rules{"fail-fast": defaulted(specs.NewBool(true)), "max-parallel": whole}
	defaultsRules    = rules{"run": texts}
	environmentRules = rules{"name": dropBlankText, "url": text}
)

// apply rewrites a map by rules and drops members that state nothing, save
// permissions: {}, which takes all rights and is not as if left out.
func (r rules) apply(v specs.Value) specs.Value {
	return changeMembers(v, func(key string, m specs.Value) specs.Value {
		rule, ok := r[key]
		switch {
		case !ok:
			return typed(m)
		case key == "permissions":
			return rule(m)
		}
		return dropEmpty(rule(m))
	})
}

// body is what a workflow does, without what has no bearing on it. It takes the
// value over, as all of the rules do.
func body(v specs.Value) specs.Value { return topRules.apply(v) }

func jobs(v specs.Value) specs.Value {
	return changeMembers(v, func(_ string, job specs.Value) specs.Value { return jobRules.apply(job) })
}

func steps(v specs.Value) specs.Value { return listOf(stepRules.apply)(v) }

// listOf is a list with each item changed.
func listOf(change func(specs.Value) specs.Value) func(specs.Value) specs.Value {
	return func(v specs.Value) specs.Value {
		if v.Kind != specs.List {
			return v
		}
		for i := range v.Members {
			v.Members[i].Value = change(v.Members[i].Value)
		}
		return v
	}
}

// text is a scalar where GitHub means a text.
func text(v specs.Value) specs.Value { return typed(asText(v)) }

// texts are the members of a map as texts.
func texts(v specs.Value) specs.Value {
	return changeMembers(v, func(_ string, m specs.Value) specs.Value { return text(m) })
}

// typed leaves the kinds as they are: to a matrix and to a called workflow's
// inputs 1 and "1" are two things.
func typed(v specs.Value) specs.Value {
	switch v.Kind {
	case specs.Text:
		v.Text = interpolated(v.Text)
	case specs.List:
		return listOf(typed)(v)
	case specs.Map:
		return changeMembers(v, func(_ string, m specs.Value) specs.Value { return typed(m) })
	}
	return v
}

// script leaves out the line feeds at the end. Whether there are any depends on
// the scalar's style (|, >, |-, quoted), and no shell takes notice.
func script(v specs.Value) specs.Value {
	v = text(v)
	if v.Kind == specs.Text {
		v.Text = strings.TrimRight(v.Text, "\n")
	}
	return v
}

// condition leaves out the ${{ }} around a whole condition, which is optional,
// and a condition that says what holds without one.
func condition(v specs.Value) specs.Value {
	if v = asText(v); v.Kind != specs.Text {
		return v
	}
	c := conditionText(v.Text)
	if c == "" || c == "success()" {
		return specs.Value{}
	}
	return specs.NewText(c)
}

func conditionText(s string) string {
	s = strings.TrimSpace(s)
	inner, whole := wholeExpression(s)
	switch {
	case whole:
		return spaced(inner)
	case strings.Contains(s, "${{"):
		return interpolated(s)
	}
	return spaced(s)
}

// oneOrSet is for a key that takes one word or a list of them whose order has
// no meaning.
func oneOrSet(v specs.Value) specs.Value {
	v = listOf(text)(text(v))
	if v.Kind != specs.List || slices.ContainsFunc(v.Members, func(m specs.Member) bool { return m.Value.Kind != specs.Text }) {
		return v
	}
	var words []string
	for _, m := range v.Members {
		words = append(words, m.Value.Text)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	if len(words) == 1 {
		return specs.NewText(words[0])
	}
	out := make([]specs.Value, len(words))
	for i, w := range words {
		out[i] = specs.NewText(w)
	}
	return specs.NewList(out...)
}

// runsOn: labels alone are what the short form holds.
func runsOn(v specs.Value) specs.Value {
	if v.Kind != specs.Map {
		return oneOrSet(v)
	}
	v = runnerRules.apply(v)
	if labels := v.Get("labels"); len(v.Members) == 1 && labels.Kind != specs.Absent {
		return labels
	}
	return v
}

func concurrency(v specs.Value) specs.Value {
	return concurrencyRules.apply(named("group")(asText(v)))
}

func strategy(v specs.Value) specs.Value {
	return strategyRules.apply(v)
}

func defaults(v specs.Value) specs.Value { return defaultsRules.apply(v) }

// permissions leaves out what is none, since all that a map does not name is.
func permissions(v specs.Value) specs.Value {
	return changeMembers(text(v), func(_ string, m specs.Value) specs.Value {
		if m.Kind == specs.Text && m.Text == "none" {
			return specs.Value{}
		}
		return m
	})
}

// container: without an image there is none.
func container(v specs.Value) specs.Value {
	v = containerRules.apply(named("image")(asText(v)))
	if v.Kind == specs.Map && v.Get("image").Kind == specs.Absent {
		return specs.Value{}
	}
	return v
}

func image(v specs.Value) specs.Value {
	v = text(v)
	if v.Kind == specs.Text {
		v.Text = strings.TrimPrefix(v.Text, "docker://")
	}
	return dropBlank(v)
}

func services(v specs.Value) specs.Value {
	return changeMembers(v, func(_ string, m specs.Value) specs.Value { return container(m) })
}

// environment: without a name there is none.
func environment(v specs.Value) specs.Value {
	v = environmentRules.apply(named("name")(asText(v)))
	if v.Kind == specs.Map && v.Get("name").Kind == specs.Absent {
		return specs.Value{}
	}
	return v
}

// named is for a key that takes a text as the short form of a map with one
// member.
func named(key string) func(specs.Value) specs.Value {
	return func(v specs.Value) specs.Value {
		if v.Kind != specs.Text {
			return v
		}
		return specs.NewMap(specs.Member{Key: key, Value: v})
	}
}

// defaulted takes out the value that holds where nothing is stated.
func defaulted(def specs.Value) func(specs.Value) specs.Value {
	return func(v specs.Value) specs.Value {
		if v = typed(v); v.Kind == def.Kind && v.Text == def.Text {
			return specs.Value{}
		}
		return v
	}
}

// minutes are whole ones, with what holds where none are stated.
func minutes(def int64) func(specs.Value) specs.Value {
	return func(v specs.Value) specs.Value { return defaulted(specs.NewInt(def))(whole(v)) }
}

func dropEmpty(v specs.Value) specs.Value {
	if v.Empty() || v.Kind == specs.Null {
		return specs.Value{}
	}
	return v
}

func dropBlank(v specs.Value) specs.Value {
	if v.Kind == specs.Text && v.Text == "" {
		return specs.Value{}
	}
	return v
}

func dropBlankText(v specs.Value) specs.Value { return dropBlank(text(v)) }

func nothing(specs.Value) specs.Value { return specs.Value{} }

// titles are the names that people read of jobs and steps. Nothing that runs
// depends on them: jobs and steps are referred to by their ids.
func titles(v specs.Value) specs.Value {
	return mapMembers(v, func(_ string, job specs.Value) specs.Value {
		var of []specs.Member
		for i, m := range job.Get("steps").Members {
			if name := m.Value.Get("name"); name.Kind != specs.Absent {
				of = append(of, specs.Member{Key: index(i), Value: specs.NewMap(specs.Member{Key: "name", Value: text(name)})})
			}
		}
		return dropEmpty(specs.NewMap(
			specs.Member{Key: "name", Value: text(job.Get("name"))},
			specs.Member{Key: "steps", Value: dropEmpty(specs.NewKeyed(of...))}))
	})
}
