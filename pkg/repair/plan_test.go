package repair

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// TestRefused holds each reason by itself: all else of the role would let it be
// created.
func TestRefused(t *testing.T) {
	far := time.Unix(2e9, 0)
	for _, c := range []struct {
		name   string
		change func(b *bench, r *specs.Role)
		then   func(in *Input)
		codes  string
	}{
		{name: "nothing", codes: ""},
		{name: "one look", change: func(b *bench, _ *specs.Role) { b.plan.Settle = 0 }, codes: "not-confirmed"},
		{name: "a source that lists nothing", change: func(b *bench, _ *specs.Role) { b.shelf.objects = nil }, codes: "suspicious-empty"},
		{name: "a note of the provider", then: func(in *Input) {
			in.Report.Notes = append(in.Report.Notes, report.Note{Code: "suspicious-empty", Source: "prod", Message: "no such namespace"})
		}, codes: "suspicious-empty"},
		{name: "a part that was not read", then: func(in *Input) {
			in.Report.Coverage = append(in.Report.Coverage, report.Coverage{Source: "prod", Part: "x", State: "denied"})
		}, codes: "not-read"},
		{name: "waived", change: func(b *bench, _ *specs.Role) {
			b.plan.Ledger.Waivers = []ledger.Waiver{{Finding: "missing:retry@prod", Reason: "r", Until: far, UntilText: "2033"}}
		}, codes: "waived"},
		{name: "a waiver that has ended", change: func(b *bench, _ *specs.Role) {
			b.plan.Ledger.Waivers = []ledger.Waiver{{Finding: "missing:retry@prod", Reason: "r", Until: time.Unix(1, 0), UntilText: "1970"}}
		}},
		{name: "not allowed", change: func(_ *bench, r *specs.Role) { r.Repair.CreateMissing = false }, codes: "not-allowed"},
		{name: "no owner", change: func(_ *bench, r *specs.Role) { r.Owner = "" }, codes: "no-owner"},
		{name: "no template", change: func(_ *bench, r *specs.Role) { r.Statement.Template = nil }, codes: "no-template"},
		{name: "only a hash", change: func(_ *bench, r *specs.Role) {
			r.Statement = specs.Statement{Hash: specs.Spec{}.Hash()}
		}, codes: "hash-only"},
		{name: "suspended", change: func(_ *bench, r *specs.Role) { r.Suspended = true }, codes: "suspended"},
		{name: "paused", change: func(_ *bench, r *specs.Role) { r.PausedUntil = far }, codes: "paused"},
		{name: "a pause that is over", change: func(_ *bench, r *specs.Role) { r.PausedUntil = time.Unix(1, 0) }},
		{name: "no writer", then: func(in *Input) { in.Repairers = nil }, codes: "no-writer"},
		{name: "moved", then: func(in *Input) {
			in.World.Observations = append(in.World.Observations, providers.Observation{Source: "old", Areas: readWhole, Objects: []providers.Object{{ID: "crontab:old/u#retry", Origin: &providers.Origin{Source: "old"}, Marked: &providers.Marker{Role: "retry"}}}})
		}, codes: "moved"},
		{name: "moved, by its old name", change: func(_ *bench, r *specs.Role) { r.PreviousRoles = []string{"was"} }, then: func(in *Input) {
			in.World.Observations = append(in.World.Observations, providers.Observation{Source: "old", Areas: readWhole, Objects: []providers.Object{{ID: "crontab:old/u#was", Origin: &providers.Origin{Source: "old"}, Marked: &providers.Marker{Role: "was"}}}})
		}, codes: "moved"},
		{name: "another source was not read", then: func(in *Input) {
			in.World.Observations = append(in.World.Observations, providers.Observation{Source: "old", Areas: []providers.Area{{Part: "user/deploy", State: providers.Denied, Reason: "no right"}}})
		}, codes: "not-read"},
		{name: "of another source nothing is known", then: func(in *Input) {
			in.World.Observations = append(in.World.Observations, providers.Observation{Source: "old"})
		}, codes: "not-read"},
		{name: "another of its sources was not read", change: func(_ *bench, r *specs.Role) { r.Sources = []string{"prod", "old"} }, then: func(in *Input) {
			in.World.Observations = append(in.World.Observations, providers.Observation{Source: "old"})
			in.Skipped = []Skipped{{Source: "old", Reason: "--source names others", Chosen: true}}
		}},
		{name: "another source was left out", then: func(in *Input) {
			in.Skipped = []Skipped{{Source: "old", Reason: "--source names others", Chosen: true}}
		}, codes: "not-read"},
		{name: "another source is another host's", then: func(in *Input) { in.Skipped = []Skipped{{Source: "old", Reason: "it is another host"}} }},
		{name: "the same job", then: func(in *Input) { in.stranger("u-1", "5 * * * *", "/opt/retry") }, codes: "same-job"},
		{name: "the same job, switched off", then: func(in *Input) {
			in.stranger("u-1", "5 * * * *", "/opt/retry").Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
		}, codes: "same-job"},
		{name: "the same job as a role", then: func(in *Input) { in.stranger("other", "5 * * * *", "/opt/retry") }},
		{name: "the same job of a marked role", then: func(in *Input) {
			in.stranger("u-1", "5 * * * *", "/opt/retry").Marked = &providers.Marker{Role: "gate"}
		}},
		{name: "the same job at other times", then: func(in *Input) { in.stranger("u-1", "6 * * * *", "/opt/retry") }},
		{name: "another job at the same times", then: func(in *Input) { in.stranger("u-1", "5 * * * *", "/opt/gate") }},
		{name: "the template is suspended", then: func(in *Input) { in.Repairers["prod"] = idle{in.Repairers["prod"], "suspended"} }, codes: "suspended-template"},
		{name: "the template cannot run", then: func(in *Input) { in.Repairers["prod"] = idle{in.Repairers["prod"], "no-start-window"} }, codes: "inactive-template"},
		{name: "the template never fires", then: func(in *Input) {
			in.Desired[specs.Ref{Role: "retry", Source: "prod"}] = wanted("0 0 31 2 *", "/opt/retry")
		}, codes: "inactive-template"},
		{name: "the template is not taken", change: func(_ *bench, r *specs.Role) { r.Statement.Template.Data = []byte("bad") }, codes: "not-proposable"},
		{name: "its place is taken", change: func(b *bench, _ *specs.Role) { b.shelf.put("retry", "", "") }, codes: "place-taken"},
		{name: "by hand", change: func(_ *bench, r *specs.Role) { r.Statement.Template.Data = []byte("manual") }, codes: "by-hand"},
		{name: "all at once", change: func(_ *bench, r *specs.Role) {
			r.Repair.CreateMissing, r.Owner, r.Suspended, r.Statement.Template = false, "", true, nil
		}, codes: "no-owner no-template not-allowed suspended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			role := roleOf("retry")
			b := newBench(t, newShelf(), role)
			if c.change != nil {
				c.change(b, &b.plan.Ledger.Roles[0])
			}
			in := b.input()
			if c.then != nil {
				c.then(&in)
			}
			p := Make(context.Background(), in)
			if len(p.Rows) != 1 {
				t.Fatalf("%d rows", len(p.Rows))
			}
			if got := strings.Join(codes(p.Rows[0]), " "); got != c.codes {
				t.Errorf("reasons %q, want %q", got, c.codes)
			}
			want := Refuse
			switch c.codes {
			case "":
				want = Create
			case "by-hand":
				want = ByHand
			}
			if p.Rows[0].Action != want || b.shelf.writes != 0 {
				t.Errorf("action %s, %d writes; want %s", p.Rows[0].Action, b.shelf.writes, want)
			}
			for _, why := range p.Rows[0].Reasons {
				if why.Message == "" || why.Next == "" && why.Code != "not-proposable" {
					t.Errorf("%s says not why, or not what next: %+v", why.Code, why)
				}
			}
			out, _ := applied(t, b, p, in)
			if want != Create && (b.shelf.writes != 0 || out.Rows[0].Outcome != nil || len(b.log) != 0) {
				t.Errorf("something was written: %+v %v", out.Rows[0].Outcome, b.log)
			}
		})
	}
}

var readWhole = []providers.Area{{Part: "all", State: providers.Read}}

// wanted is a spec of one schedule and a command.
func wanted(schedule, command string) specs.Desired {
	s, err := specs.ParseSchedule(specs.Debian, schedule, "UTC")
	if err != nil {
		panic(err)
	}
	return specs.Desired{Spec: specs.Spec{Schedules: []specs.Schedule{s}, Body: specs.Pack(specs.NewMap(specs.Member{Key: "command", Value: specs.NewText(command)}))}}
}

// stranger puts an object without a marker beside those of the source, and makes
// the role want /opt/retry at every fifth minute.
func (in *Input) stranger(name, schedule, command string) *providers.Object {
	in.Desired[specs.Ref{Role: "retry", Source: "prod"}] = wanted("5 * * * *", "/opt/retry")
	o := &in.World.Observations[0]
	o.Objects = append(slices.Clone(o.Objects), providers.Object{
		ID: "kubernetes:prod/batch/" + name, Origin: &providers.Origin{Source: "prod", Provider: "kubernetes", Part: "shelf"}, Spec: wanted(schedule, command).Spec,
		Attrs: providers.AttrsOf(map[string]string{"name": name, "namespace": "batch"}),
	})
	return &o.Objects[len(o.Objects)-1]
}

// idle is a repairer whose objects would not run.
type idle struct {
	providers.Repairer
	code string
}

func (r idle) Propose(ctx context.Context, role specs.Role, d specs.Desired) (providers.Proposal, error) {
	p, err := r.Repairer.Propose(ctx, role, d)
	p.Inactive = []providers.Inactive{{Code: r.code}}
	return p, err
}

// TestAlike: in a crontab the same command for the same user at the same times is
// the same job, whatever else is set.
func TestAlike(t *testing.T) {
	entry := func(user, schedule, command string, more ...specs.Member) providers.Object {
		s := wanted(schedule, command).Spec.With(more...)
		return providers.Object{Origin: &providers.Origin{Provider: "crontab"}, Spec: s, Attrs: providers.AttrsOf(map[string]string{"user": user})}
	}
	text := func(key, value string) specs.Member { return specs.Member{Key: key, Value: specs.NewText(value)} }
	opaque := entry("deploy", "5 * * * *", "/opt/retry")
	opaque.Opaque = true
	for name, c := range map[string]struct {
		part string
		o    providers.Object
		want bool
	}{
		"the same":            {"user/deploy", entry("deploy", "5 * * * *", "/opt/retry"), true},
		"written otherwise":   {"user/deploy", entry("deploy", "5 */1 * * *", "/opt/retry"), true},
		"another environment": {"user/deploy", entry("deploy", "5 * * * *", "/opt/retry", text("env", "x")), true},
		"another's":           {"user/deploy", entry("root", "5 * * * *", "/opt/retry"), false},
		"nobody knows whose":  {"user/deploy", entry("", "5 * * * *", "/opt/retry"), true},
		"another text for it": {"user/deploy", entry("deploy", "5 * * * *", "/opt/retry", text("stdin", "x")), false},
		"another command":     {"user/deploy", entry("deploy", "5 * * * *", "/opt/retry -v"), false},
		"other times":         {"user/deploy", entry("deploy", "5 1 * * *", "/opt/retry"), false},
		"not readable":        {"user/deploy", opaque, false},
	} {
		in := Input{
			World: providers.World{Observations: []providers.Observation{{Source: "s", Provider: "crontab"}}},
			Same:  func(d specs.Desired, o providers.Object) bool { return d.Spec.Hash() == o.Spec.Hash() },
		}
		p := providers.Proposal{Ref: specs.Ref{Role: "retry", Source: "s"}, Part: c.part}
		if got := in.alike(wanted("5 * * * *", "/opt/retry"), p, c.o); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSkippedIsAnnounced(t *testing.T) {
	b := newBench(t, newShelf(), roleOf("retry"))
	in := b.input()
	in.Skipped = []Skipped{{Source: "web-2", Reason: "it is the host web-2 and this is another one"}}
	row := Make(context.Background(), in).Rows[0]
	if len(row.Announce) == 0 || !strings.HasPrefix(row.Announce[0], "not looked at: web-2 (it is the host web-2") {
		t.Errorf("%q", row.Announce)
	}
}

func applied(t *testing.T, b *bench, p Plan, in Input) (Plan, report.Report) {
	t.Helper()
	out, r, err := Apply(context.Background(), p, in, b.hands())
	if err != nil {
		t.Fatal(err)
	}
	return out, r
}

// TestUnread: what could not be seen is no ground for anything.
func TestUnread(t *testing.T) {
	for _, state := range []providers.AreaState{providers.Denied, providers.Failed, providers.Partial, providers.Missing} {
		s := newShelf()
		s.area.State = state
		b := newBench(t, s, roleOf("retry"))
		p := Make(context.Background(), b.input())
		if len(p.Rows) != 1 || p.Rows[0].Action != Refuse || codes(p.Rows[0])[0] != "not-read" {
			t.Errorf("%s: %+v", state, p.Rows)
		}
	}
}

func TestSamePlaceTwice(t *testing.T) {
	b := newBench(t, newShelf(), roleOf("a"), roleOf("b"))
	in := b.input()
	in.Repairers["prod"] = samePlace{b.shelf}
	p := Make(context.Background(), in)
	if p.Count(Create) != 1 || codes(p.Rows[1])[0] != "place-taken" {
		t.Errorf("%+v", p.Rows)
	}
}

type samePlace struct{ *shelf }

func (s samePlace) Propose(ctx context.Context, r specs.Role, d specs.Desired) (providers.Proposal, error) {
	p, err := s.shelf.Propose(ctx, r, d)
	p.Place = "kubernetes:prod/batch/same"
	return p, err
}

// TestNextSteps: each kind that is never repaired has a next step worked out for
// its objects, and the secrets in it are masked.
func TestNextSteps(t *testing.T) {
	at := time.Date(2026, 11, 3, 4, 5, 6, 0, time.UTC)
	change := []providers.Change{{Who: "kubectl-patch", When: at, Evidence: "managedFields"}}
	type given = providers.Object
	for _, c := range []struct {
		name string
		kind report.Kind
		o    []given
		f    report.Finding
		want []string
	}{
		{"suspended", report.Inactive, []given{{ID: "k:a", Origin: &providers.Origin{Provider: "kubernetes"}, Attrs: providers.AttrsOf(map[string]string{"name": "retry", "namespace": "batch"}), More: &providers.More{Inactive: []providers.Inactive{{Code: "suspended", Detail: "spec.suspend is true"}}}}},
			report.Finding{ChangedBy: &report.Change{Who: "kubectl-patch", When: at, Evidence: "managedFields"}},
			[]string{"changed by kubectl-patch at 2026-11-03T04:05:06Z (managedFields)", "ask ops", `kubectl patch cronjob retry -n batch --type=merge -p '{"spec":{"suspend":false}}'`}},
		{"its jobs suspended", report.Inactive, []given{{ID: "k:a", Origin: &providers.Origin{Provider: "kubernetes"}, Attrs: providers.AttrsOf(map[string]string{"name": "retry", "namespace": "batch"}), More: &providers.More{Inactive: []providers.Inactive{{Code: "suspended", Detail: "jobTemplate.spec.suspend is true: x"}}}}},
			report.Finding{}, []string{"changed by whom is not known", `'{"spec":{"jobTemplate":{"spec":{"suspend":false}}}}'`}},
		{"a workflow", report.Inactive, []given{{ID: "g:a", Origin: &providers.Origin{Provider: "github"}, Attrs: providers.AttrsOf(map[string]string{"repo": "acme/shop", "workflow": ".github/workflows/it's.yml"}), More: &providers.More{Inactive: []providers.Inactive{{Code: "disabled_manually"}}}}},
			report.Finding{}, []string{`gh workflow enable 'it'\''s.yml' -R acme/shop`}},
		{"an archive", report.Inactive, []given{{ID: "g:a", Origin: &providers.Origin{Provider: "github"}, Attrs: providers.AttrsOf(map[string]string{"repo": "acme/shop"}), More: &providers.More{Inactive: []providers.Inactive{{Code: "archived"}, {Code: "actions-disabled"}}}}},
			report.Finding{}, []string{"gh repo unarchive acme/shop", "gh api -X PUT repos/acme/shop/actions/permissions -F enabled=true"}},
		{"a comment sign in a user's table", report.Inactive, []given{{ID: "c:a", Origin: &providers.Origin{Provider: "crontab", Part: "user/deploy"}, Pos: specs.Pos{File: "/var/spool/cron/crontabs/deploy", Line: 7}, More: &providers.More{Inactive: []providers.Inactive{{Code: "commented-out"}}}}},
			report.Finding{}, []string{"crontab -e -u deploy, and take the comment sign off the entry at /var/spool/cron/crontabs/deploy:7"}},
		{"a table below another root", report.Inactive, []given{{ID: "c:a", Origin: &providers.Origin{Provider: "crontab", Part: "user/deploy"}, Pos: specs.Pos{File: "/mnt/web/var/spool/cron/crontabs/deploy", Line: 7}, More: &providers.More{Inactive: []providers.Inactive{{Code: "commented-out"}}}}},
			report.Finding{}, []string{"sudoedit /mnt/web/var/spool/cron/crontabs/deploy, and take the comment sign off"}},
		{"a file that cron does not load", report.Inactive, []given{{ID: "c:a", Origin: &providers.Origin{Provider: "crontab", Part: "file/etc/cron.d/x"}, Pos: specs.Pos{File: "/etc/cron.d/x", Line: 7}, More: &providers.More{Inactive: []providers.Inactive{{Code: "file-not-loaded", Detail: "mode 0666"}}}}},
			report.Finding{}, []string{"sudoedit /etc/cron.d/x, and correct what cron refuses: mode 0666"}},
		{"nothing known", report.Inactive, nil, report.Finding{NextStep: "look"}, []string{"if it was not: look"}},
		{"two", report.Duplicate, []given{{ID: "k:a", More: &providers.More{Changes: change, Created: at}}, {ID: "k:b", Attrs: providers.AttrsOf(map[string]string{"user": "root"}), More: &providers.More{Inactive: []providers.Inactive{{Code: "suspended"}}}}},
			report.Finding{}, []string{"k:a, last changed by kubectl-patch at 2026-11-03T04:05:06Z (managedFields), there since 2026-11-03T04:05:06Z, active", "k:b, of user root, inactive: suspended", "only one of them is active"}},
		{"two that run", report.Duplicate, []given{{ID: "k:a"}, {ID: "k:b"}}, report.Finding{}, []string{"who made it and when is not known", "two runs at once"}},
		{"drift", report.Drift, []given{{ID: "k:a"}}, report.Finding{Fields: []report.Field{{Path: "version", Desired: "7", Observed: "6"}, {Path: "x", Cosmetic: true}, {Path: "user", Observed: "root"}}},
			[]string{"version: the ledger wants 7, there is 6", "user: the ledger wants (nothing), there is root", "kubectl diff -f roles/retry.yaml"}},
		{"unexpected", report.Unexpected, []given{{ID: "k:a", More: &providers.More{Changes: change}, Marked: &providers.Marker{Role: "new"}}}, report.Finding{Hints: []string{"a hint"}},
			[]string{"k:a: last changed by kubectl-patch", "rolecall ledger adopt k:a --role new", "a hint", "ask who made it"}},
		{"a stage", report.Stalled, nil, report.Finding{NextStep: "look at the input"}, []string{"look at the input"}},
		{"a secret", report.Drift, nil, report.Finding{ChangedBy: &report.Change{Who: "password hunter2"}}, []string{"password ***"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, newShelf("retry"), roleOf("retry"))
			in := b.input()
			f := c.f
			f.Kind, f.Role, f.Source, f.Owner, f.ID = c.kind, "retry", "prod", "ops", string(c.kind)+":retry@prod"
			for _, o := range c.o {
				f.Objects = append(f.Objects, o.ID)
			}
			in.Report.Findings = []report.Finding{f}
			in.World.Observations[0].Objects = c.o
			row := Make(context.Background(), in).Rows[0]
			text := strings.Join(row.Next, "\n")
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("%q is not in\n%s", w, text)
				}
			}
			if row.Action != Refuse || len(row.Reasons) != 1 || strings.Contains(text, "hunter2") {
				t.Errorf("%s %+v\n%s", row.Action, row.Reasons, text)
			}
		})
	}
}

func TestDue(t *testing.T) {
	now := time.Date(2026, 11, 25, 11, 59, 30, 0, time.UTC)
	for _, c := range []struct {
		d          specs.Dialect
		text, zone string
		want       string
	}{
		{specs.Kubernetes, "0 12 * * *", "UTC", "within the minute, at 2026-11-25T12:00:00Z"},
		{specs.Kubernetes, "5 12 * * *", "UTC", ""},
		{specs.Kubernetes, "0 13 * * *", "Europe/Berlin", "within the minute"},
		{specs.Kubernetes, "0 12 * * *", "Europe/Berlin", ""},
		{specs.Kubernetes, "0 3 * * *", "", "may be due"},
		{specs.Kubernetes, "30 3 * * *", "", "may be due"}, // half an hour from UTC
		{specs.Kubernetes, "7 3 * * *", "", ""},
		{specs.Debian, "@reboot", "", "when the scheduler starts"},
		{specs.Kubernetes, "@every 1h", "", "may run at once"},
	} {
		s, err := specs.ParseSchedule(c.d, c.text, c.zone)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(due(specs.Spec{Schedules: []specs.Schedule{s}}, now), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.text, c.zone, got, c.want)
		}
	}
}

// TestSavedPlan: a saved plan holds as long as nothing of it has moved.
func TestSavedPlan(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *bench)
		says   string
	}{
		{"nothing has moved", func(*bench) {}, ""},
		{"the ledger", func(b *bench) { b.plan.Ledger.SHA256 = "l1" }, "ledger has changed"},
		{"what it would be added to", func(b *bench) { b.shelf.before = "b1" }, "not what the plan was made from"},
		{"what would be written", func(b *bench) { b.plan.Ledger.Roles[0].Statement.Template = &specs.Document{Data: []byte("8")} }, "not what the plan was made from"},
		{"it is there", func(b *bench) { b.shelf.put("a", "a", "7") }, "not missing any more"},
		{"it cannot be seen", func(b *bench) { b.shelf.area.State = providers.Denied }, "not missing any more"},
		{"it was left out", func(b *bench) { b.plan.Roles = []string{"z"} }, "not looked at: left out"},
		{"it may not any more", func(b *bench) { b.plan.Ledger.Roles[0].Owner = "" }, "may not be created any more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, newShelf(), roleOf("a"))
			first := Make(context.Background(), b.input())
			var file bytes.Buffer
			if err := Encode(&file, first); err != nil {
				t.Fatal(err)
			}
			saved, err := Decode(&file)
			if err != nil {
				t.Fatal(err)
			}
			b.plan.Ledger.Roles = append(slices.Clone(b.plan.Ledger.Roles), roleOf("z"))
			c.change(b)
			now, err := Make(context.Background(), b.input()).Hold(saved, func(ref specs.Ref) string {
				if len(b.plan.Roles) > 0 && !slices.Contains(b.plan.Roles, ref.Role) {
					return "left out"
				}
				return ""
			})
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) || c.says == "ledger has changed" != errors.Is(err, ErrLedger) || (c.name == "it was left out") != errors.Is(err, ErrNotLooked) {
					t.Errorf("%v, want %q", err, c.says)
				}
				return
			}
			if err != nil || now.Count(Create) != 1 || codes(now.Rows[1])[0] != "not-in-plan" {
				t.Errorf("%v %+v", err, now.Rows)
			}
		})
	}
}

func seenAll(specs.Ref) string { return "" }

func TestDecodeRefuses(t *testing.T) {
	good := `{"schema":"rolecall.plan/v1","tool":{"name":"","version":""},"made_at":"2026-11-25T12:00:00Z","canonicalisation":"rc1","ledger":{"path":"","name":"","revision":0,"sha256":""},"rows":[]}`
	if _, err := Decode(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for in, says := range map[string]string{
		"":                                     "not JSON",
		"[]":                                   "not JSON",
		`{"schema":"rolecall.report/v1"}`:      "schema",
		strings.Replace(good, "rc1", "rc0", 1): "canonicalisation",
		strings.Replace(good, `"rows"`, `"lines"`, 1):     "no plan",
		strings.Replace(good, `"rows":[]`, `"rows":7`, 1): "no plan",
	} {
		if _, err := Decode(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", in, err, says)
		}
	}
}

// TestSchema holds what is written to the published schema.
func TestSchema(t *testing.T) {
	data, err := os.ReadFile("../../specs/schema/plan.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("plan.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("plan.json")
	if err != nil {
		t.Fatal(err)
	}
	noOwner := roleOf("b")
	noOwner.Owner = ""
	b := newBench(t, newShelf(), roleOf("a"), noOwner)
	in := b.input()
	p := Make(context.Background(), in)
	done, _ := applied(t, b, p, in)
	for _, x := range []Plan{p, done, {Rows: []Row{}, Refs: []Renewal{}, Schema: Schema}} {
		var out bytes.Buffer
		if err := Encode(&out, x); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(out.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":"rolecall.plan/v1","canonicalisation":"rc1","rows":[{"finding":"x","outcome":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		var now Plan
		now.Ledger.SHA256 = p.Ledger.SHA256
		if _, err := now.Hold(p, seenAll); err == nil && p.Count(Create) > 0 {
			t.Error("a plan to create holds where nothing is missing")
		}
	})
}
