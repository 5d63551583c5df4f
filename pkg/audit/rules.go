package audit

import (
	"errors"
	"fmt"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// Locate is an ignore rule in the terms of what translates the statements of a
// source.
func Locate(t providers.Translator, rule specs.Ignore) (specs.Rule, error) {
	if rule.Field != "" {
		path, err := specs.ParsePath(rule.Field)
		return specs.Rule{Ignore: rule, Path: path}, err
	}
	l, ok := t.(providers.Locator)
	if !ok {
		return specs.Rule{}, errors.New("no object of such a source has JSON pointers, or says who wrote which of its fields; name the field instead")
	}
	return l.Locate(rule)
}

// locator puts ignore rules in the terms of the sources. A rule that no source
// to which it applies can make anything of is an error.
type locator struct {
	found map[specs.Pos]bool
	order []specs.Pos
	wrong map[specs.Pos]error // the first
}

func (l *locator) rules(rules []specs.Ignore, s Source, about string) []specs.Rule {
	t, _ := s.Provider.(providers.Translator)
	var out []specs.Rule
	for _, ig := range rules {
		rule, err := Locate(t, ig)
		if err != nil {
			l.refuse(ig.Pos, fmt.Errorf("%s: %s ignores the %s in source %s: %w", ig.Pos, about, ig, s.Name, err))
			continue
		}
		l.found[ig.Pos] = true
		out = append(out, rule)
	}
	return out
}

func (l *locator) refuse(pos specs.Pos, err error) {
	if l.wrong[pos] == nil {
		l.wrong[pos] = err
		l.order = append(l.order, pos)
	}
}

func (l *locator) errors() []error {
	var out []error
	for _, pos := range l.order {
		if !l.found[pos] {
			out = append(out, l.wrong[pos])
		}
	}
	return out
}

// ofSource are the rules that stand beside the roles and apply to a source.
func ofSource(l ledger.Ledger, source string) []specs.Ignore {
	var out []specs.Ignore
	for _, ig := range l.Ignore {
		if ig.In(source) {
			out = append(out, ig)
		}
	}
	return out
}
