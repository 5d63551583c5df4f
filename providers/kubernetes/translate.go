package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// controlFields are what an inline statement always says something about: a
// field that it leaves out has the server's default.
var controlFields = []string{"concurrencyPolicy", "startingDeadlineSeconds"}

// scope is which namespaces a source answers for.
type scope struct {
	source     string
	namespaces []string // none means all
	unstated   string   // where manifests are put that state no namespace
}

func (s scope) reads(namespace string) bool {
	return len(s.namespaces) == 0 || slices.Contains(s.namespaces, namespace) || s.unstated != "" && namespace == s.unstated
}

// translate is the one translation of a ledger's statement, for clusters and
// manifests alike. Errors name the place in the ledger or the template.
func (s scope) translate(st specs.Statement) (specs.Desired, error) {
	switch {
	case st.Template != nil:
		return s.fromTemplate(*st.Template)
	case !st.Hash.IsZero():
		spec, _, err := inlineSchedule(st, false)
		return specs.Desired{Spec: spec, Pinned: st.Hash}, err
	}
	if err := refuseForeign(st); err != nil {
		return specs.Desired{}, err
	}
	spec, never, err := inlineSchedule(st, true)
	if err != nil {
		return specs.Desired{}, err
	}
	body, err := inlineBody(st)
	spec.Body = specs.Pack(body)
	return specs.Desired{Spec: spec, Stated: slices.Clone(controlFields), Never: never}, err
}

// fromTemplate reads the literal object that a role wants, as strictly as a
// server would be asked to.
func (s scope) fromTemplate(doc specs.Document) (specs.Desired, error) {
	r := readManifest(doc.Data)
	for _, t := range slices.Concat(r.troubles, r.remarks) {
		return specs.Desired{}, fmt.Errorf("template %s: %s", specs.Pos{File: doc.Name, Line: t.line}, t.text)
	}
	if len(r.found) != 1 {
		return specs.Desired{}, fmt.Errorf("template %s holds %d CronJobs with a schedule; put exactly one in it", doc.Name, len(r.found))
	}
	if err := s.refuse(doc.Name, r.found[0]); err != nil {
		return specs.Desired{}, err
	}
	spec, problems := specOf(r.found[0].cronJob, false)
	for _, p := range problems {
		if p.code != invalidSchedule {
			continue
		}
		return specs.Desired{}, fmt.Errorf("template %s: %s; %s", specs.Pos{File: doc.Name, Line: r.found[0].line}, p.detail, p.next)
	}
	d := specs.Desired{Spec: spec}
	if ns := r.found[0].cronJob.Namespace; ns != "" {
		// elsewhere the same names mean other Secrets, accounts and quotas
		d.Attrs = map[string]string{"namespace": ns}
	}
	return d, nil
}

// refuse is why no object of the source can ever be as a template is.
func (s scope) refuse(template string, f found) error {
	for _, fault := range f.faults {
		return fmt.Errorf("template %s: a CronJob that the API server would refuse: %s; correct it", specs.Pos{File: template, Line: fault.line}, fault.text)
	}
	if ns := f.cronJob.Namespace; ns != "" && !s.reads(ns) {
		return fmt.Errorf("template %s: its namespace %s is none of those that source %s reads (%s), so it can never be found there; correct or remove metadata.namespace, or add it to the source's namespaces",
			specs.Pos{File: template, Line: f.at.lineNear("metadata.namespace")}, quote(ns), s.source, strings.Join(s.namespaces, ", "))
	}
	return nil
}

// foreign are the inline fields that mean nothing in a cluster.
func foreign(st specs.Statement) []string {
	var out []string
	for _, f := range []struct {
		name   string
		stated bool
	}{
		{"user", st.User != nil}, {"command", st.Command != nil}, {"stdin", st.Stdin != nil},
		{"env", st.Env != nil}, {"workflow", st.Workflow != ""},
	} {
		if f.stated {
			out = append(out, f.name)
		}
	}
	return out
}

func refuseForeign(st specs.Statement) error {
	for _, name := range foreign(st) {
		return fmt.Errorf("%s: %s does not apply to a CronJob; state the whole object as a template", st.PlaceOr(name), name)
	}
	return nil
}

// inlineSchedule reads schedule and time_zone. Beside a pinned hash, where the
// schedule is for readers, it may be missing.
func inlineSchedule(st specs.Statement, needed bool) (spec specs.Spec, never bool, err error) {
	pos := st.PlaceOr("schedule")
	switch {
	case len(st.Schedule) == 0 && !needed:
		return specs.Spec{}, false, nil
	case len(st.Schedule) != 1:
		return specs.Spec{}, false, fmt.Errorf("%s: %d schedules are stated and a CronJob has one; state one, or make a role of each", pos, len(st.Schedule))
	case st.Schedule[0] == "never" && st.TimeZone != nil:
		return specs.Spec{}, false, fmt.Errorf("%s: time_zone says nothing about a schedule that never fires; remove it", st.PlaceOr("time_zone"))
	case st.Schedule[0] == "never":
		return specs.Spec{Schedules: []specs.Schedule{specs.Never()}}, true, nil
	}
	text, zone := st.Schedule[0], specs.Local
	if st.TimeZone != nil {
		zone = *st.TimeZone
	}
	if _, _, prefixed := specs.SplitZonePrefix(text); prefixed {
		return specs.Spec{}, false, fmt.Errorf("%s: schedule %s begins with a time zone, which a cluster refuses; state it as time_zone", pos, quote(text))
	}
	if _, err := specs.CanonicalZone(zone); err != nil {
		return specs.Spec{}, false, fmt.Errorf("%s: time_zone: %w", st.PlaceOr("time_zone"), err)
	}
	s, err := specs.ParseSchedule(specs.Kubernetes, text, zone)
	if err != nil {
		return specs.Spec{}, false, fmt.Errorf("%s: %w", pos, err)
	}
	return specs.Spec{Schedules: []specs.Schedule{s}}, false, nil
}

func inlineBody(st specs.Statement) (specs.Value, error) {
	var members []specs.Member
	if p := st.ConcurrencyPolicy; p != nil {
		if !slices.Contains([]string{"Allow", "Forbid", "Replace"}, *p) {
			return specs.Value{}, fmt.Errorf("%s: concurrency_policy %s is none of Allow, Forbid, Replace; write one of them", st.PlaceOr("concurrency_policy"), quote(*p))
		}
		if v := specs.NewText(*p); !isDefault("CronJobSpec.concurrencyPolicy", v) {
			members = append(members, specs.Member{Key: "concurrencyPolicy", Value: v})
		}
	}
	if s := st.StartingDeadlineSeconds; s != nil {
		if *s < 0 {
			return specs.Value{}, fmt.Errorf("%s: starting_deadline_seconds %d is negative, which a cluster refuses; write 0 or more", st.PlaceOr("starting_deadline_seconds"), *s)
		}
		members = append(members, specs.Member{Key: "startingDeadlineSeconds", Value: specs.NewInt(*s)})
	}
	return specs.NewMap(members...), nil
}
