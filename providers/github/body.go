package github

import (
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// rules say, for the keys of one level, how two spellings become one. The
// spellings are those of GitHub's workflow syntax reference.
type rules map[string]func(specs.Value) specs.Value

var (
	topRules = rules{
		"env": secretTexts, "concurrency": concurrency, "defaults": dropEmpty, "jobs": jobs,
	}
	jobRules = rules{
		"env": secretTexts, "secrets": secretTexts, "concurrency": concurrency, "defaults": dropEmpty,
		"needs": oneOrSet, "runs-on": runsOn, "steps": steps, "strategy": strategy, "outputs": dropEmpty,
		"container": container, "services": services, "environment": named("name"), "if": condition,
		"timeout-minutes": defaulted(specs.NewInt(360)), "continue-on-error": defaulted(specs.NewBool(false)),
	}
	stepRules = rules{
		"env": secretTexts, "with": inputs, "run": script, "if": condition,
		"continue-on-error": defaulted(specs.NewBool(false)),
	}
	containerRules = rules{"env": secretTexts, "credentials": secretTexts}
)

// apply rewrites a map by rules and drops members that state nothing.
func (r rules) apply(v specs.Value) specs.Value {
	return mapMembers(v, func(key string, m specs.Value) specs.Value {
		rule, ok := r[key]
		if !ok {
			return m
		}
		return dropEmpty(rule(m))
	})
}

func jobs(v specs.Value) specs.Value {
	return mapMembers(v, func(_ string, job specs.Value) specs.Value { return jobRules.apply(job) })
}

func steps(v specs.Value) specs.Value {
	if v.Kind != specs.List {
		return v
	}
	out := make([]specs.Value, len(v.Members))
	for i, m := range v.Members {
		out[i] = stepRules.apply(m.Value)
	}
	return specs.NewList(out...)
}

// script leaves out the line feed at the end that only a block scalar has.
func script(v specs.Value) specs.Value {
	if v.Kind == specs.Text {
		v.Text = strings.TrimRight(v.Text, "\n")
	}
	return v
}

// condition leaves out the ${{ }} around a whole condition, which is optional.
func condition(v specs.Value) specs.Value {
	if v.Kind != specs.Text {
		return v
	}
	s := strings.TrimSpace(v.Text)
	if inner, ok := strings.CutPrefix(s, "${{"); ok && strings.Count(s, "${{") == 1 {
		if inner, ok := strings.CutSuffix(inner, "}}"); ok && !strings.Contains(inner, "}}") {
			s = strings.TrimSpace(inner)
		}
	}
	return specs.NewText(s)
}

// oneOrSet is for a key that takes one word or a list of them whose order has
// no meaning.
func oneOrSet(v specs.Value) specs.Value {
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

func runsOn(v specs.Value) specs.Value {
	if v.Kind == specs.Map {
		return rules{"labels": oneOrSet}.apply(v)
	}
	return oneOrSet(v)
}

func concurrency(v specs.Value) specs.Value {
	return rules{"cancel-in-progress": defaulted(specs.NewBool(false))}.apply(named("group")(v))
}

func strategy(v specs.Value) specs.Value {
	return rules{"fail-fast": defaulted(specs.NewBool(true))}.apply(v)
}

func container(v specs.Value) specs.Value { return containerRules.apply(named("image")(v)) }

func services(v specs.Value) specs.Value {
	return mapMembers(v, func(_ string, m specs.Value) specs.Value { return container(m) })
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
		if v.Kind == def.Kind && v.Text == def.Text {
			return specs.Value{}
		}
		return v
	}
}

func dropEmpty(v specs.Value) specs.Value {
	if v.Empty() || v.Kind == specs.Null {
		return specs.Value{}
	}
	return v
}
