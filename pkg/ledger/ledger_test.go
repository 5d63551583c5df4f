package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

func ptr[T any](v T) *T { return &v }

func TestEveryFieldIsRead(t *testing.T) {
	l, warnings, err := parse(t, filepath.Join(folder, "ok", "everything.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(filepath.Join(folder, "ok", "roles", "retry.cronjob.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	hash, err := specs.ParseHash("rc1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
	if err != nil {
		t.Fatal(err)
	}
	want := []specs.Role{
		{
			Key: "retry", Owner: "payments-oncall", Purpose: "Re-send payments that the gateway refused.", Sources: []string{"prod"}, Version: "7",
			Statement:     specs.Statement{Template: &specs.Document{Name: "roles/retry.cronjob.yaml", Data: template}},
			Match:         specs.Match{Keys: map[string]string{"namespace": "batch", "name": "retry"}, Labels: map[string]string{"app": "retry", "tier": "1", "empty": ""}},
			PreviousRoles: []string{"retry-worker", "7"},
			Remembered:    specs.Remembered{UID: "5d1c", Seen: time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)},
			Ignore: []specs.Ignore{
				{Field: "jobTemplate.spec.template.metadata.annotations.*", Reason: "mesh injects them"},
				{Field: `jobTemplate.spec.template.metadata.labels["mesh.example/rev"]`, Reason: "the same"},
				{Pointer: "/spec/jobTemplate/spec/template/spec/containers/mesh-proxy", Reason: "the same"},
				{Manager: "quota-*", Reason: "it sets limits"},
			},
		},
		{
			Key: "rotate-logs", Owner: "web", Sources: []string{"web-1", "web-2"}, Version: "1.10", Pending: true,
			PausedUntil: time.Date(2027, 1, 11, 0, 0, 0, 0, time.UTC),
			Statement: specs.Statement{
				Schedule: []string{"17 3 * * *", "@reboot"}, TimeZone: ptr("Europe/Berlin"), User: ptr("deploy"), Command: ptr("/opt/shop/rotate-logs"),
				Stdin: ptr(""), Env: map[string]string{"PATH": "/bin", "DEBUG": "1", "EMPTY": ""},
			},
		},
		{
			Key: "nightly-build", Owner: "ci", Sources: []string{"actions"}, Version: "010", Suspended: true,
			Match:     specs.Match{Keys: map[string]string{"repo": "acme/shop", "workflow": ".github/workflows/nightly.yml", "cron": "0 2 * * 1-5"}},
			Statement: specs.Statement{Schedule: []string{"0 2 * * 1-5"}, Workflow: ".github/workflows/nightly.yml"},
		},
		{
			Key: "by-hand", Sources: []string{"prod"},
			Statement: specs.Statement{Schedule: []string{"never"}, TimeZone: ptr("local"), ConcurrencyPolicy: ptr("Forbid"), StartingDeadlineSeconds: ptr(int64(0))},
		},
		{
			Key: "pinned", Sources: []string{"web-1"},
			Match:     specs.Match{Keys: map[string]string{"user": "deploy", "command": "/opt/pinned*", "file": "/etc/cron.d/pinned", "schedule": "1 1 * * *"}},
			Statement: specs.Statement{Hash: hash, Schedule: []string{"1 1 * * *"}},
		},
	}
	options := cmp.Options{cmpopts.IgnoreTypes(specs.Pos{}), cmpopts.IgnoreFields(specs.Statement{}, "Fields"), cmpopts.EquateEmpty(), cmp.Comparer(func(a, b specs.Hash) bool { return a == b })}
	if diff := cmp.Diff(want, l.Roles, options); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	shared := []specs.Ignore{
		{Source: "prod", Field: "**.terminationMessagePath", Reason: "a policy sets it"},
		{Source: "web-?", Field: "env.LANG", Reason: "each host has its own"},
		{Source: "*", Manager: "mesh-injector", Reason: "the mesh is not ours"},
	}
	if diff := cmp.Diff(shared, l.Ignore, options); diff != "" {
		t.Errorf("rules of sources (-want +got):\n%s", diff)
	}
	waivers := []ledger.Waiver{
		{Finding: "drift:rotate-logs@web-1", Reason: "trial of a later hour, CHG-1182", Owner: "web", Until: time.Date(2026, 12, 25, 0, 0, 0, 0, time.UTC), UntilText: "2026-12-24"},
		{Finding: "unexpected:crontab:web-1/root#ab12cd34", Reason: "until the move", Until: time.Date(2027, 1, 10, 8, 0, 0, 0, time.UTC), UntilText: "2027-01-10T09:00:00+01:00"},
	}
	if diff := cmp.Diff(waivers, l.Waivers, options); diff != "" {
		t.Errorf("waivers (-want +got):\n%s", diff)
	}
	if l.Name != "shop" || l.Revision != 12 || l.Path != "everything.yaml" || len(l.SHA256) != 64 {
		t.Errorf("name %q, revision %d, path %q, sum %q", l.Name, l.Revision, l.Path, l.SHA256)
	}
	places := map[string]specs.Pos{
		"role":     l.Roles[1].Pos,
		"spec":     l.Roles[1].Statement.Pos,
		"schedule": l.Roles[1].Statement.PlaceOr("schedule"),
		"env.PATH": l.Roles[1].Statement.PlaceOr("env.PATH"),
		"match":    l.Roles[2].Match.Pos,
		"rule":     l.Roles[0].Ignore[2].Pos,
		"shared":   l.Ignore[1].Pos,
		"waiver":   l.Waivers[1].Pos,
	}
	for what, want := range map[string]string{"role": "23:3", "spec": "30:7", "schedule": "30:7", "env.PATH": "35:13", "match": "41:12", "rule": "21:9", "shared": "53:5", "waiver": "61:5"} {
		if got := places[what].String(); got != "everything.yaml:"+want {
			t.Errorf("%s stands at %s, want %s", what, got, want)
		}
	}
	var said []string
	for _, w := range warnings {
		said = append(said, w.String())
	}
	for _, want := range []string{"everything.yaml:43:3: role by-hand has no owner", "role by-hand has no version", "role pinned has no owner", "everything.yaml:61:5: the waiver for \"unexpected:crontab:web-1/root#ab12cd34\" has no owner"} {
		if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("no warning says %q: %q", want, said)
		}
	}
}

// What a rule cannot do, or does more than is meant, is said before an audit.
func TestRulesThatAreNotMeantSo(t *testing.T) {
	const head = "ledger: rolecall/v1\nroles:\n  a: {owner: o, version: 1, source: prod, spec: {schedule: \"* * * * *\"}, ignore: ["
	pinned := "  p: {owner: o, version: 1, source: prod, spec: {schedule: \"* * * * *\", hash: rc1:" + strings.Repeat("0", 64) + "}}\n"
	for _, c := range []struct{ text, want string }{
		{head + "{field: jobTemplate, reason: r}]}\n", "l:3:91: role a ignores the field \"jobTemplate\", so that nothing of jobTemplate.spec.template.spec.containers is compared; name what does not count of it"},
		{head + "{field: \"jobTemplate.**\", reason: r}]}\n", "so that nothing of jobTemplate.spec.template.spec.containers is compared"},
		{head + "{field: \"**.containers\", reason: r}]}\n", "so that nothing of jobTemplate.spec.template.spec.containers is compared"},
		{head + "{field: \"**.containers[main].image\", reason: r}]}\n", ""},
		{head + "]}\nignore: [{source: prdo, field: a, reason: r}]\n", "the ledger ignores the field a in the source \"prdo\", in which it has no role; did you mean `prod`?"},
		{head + "]}\n" + pinned + "ignore: [{source: prod, pointer: /spec/a, reason: r}]\n", "the ledger ignores the pointer /spec/a without effect on what pins a hash, of which no field is known: p"},
	} {
		_, warnings, err := ledger.Parse("l", []byte(c.text), nil)
		got := ""
		for _, w := range warnings {
			if !strings.Contains(w.String(), "pins a hash without") {
				got += w.String()
			}
		}
		if err != nil || !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s\n%v, %q; want %q", c.text, err, got, c.want)
		}
	}
}

func TestTemplateIsNamedFromTheWorkingDirectory(t *testing.T) {
	read := 0
	data := "ledger: rolecall/v1\nroles:\n  a: {source: s, spec: {template: ./roles/../a.yaml}}\n  b: {source: s, spec: {template: a.yaml}}\n"
	l, _, err := ledger.Parse("desired/ledger.yaml", []byte(data), func(rel string) ([]byte, error) {
		read++
		if rel != "a.yaml" {
			t.Errorf("asked for %q", rel)
		}
		return []byte("x"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Roles[0].Statement.Template.Name; got != "desired/a.yaml" {
		t.Errorf("the template is named %q", got)
	}
	if read != 1 {
		t.Errorf("one file was read %d times", read)
	}
	if _, _, err := ledger.Parse("ledger.yaml", []byte(data), nil); err == nil {
		t.Error("without a reader the templates are silently empty")
	}
}

func TestCheckSources(t *testing.T) {
	l, _, err := parse(t, filepath.Join(folder, "ok", "everything.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.CheckSources([]string{"prod", "web-1", "web-2", "actions", "more"}); err != nil {
		t.Errorf("all are known: %v", err)
	}
	err = l.CheckSources([]string{"prod", "web-1", "web2"})
	want := "everything.yaml:25:22: role rotate-logs is to be looked for in the source \"web-2\", which the config does not have; did you mean `web2`?\n" +
		"everything.yaml:38:13: role nightly-build is to be looked for in the source \"actions\", which the config does not have; there are prod, web-1, web2\n" +
		"correct the ledger, or add the source to the config"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]string{
		"2026-12-24":                  "2026-12-25T00:00:00Z",
		"2028-02-28":                  "2028-02-29T00:00:00Z",
		"2026-12-31":                  "2027-01-01T00:00:00Z",
		"2026-12-24T09:00:00Z":        "2026-12-24T09:00:00Z",
		"2026-12-24T09:00:00+02:00":   "2026-12-24T07:00:00Z",
		"2026-12-24T23:59:59.5-00:30": "2026-12-25T00:29:59.5Z",
		"2026-02-29":                  "",
		"2026-12-24 09:00:00":         "",
		"24.12.2026":                  "",
		"":                            "",
		"2026-12-24T09:00":            "",
	} {
		got, err := ledger.ParseUntil(text)
		if want == "" {
			if err == nil {
				t.Errorf("%q is taken for %s", text, got)
			}
			continue
		}
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %s (%v), want %s", text, got.Format(time.RFC3339Nano), err, want)
		}
	}
}

// TestEveryKindIsWaivableOrNot holds the waivers to the kinds that there are.
func TestEveryKindIsWaivableOrNot(t *testing.T) {
	for _, e := range report.Catalogue() {
		data := fmt.Sprintf("ledger: rolecall/v1\nwaivers:\n  - {finding: \"%s:a@b\", reason: r, owner: o, until: 2027-01-01}\n", e.Kind)
		_, _, err := ledger.Parse("ledger.yaml", []byte(data), nil)
		refused := e.Kind == report.Unknown || e.Kind == report.Unreviewed
		if (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "cannot be waived") {
			t.Errorf("%s: %v", e.Kind, err)
		}
	}
}

func TestErrorsHoldTheirPlaces(t *testing.T) {
	_, _, err := parse(t, filepath.Join(folder, "err", "many.yaml"))
	var f *strict.Failure
	if !errors.As(err, &f) || len(f.Errors) != 3 || f.Errors[2].Pos != (specs.Pos{File: "many.yaml", Line: 11, Column: 12}) {
		t.Errorf("errors %+v", f)
	}
}

func TestNoSecretInErrors(t *testing.T) {
	data := "ledger: rolecall/v1\nroles:\n  a:\n    source: s\n    spec: {schedule: 1 1 1 1 1, command: [hunter2], stdin: {hunter2: 1}, env: {TOKEN: [hunter2], OTHER: !x hunter2}}\n"
	_, _, err := ledger.Parse("ledger.yaml", []byte(data), nil)
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v", err)
	}
}

// big is a ledger of n roles.
func big(n int) []byte {
	var b strings.Builder
	b.WriteString("ledger: rolecall/v1\nname: big\nroles:\n")
	for i := range n {
		fmt.Fprintf(&b, "  role-%05d:\n    owner: team-%d\n    purpose: Keep the lamp number %d burning through the night.\n    source: prod\n    version: \"%d\"\n    spec:\n      schedule: \"%d %d * * *\"\n      user: deploy\n      command: /opt/shop/lamp --number %d --bright --until-morning\n    match: {user: deploy, command: \"/opt/shop/lamp --number %d *\"}\n    previous_roles: [old-%05d]\n    ref: {uid: 5d1c-%d, seen: 2026-11-01T09:00:00Z}\n", i, i%40, i, i%9, i%60, i%24, i, i, i, i)
	}
	return []byte(b.String())
}

func TestManyRoles(t *testing.T) {
	l, _, err := ledger.Parse("ledger.yaml", big(10000), nil)
	if err != nil || len(l.Roles) != 10000 || l.Roles[9999].Key != "role-09999" {
		t.Fatalf("%d roles, error %v", len(l.Roles), err)
	}
}

func BenchmarkParse(b *testing.B) {
	data := big(10000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ledger.Parse("ledger.yaml", data, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, kind := range []string{"ok", "err"} {
		names, _ := filepath.Glob(filepath.Join(folder, kind, "*.yaml"))
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _, err := ledger.Parse("ledger.yaml", data, func(rel string) ([]byte, error) {
			if !filepath.IsLocal(rel) {
				t.Fatalf("asked for %q", rel)
			}
			return nil, nil
		})
		if err == nil {
			return
		}
		var failure *strict.Failure
		if !errors.As(err, &failure) || len(failure.Errors) == 0 {
			t.Fatalf("an error without a place: %v", err)
		}
		if strings.ContainsFunc(strings.ReplaceAll(err.Error(), "\n", ""), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("a control character in %q", err)
		}
	})
}
