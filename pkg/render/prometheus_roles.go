package render

import (
	"slices"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// ladders are the families of single roles. What was not looked at, or is not
// known, has no sample: an age of nothing would look like one.
func (p *prometheus) ladders() {
	roles := p.ownRoles()
	p.ofRoles(roles, "rolecall_role_registered", "Whether the scheduler holds an object of the role, 1 or 0; no sample where it was not looked at.", func(x report.Role) (int64, bool) {
		return number01(x.Stages.Registered == report.Yes), x.Stages.Registered == report.Yes || x.Stages.Registered == report.No
	})
	p.ofRoles(roles, "rolecall_role_active", "Whether the scheduler holds an object of the role that it would run, 1 or 0; no sample where it was not looked at.", activity(p.r.Findings))
	p.ofRoles(roles, "rolecall_role_suspended", "Whether the ledger wants the role not to run now, 1 or 0.", func(x report.Role) (int64, bool) {
		return number01(x.Suspended), true
	})
	p.stages(roles)
	for _, family := range []struct {
		name, help string
		at         func(report.Seen) *int64
	}{
		{"rolecall_role_last_start_timestamp_seconds", "When a run of the role began last, in seconds since 1970.", func(s report.Seen) *int64 { return s.LastStart }},
		{"rolecall_role_last_success_timestamp_seconds", "When a run of the role succeeded last, in seconds since 1970.", func(s report.Seen) *int64 { return s.LastSuccess }},
		{"rolecall_role_last_progress_timestamp_seconds", "When a run of the role moved what it is for last, in seconds since 1970.", func(s report.Seen) *int64 { return s.LastProgress }},
	} {
		p.ofRoles(roles, family.name, family.help, func(x report.Role) (int64, bool) {
			at := family.at(x.Seen)
			if at == nil {
				return 0, false
			}
			return *at, true
		})
	}
}

// ownRoles are the roles that make series of their own: those of a source that
// was looked at, and of two that have one name as it is shown the first.
func (p *prometheus) ownRoles() []report.Role {
	seen := map[specs.Ref]bool{}
	return slices.DeleteFunc(slices.Clone(p.r.Roles), func(x report.Role) bool {
		ref := specs.Ref{Role: Escape(x.Role), Source: Escape(x.Source)}
		again := seen[ref]
		seen[ref] = true
		return again || x.State == report.OutOfScope
	})
}

// ofRoles is a family with a sample for each role that has a value.
func (p *prometheus) ofRoles(roles []report.Role, name, help string, value func(report.Role) (int64, bool)) {
	var sample func(int64, ...string)
	for _, x := range roles {
		v, known := value(x)
		if !known {
			continue
		}
		if sample == nil {
			sample = p.metric(name, help)
		}
		sample(v, "role", x.Role, "source", x.Source, "owner", x.Owner)
	}
}

// stages has a sample for each step that is tracked, with its state as a label:
// eight series a step, of which seven are 0, would be 64,000 for 2,000 roles.
func (p *prometheus) stages(roles []report.Role) {
	var sample func(int64, ...string)
	for _, x := range roles {
		for _, s := range ladder(x) {
			if !s.tracked() {
				continue
			}
			if sample == nil {
				sample = p.metric("rolecall_role_stage", "The state of a step of the role's ladder, always 1; a step that is not tracked has none.")
			}
			sample(1, "role", x.Role, "source", x.Source, "owner", x.Owner, "stage", s.name, "state", string(s.stage))
		}
	}
}

// activity says of roles that what is registered would run: no finding says that
// it is inactive, and where the ledger wants it so, one says that it is not.
func activity(findings []report.Finding) func(report.Role) (int64, bool) {
	inactive, awake := map[specs.Ref]bool{}, map[specs.Ref]bool{}
	for _, f := range findings {
		ref := specs.Ref{Role: f.Role, Source: f.Source}
		switch {
		case f.Kind == report.Inactive:
			inactive[ref] = true
		case f.Kind == report.Drift && slices.ContainsFunc(f.Fields, func(d report.Field) bool { return d.Path == "state" }):
			awake[ref] = true
		}
	}
	return func(x report.Role) (int64, bool) {
		ref := specs.Ref{Role: x.Role, Source: x.Source}
		switch x.Stages.Registered {
		case report.Yes:
			return number01(!inactive[ref] && (!x.Suspended || awake[ref])), true
		case report.No:
			return 0, true
		}
		return 0, false
	}
}
