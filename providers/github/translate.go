package github

import (
	"errors"
	"fmt"
	"slices"

	"github.com/rolecall-dev/rolecall/specs"
)

// bodyFields are the keys of a workflow that say what it does.
var bodyFields = []string{"jobs", "env", "permissions", "concurrency", "defaults"}

// translate puts a ledger's statement in terms of workflows. file reads the
// workflow that an inline statement names, as a template; nil where nothing but
// presence and schedule is to be compared. called reads a workflow that a
// template calls; nil where no checkout is known to have it, so that only what
// the template itself says is compared.
func translate(st specs.Statement, file, called opener) (specs.Desired, error) {
	switch {
	case st.Template != nil:
		return fromTemplate(st, called)
	case !st.Hash.IsZero():
		spec, _, err := inline(st)
		return specs.Desired{Spec: spec, Pinned: st.Hash}, err
	}
	spec, never, err := inline(st)
	if err != nil {
		return specs.Desired{}, err
	}
	d := specs.Desired{Spec: spec, Never: never, Stated: []string{}}
	if st.Workflow == "" {
		return d, nil
	}
	members := []specs.Member{{Key: "workflow", Value: specs.NewText(st.Workflow)}}
	d.Stated = append(d.Stated, "workflow")
	if file != nil {
		w, err := namedWorkflow(st, file)
		if err != nil {
			return specs.Desired{}, err
		}
		for _, f := range append(slices.Clone(bodyFields), bodyCalled) {
			members = append(members, specs.Member{Key: f, Value: w.body.Get(f)})
			d.Stated = append(d.Stated, f)
		}
	}
	d.Spec.Body = specs.Pack(specs.NewMap(members...))
	return d, nil
}

func fromTemplate(st specs.Statement, called opener) (specs.Desired, error) {
	w, err := readWorkflow(st.Template.Data, st.Template.Name)
	if err != nil {
		return specs.Desired{}, placed(st.Template.Name, err, "give a workflow file as template")
	}
	var d specs.Desired
	switch {
	case len(calls(w.body)) == 0:
	case called == nil:
		d.Stated = bodyFields
	default:
		if err := w.resolve(called); err != nil {
			return specs.Desired{}, fmt.Errorf("%s: %w", st.Template.Name, err)
		}
	}
	spec := w.spec()
	for _, e := range w.entries {
		switch at := (specs.Pos{File: st.Template.Name, Line: e.line}); {
		case e.commented:
		case e.bad != "":
			return specs.Desired{}, fmt.Errorf("%s: GitHub refuses this: %s; correct the template", at, e.bad)
		default:
			spec.Schedules = append(spec.Schedules, e.schedule)
		}
	}
	if w.refused != "" {
		return specs.Desired{}, fmt.Errorf("%s: GitHub refuses the template: %s; correct it", st.Template.Name, w.refused)
	}
	if len(spec.Schedules) == 0 {
		return specs.Desired{}, fmt.Errorf("%s: the template has no on.schedule; a role needs one", st.Template.Name)
	}
	d.Spec = spec
	return d, nil
}

// namedWorkflow reads the workflow that a statement names.
func namedWorkflow(st specs.Statement, file opener) (workflow, error) {
	pos, _ := st.Place("workflow")
	data, err := file(st.Workflow)
	if err != nil {
		return workflow{}, fmt.Errorf("%s: workflow %s is this checkout's and could not be read: %w; correct the path, or give a template", pos, st.Workflow, err)
	}
	w, err := readWorkflow(data, st.Workflow)
	if err != nil {
		return workflow{}, placed(st.Workflow, err, "correct the workflow that "+pos.String()+" names")
	}
	if err := w.resolve(file); err != nil {
		return workflow{}, fmt.Errorf("%s, which %s names: %w", st.Workflow, pos, err)
	}
	if w.refused != "" {
		return workflow{}, fmt.Errorf("%s: GitHub refuses the workflow that %s names: %s; correct it", st.Workflow, pos, w.refused)
	}
	return w, nil
}

// inline reads the fields that a workflow can be stated by.
func inline(st specs.Statement) (specs.Spec, bool, error) {
	if err := foreignField(st); err != nil {
		return specs.Spec{}, false, err
	}
	if len(st.Schedule) == 0 {
		if !st.Hash.IsZero() {
			return specs.Spec{}, false, nil
		}
		return specs.Spec{}, false, fmt.Errorf("%s: a workflow's spec states no schedule; add schedule: [\"0 5 * * *\"], or give a template", st.Pos)
	}
	zone := "UTC"
	if st.TimeZone != nil {
		zone = *st.TimeZone
	}
	var spec specs.Spec
	for _, text := range st.Schedule {
		if text == "never" {
			spec.Schedules = append(spec.Schedules, specs.Never())
			continue
		}
		s, err := parseSchedule(text, zone)
		if err != nil {
			return specs.Spec{}, false, fmt.Errorf("%s: GitHub refuses this: %w", st.PlaceOr("schedule"), err)
		}
		spec.Schedules = append(spec.Schedules, s)
	}
	never := st.Schedule[0] == "never"
	if never && len(st.Schedule) > 1 {
		return specs.Spec{}, false, fmt.Errorf("%s: never stands beside other schedules; keep the one or the others", st.PlaceOr("schedule"))
	}
	return spec, never, nil
}

// foreignField refuses what a workflow does not have.
func foreignField(st specs.Statement) error {
	for _, f := range []struct {
		name   string
		stated bool
	}{
		{"user", st.User != nil}, {"command", st.Command != nil}, {"stdin", st.Stdin != nil}, {"env", st.Env != nil},
		{"concurrency_policy", st.ConcurrencyPolicy != nil}, {"starting_deadline_seconds", st.StartingDeadlineSeconds != nil},
	} {
		if f.stated {
			return fmt.Errorf("%s: a workflow has no %s; remove it, or compare the whole workflow by spec: {template: …}", st.PlaceOr(f.name), f.name)
		}
	}
	return nil
}

// placed puts the file and line before what is wrong with it.
func placed(file string, err error, next string) error {
	var f *fault
	if !errors.As(err, &f) {
		return fmt.Errorf("%s: %w; %s", file, err, next)
	}
	return fmt.Errorf("%s: %s; %s", specs.Pos{File: file, Line: f.line}, f.message, next)
}
