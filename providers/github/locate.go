package github

import (
	"errors"
	"fmt"

	"github.com/rolecall-dev/rolecall/specs"
)

// locate finds what of a workflow a JSON pointer names.
func locate(rule specs.Ignore) (specs.Rule, error) {
	if rule.Pointer == "" {
		return specs.Rule{}, errors.New("no workflow says who wrote which of its fields; name the field instead")
	}
	tokens, err := specs.ParsePointer(rule.Pointer)
	switch {
	case err != nil:
		return specs.Rule{}, err
	case len(tokens) > 1 && tokens[0] == "on" && tokens[1] == "schedule":
		return specs.Rule{}, fmt.Errorf("the schedule and the zone are compared by themselves; name the field schedule or time_zone instead")
	case len(tokens) == 1 && tokens[0] == "jobs":
		return specs.Rule{}, fmt.Errorf("it is all that the workflow does; name what does not count of it")
	}
	return specs.Rule{Ignore: rule, Path: tokens}, nil
}

// Locate is that of a workflow.
func (p *Provider) Locate(rule specs.Ignore) (specs.Rule, error) { return locate(rule) }

// Locate is that of a workflow.
func (c *Checkout) Locate(rule specs.Ignore) (specs.Rule, error) { return locate(rule) }
