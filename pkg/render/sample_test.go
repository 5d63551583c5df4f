package render_test

import (
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

var observed = time.Date(2026, 11, 2, 3, 4, 0, 0, time.UTC)

func at(file string, line int) specs.Pos { return specs.Pos{File: file, Line: line} }

func due(s string) *string { return &s }

const (
	longCommand = "/opt/shop/bin/rebuild-index --catalogue /srv/shop/catalogue --language en --language de --workers 8 --since yesterday"
	evil        = "ghost\n::warning::all clear\x1b[2J\x1b[1;32mok\x1b[0m\u202egpj.exe\x00\xff\u200b"
)

// sample has every kind of finding, and most of what a report can hold.
func sample() report.Report {
	r := report.Report{
		Tool: report.Tool{Name: "rolecall", Version: "0.1.0"}, Mode: "live", ObservedAt: observed, Canonicalisation: "rc1",
		Ledger: report.Ledger{Path: "ledger.yaml", Name: "shop", Revision: 12}, Verdict: report.Findings, ExitCode: 1, FailOn: report.GatingChange(),
		Summary: report.Summary{Roles: 14, OK: 1, NotExecuted: 1, Hung: 1, NotSucceeded: 1, Stalled: 1, Missing: 1, Duplicate: 1, Ambiguous: 1, Inactive: 1, Drift: 2, Unknown: 1, Unreviewed: 1, OutOfScope: 1, Unexpected: 2, Waived: 2, Gaps: 2, Objects: 41, Ignored: 3},
		Coverage: []report.Coverage{
			{Source: "prod", Provider: "kubernetes", Part: "namespace/batch", State: "read", Objects: 9},
			{Source: "prod", Provider: "kubernetes", Part: "namespace/night", State: "denied", Reason: `cronjobs.batch is forbidden: User "audit" cannot list resource "cronjobs" in the namespace "night"; grant list on cronjobs there`},
			{Source: "web-1", Provider: "crontab", Part: "user/deploy", State: "read", Objects: 32},
			{Source: "web-1", Provider: "crontab", Part: "file/etc/cron.d/" + evil, State: "failed", Reason: "open: permission denied; run as root"},
			{Source: "actions", Provider: "github", Part: "source", State: "out-of-scope", Reason: "it has no offline side: give it workflows: in rolecall.yaml"},
		},
	}
	role := func(name, source string, s report.State, schedule string, next *string) {
		r.Roles = append(r.Roles, report.Role{Role: name, Source: source, State: s, Owner: "web", Version: "1", Schedule: schedule, NextDue: next, Stages: report.Stages{Registered: "yes"}})
	}
	role("backup", "web-1", report.OK, "17 3 * * *", due("2026-11-02T03:17:00Z"))
	role("gate", "prod", report.State(report.Missing), "0 * * * *", due("2026-11-02T04:00:00Z"))
	role("index", "web-1", report.State(report.Drift), "@daily", due("2026-11-03T00:00:00Z"))
	role("invoice", "prod", report.State(report.Inactive), "0 6 1 * *", nil)
	role("mail", "web-1", report.State(report.Duplicate), "*/10 * * * *", due("2026-11-02T03:10:00Z"))
	role("nightly-build", "actions", report.OutOfScope, "0 2 * * 1-5", nil)
	role("prune", "web-1", report.State(report.Ambiguous), "@weekly", nil)
	role("retry", "prod", report.State(report.Drift), "*/5 * * * *", due("2026-11-02T03:05:00Z"))
	role("stock", "prod", report.State(report.Unknown), "30 4 * * *", due("2026-11-02T04:30:00Z"))
	role("tax", "prod", report.State(report.Unreviewed), "0 5 1 1 *", due("2027-01-01T05:00:00Z"))
	role("ledger-close", "web-1", report.State(report.NotExecuted), "0 1 * * *", due("2026-11-03T01:00:00Z"))
	role("report", "web-1", report.State(report.Hung), "0 2 * * *", due("2026-11-03T02:00:00Z"))
	role("settle", "web-1", report.State(report.NotSucceeded), "0 * * * *", due("2026-11-02T04:00:00Z"))
	role("sync", "web-1", report.State(report.Stalled), "*/15 * * * *", due("2026-11-02T03:15:00Z"))
	ladder := func(i int, executed, succeeded, progressed report.Stage, ages ...time.Duration) {
		x := &r.Roles[i]
		x.Stages = report.Stages{Registered: report.Yes, Executed: executed, Succeeded: succeeded, Progressed: progressed}
		for k, at := range []**int64{&x.Seen.LastStart, &x.Seen.LastSuccess, &x.Seen.LastProgress}[:len(ages)] {
			unix := observed.Add(-ages[k]).Unix()
			*at = &unix
		}
	}
	for i := range r.Roles {
		ladder(i, report.NotTracked, report.NotTracked, report.NotTracked)
	}
	r.Roles[1].Stages.Registered, r.Roles[8].Stages.Registered = report.No, report.Unseen
	r.Roles[5].Stages.Registered = report.Unseen
	ladder(0, report.Yes, report.Late, report.NotTracked, 47*time.Minute, 23*time.Hour)
	ladder(10, report.Stale, report.Stale, report.NotTracked, 74*time.Hour, 74*time.Hour)
	ladder(11, report.Yes, report.Never, report.NotTracked, 64*time.Minute)
	ladder(12, report.Yes, report.Stale, report.Unseen, 4*time.Minute, 27*time.Hour)
	ladder(13, report.Yes, report.Yes, report.Stale, 9*time.Second, 9*time.Second, 5*time.Hour)
	r.Roles[0].Seen.From = []string{"run records in /var/lib/rolecall"}
	r.Roles[12].Seen.From = []string{"run records in /var/lib/rolecall", "prometheus: " + evil}
	r.Roles[0].Cosmetic = []report.Field{{Path: "schedule", Desired: "17 3 * * *", Observed: "17 03 * * *", Cosmetic: true}}
	r.Summary.Version, r.Summary.Removed = 1, 1
	r.Gate = &report.Against{Rev: "main", Base: "3f2a1b0c4d5e6f708192a3b4c5d6e7f801234567", MergeBase: true, Changes: []report.Edit{
		{Of: "role", Name: "tax", What: "changed", Owner: "finance", Location: at("ledger.yaml", 66), BaseLocation: at("ledger.yaml", 66), Fields: []report.EditField{
			{Path: "schedule", Before: "0 4 1 1 *", After: "0 5 1 1 *", BeforeWords: "at 04:00 on 1 January", AfterWords: "at 05:00 on 1 January"},
			{Path: "env.TOKEN", Before: "***", After: "***", Masked: true},
		}},
		{Of: "role", Name: "sweep", What: "removed", Owner: "web", BaseLocation: at("ledger.yaml", 70)},
		{Of: "waiver", Name: "drift:" + evil, What: "added", Location: at("ledger.yaml", 51)},
	}}
	r.Findings = findings()
	r.Notes = []report.Note{
		{Code: "unused-waiver", Message: "the waiver of missing:gone@prod waives nothing; remove it", Location: at("ledger.yaml", 40)},
		{Code: "bad-line", Source: "web-1", Message: "a line that cron refuses: " + evil, Location: at("/var/spool/cron/crontabs/deploy", 7)},
	}
	return r
}

func findings() []report.Finding {
	next := func(k report.Kind) string { return k.Entry().NextStep }
	return []report.Finding{
		{ID: "missing:gate@prod", Kind: report.Missing, Role: "gate", Source: "prod", Owner: "payments-oncall", Message: "no CronJob of the role is in the namespaces that were read", NextStep: next(report.Missing), Location: at("ledger.yaml", 22), Hints: []string{"it may have moved: crontab:web-1/deploy#gate at /var/spool/cron/crontabs/deploy:12"}},
		{ID: "drift:index@web-1", Kind: report.Drift, Role: "index", Source: "web-1", Owner: "web", Reason: "edited-without-version", Message: "crontab:web-1/deploy#index at /var/spool/cron/crontabs/deploy:3 was changed and its version was not", NextStep: next(report.Drift), Location: at("ledger.yaml", 31), ObservedAt: at("/var/spool/cron/crontabs/deploy", 3),
			Fields: []report.Field{
				{Path: "command", Desired: longCommand, Observed: longCommand + " --force"},
				{Path: "stdin", Desired: "yes\nno\n", Observed: "yes\n\x1b[31mno"},
				{Path: "env.PATH", Desired: "(not set)", Observed: "/opt/shop/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
			},
			Waiver: &report.Waiver{Reason: "trial of a later hour, CHG-1182", Owner: "web", Until: "2026-10-24", Ended: true, Pos: at("ledger.yaml", 51)}},
		{ID: "inactive:invoice@prod", Kind: report.Inactive, Role: "invoice", Source: "prod", Owner: "finance", Reason: "suspended", Message: "kubernetes:prod/batch/invoice: suspended", NextStep: next(report.Inactive), Location: at("ledger.yaml", 35), ChangedBy: &report.Change{Who: "kubectl-patch", When: observed.Add(-26 * time.Hour), Evidence: "managedFields"}},
		{ID: "duplicate:mail@web-1", Kind: report.Duplicate, Role: "mail", Source: "web-1", Message: "2 objects play the role", Objects: []string{"crontab:web-1/deploy#mail", "crontab:web-1/etc/cron.d/mail#mail"}, NextStep: next(report.Duplicate), Location: at("ledger.yaml", 38),
			Waiver: &report.Waiver{Reason: "both until the move is over", Owner: "web", Until: "2026-12-24", Pos: at("ledger.yaml", 55)}},
		{ID: "ambiguous:prune@web-1", Kind: report.Ambiguous, Role: "prune", Source: "web-1", Message: "crontab:web-1/root#5d1c22aa is claimed by prune and sweep", NextStep: next(report.Ambiguous), Location: at("ledger.yaml", 44)},
		{ID: "drift:retry@prod", Kind: report.Drift, Role: "retry", Source: "prod", Owner: "payments-oncall", Reason: "edited-without-version", Objects: []string{"kubernetes:prod/batch/retry"}, Message: "kubernetes:prod/batch/retry was changed and its version was not", NextStep: next(report.Drift), Location: at("ledger.yaml", 14), AtBase: report.AtBasePresent, ChangedBy: &report.Change{Who: "kubectl-edit", When: observed.Add(-9 * time.Hour), Evidence: "managedFields"},
			Fields: []report.Field{
				{Path: "schedule", Desired: "*/5 * * * *", Observed: "*/10 * * * *"},
				{Path: "jobTemplate.spec.template.spec.containers[main].env[DB_PASSWORD].value", Desired: "***", Observed: "***", Masked: true},
				{Path: "jobTemplate.spec.template.spec.containers[main].image", Desired: "registry.example/shop/retry:7", Observed: "registry.example/shop/retry:8"},
			}},
		{ID: "unknown:stock@prod", Kind: report.Unknown, Role: "stock", Source: "prod", Message: "not found, and namespace/night could not be read: denied", NextStep: next(report.Unknown), Location: at("ledger.yaml", 60)},
		{ID: "unreviewed:tax@prod", Kind: report.Unreviewed, Role: "tax", Source: "prod", Message: "review: pending", NextStep: next(report.Unreviewed), Location: at("ledger.yaml", 66)},
		{ID: "unexpected:crontab:web-1/root#5d1c22ab", Kind: report.Unexpected, Source: "web-1", Reason: "no-role", Message: "crontab:web-1/root#5d1c22ab at /etc/crontab:20 plays no role of the ledger", NextStep: next(report.Unexpected), Location: at("/etc/crontab", 20), ObservedAt: at("/etc/crontab", 20)},
		{ID: "unexpected:kubernetes:prod/batch/ghost-light", Kind: report.Unexpected, Source: "prod", Reason: "invalid-marker", Marked: true, Message: "kubernetes:prod/batch/ghost-light carries a marker that cannot be the key of a role: " + evil, NextStep: next(report.Unexpected)},
		{ID: "version:tax@prod", Kind: report.Version, Role: "tax", Source: "prod", Reason: "not-raised", Message: "the schedule of the role is another one, and its version is still 1", NextStep: next(report.Version), Location: at("ledger.yaml", 67), AtBase: report.AtBaseAbsent},
		{ID: "removed:sweep@web-1", Kind: report.Removed, Role: "sweep", Source: "web-1", Owner: "web", Reason: "role-removed", Message: "the change takes role sweep out of the ledger; it stood at ledger.yaml:70 in main", NextStep: next(report.Removed), Location: at("ledger.yaml", 69), AtBase: report.AtBaseAbsent},
		{ID: "not-executed:ledger-close@web-1", Kind: report.NotExecuted, Role: "ledger-close", Source: "web-1", Owner: "finance", Reason: "stopped", Objects: []string{"crontab:web-1/deploy#ledger-close"}, Message: "no start since 2026-10-30T01:04:00Z (run records in /var/lib/rolecall), and 3 due instants have passed, the last at 2026-11-02T01:00:00Z", NextStep: "look whether the daemon runs and its log names the line", Location: at("ledger.yaml", 80)},
		{ID: "hung:report@web-1", Kind: report.Hung, Role: "report", Source: "web-1", Message: "run 7f3a has gone on since 2026-11-02T02:00:00Z, for longer than its 30m", Hints: []string{"its last line was: " + evil}, NextStep: next(report.Hung), Location: at("ledger.yaml", 84)},
		{ID: "not-succeeded:settle@web-1", Kind: report.NotSucceeded, Role: "settle", Source: "web-1", Reason: "stopped-succeeding", Message: "no success since 2026-11-01T00:04:00Z", NextStep: next(report.NotSucceeded), Location: at("ledger.yaml", 88), AtBase: report.AtBasePresent},
		{ID: "stalled:sync@web-1", Kind: report.Stalled, Role: "sync", Source: "web-1", Reason: "no-progress", Message: "no progress since 2026-11-01T22:04:00Z", NextStep: next(report.Stalled), Location: at("ledger.yaml", 92),
			Waiver: &report.Waiver{Reason: "no orders on Sunday", Owner: "web", Until: "2026-11-03", Pos: at("ledger.yaml", 59)}},
	}
}

// clean is a complete audit in which nothing was found.
func clean() report.Report {
	return report.Report{
		Mode: "offline", ObservedAt: observed, Ledger: report.Ledger{Path: "ledger.yaml"}, Verdict: report.Clean, Complete: true,
		Summary:  report.Summary{Roles: 2, OK: 2, Objects: 5},
		Coverage: []report.Coverage{{Source: "web-1", Provider: "crontab", Part: "file/ops/web-1.crontab", State: "read", Objects: 5}},
		Roles:    []report.Role{{Role: "a", Source: "web-1", State: report.OK}, {Role: "b", Source: "web-1", State: report.OK}},
	}
}
