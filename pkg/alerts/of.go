package alerts

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// Source is one source of the config, as rules see it.
type Source struct {
	Name, Provider string
	// Basis is what is asked of its roles; empty for Audit.
	Basis  Basis
	Labels []Label
	// Namespace is that of objects of which the ledger states none.
	Namespace string
}

// Of is a role as rules see it. Where the basis of the source cannot tell of this
// one, an audit does, and why says so.
func Of(cal *evidence.Calendar, role specs.Role, d specs.Desired, s Source) (out Role, why string) {
	bounds := cal.Bounds(role, s.Provider, d.Spec.Schedules)
	out = Role{
		Key: role.Key, Source: s.Name, Owner: role.Owner, Purpose: role.Purpose, Schedule: d.Spec.Written(),
		Suspended: role.Suspended, PausedUntil: role.PausedUntil, Since: role.Evidence.Since,
		Succeeded: bounds.Success, Executed: bounds.Start,
		Basis: cmp.Or(s.Basis, Audit), Labels: s.Labels,
	}
	succeeded := role.Evidence.Succeeded
	if succeeded.None {
		out.Untold = "the ledger does not want its success tracked (evidence: {succeeded: none})"
	}
	switch out.Basis {
	case Audit:
		return out, ""
	case KubeState:
		out.Namespace, out.Name = objectOf(role, s.Namespace)
		if out.Namespace == "" || out.Name == "" {
			why = "the ledger does not state its namespace and name (by a template, or by match)"
		} else if succeeded.Runs != "" || succeeded.Query != "" || succeeded.File != "" {
			why = "the ledger names other evidence of its success"
		}
	case Run:
		if succeeded.Query != "" || succeeded.File != "" {
			why = "the ledger names other evidence of its success"
		}
	}
	if why != "" {
		out.Basis, out.Namespace, out.Name, out.Labels = Audit, "", "", nil
	}
	return out, why
}

// objectOf are namespace and name of the role's CronJob, as far as they are stated.
func objectOf(role specs.Role, otherwise string) (namespace, name string) {
	var stated struct {
		Metadata struct {
			Namespace string `yaml:"namespace"`
			Name      string `yaml:"name"`
		} `yaml:"metadata"`
	}
	if t := role.Statement.Template; t != nil && yaml.Unmarshal(t.Data, &stated) != nil {
		stated.Metadata.Namespace, stated.Metadata.Name = "", ""
	}
	exact := func(key string) string {
		if v := role.Match.Keys[key]; !strings.ContainsAny(v, "*?") {
			return v
		}
		return ""
	}
	return cmp.Or(exact("namespace"), stated.Metadata.Namespace, otherwise), cmp.Or(exact("name"), stated.Metadata.Name)
}

// Check refuses roles whose series could not be told apart: the success of one
// would hide that another stopped.
func (in Input) Check() error {
	byMetric := map[string][]Role{}
	for _, r := range in.Roles {
		switch r.Basis {
		case Run:
			byMetric["the role "+r.Key] = append(byMetric["the role "+r.Key], r)
		case KubeState:
			what := "the CronJob " + r.Namespace + "/" + r.Name
			byMetric[what] = append(byMetric[what], r)
		}
	}
	var errs []error
	for what, roles := range byMetric {
		for i, a := range roles {
			for _, b := range roles[i+1:] {
				if !apart(a.Labels, b.Labels) {
					errs = append(errs, fmt.Errorf("by %s %s in %s and in %s are one series; name a label that tells the sources apart: --label %s=NAME=VALUE", a.Basis, what, a.Source, b.Source, a.Source))
				}
			}
		}
	}
	arrange.By(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// apart says that no series has both sets of labels.
func apart(a, b []Label) bool {
	for _, x := range a {
		for _, y := range b {
			if x.Name == y.Name && x.Value != y.Value {
				return true
			}
		}
	}
	return false
}
