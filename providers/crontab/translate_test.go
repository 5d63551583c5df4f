package crontab

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

var _ providers.Translator = (*Provider)(nil)

func ptr(s string) *string { return &s }

func provider(t *testing.T, cfg Config) *Provider {
	t.Helper()
	p, err := New(host(nil), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var (
	offlineUser  = Config{Dialect: specs.Debian, Files: []File{{Path: "ops/a.crontab"}}}
	offlineNamed = Config{Dialect: specs.Debian, Files: []File{{Path: "ops/a.crontab", User: "deploy"}}}
	offlineCronD = Config{Dialect: specs.Debian, Files: []File{{Path: "ops/cron.d/*"}}}
	liveUser     = Config{Dialect: specs.Debian, Live: true, Users: []string{"deploy"}}
	liveBoth     = Config{Dialect: specs.Debian, Live: true, Users: []string{"deploy"}, System: true}
)

func TestInline(t *testing.T) {
	p := provider(t, Config{Dialect: specs.Debian, Files: []File{{Path: "x", User: "deploy"}}, Zone: "Europe/Berlin"})
	d, err := p.Translate(specs.Statement{Schedule: []string{" 5  4 * * 1-5 "}, Command: ptr("/opt/a 100%"), User: ptr("deploy"), Env: map[string]string{"PATH": "/bin", "TOKEN": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Stated, " "); got != "command env.PATH env.TOKEN stdin user" {
		t.Errorf("stated %s", got)
	}
	if d.Spec.Zones() != "Europe/Berlin" || d.Spec.Body.Get("command").Text != "/opt/a 100%" || d.Spec.Body.Get("stdin").Kind != specs.Absent {
		t.Errorf("%+v", d.Spec)
	}
	o := readText(t, specs.Debian, "", "PATH=/bin\nTOKEN=x\n5 4 * * Mon-Fri /opt/a 100\\%\n").Objects[0]
	env := o.Spec.With(specs.Member{Key: "env", Value: o.Env.Value()}, specs.Member{Key: "user", Value: specs.NewText("deploy")})
	diff := specs.Diff(d.Spec, env.Project(d.Stated))
	if len(diff) != 1 || diff[0].Path != "time_zone" {
		t.Errorf("%+v", diff)
	}
}

func TestInlineStdin(t *testing.T) {
	p := provider(t, offlineUser)
	d, err := p.Translate(specs.Statement{Schedule: []string{"@daily"}, Command: ptr("/opt/mail"), Stdin: ptr("Dues\nare due\n")})
	if err != nil {
		t.Fatal(err)
	}
	o := readText(t, specs.Debian, "", "0 0 * * * /opt/mail%Dues%are due\n").Objects[0]
	if diff := specs.Diff(d.Spec, o.Spec.Project(d.Stated)); len(diff) != 0 {
		t.Errorf("%+v", diff)
	}
}

func TestNever(t *testing.T) {
	d, err := provider(t, offlineUser).Translate(specs.Statement{Schedule: []string{"never"}, Command: ptr("x")})
	if err != nil || !d.Never || !d.Spec.NeverFires() {
		t.Errorf("%+v %v", d, err)
	}
}

func TestPinned(t *testing.T) {
	h, err := specs.ParseHash("rc1:" + strings.Repeat("ab", 32))
	if err != nil {
		t.Fatal(err)
	}
	for _, schedule := range [][]string{nil, {"@daily"}} {
		d, err := provider(t, offlineUser).Translate(specs.Statement{Hash: h, Schedule: schedule})
		if err != nil || d.Pinned != h || d.Partial() {
			t.Errorf("%+v %v", d, err)
		}
	}
}

// A user counts where the source knows whose each entry is.
func TestUserIsComparedWhereItIsKnown(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		want bool
	}{
		"nobody's file": {offlineUser, false}, "a user's file": {offlineNamed, true}, "cron.d": {offlineCronD, true}, "live": {liveUser, true},
	} {
		d, err := provider(t, c.cfg).Translate(specs.Statement{Schedule: []string{"@daily"}, User: ptr("deploy")})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(d.Stated, " "), "user"); got != c.want || (d.Spec.Body.Get("user").Kind == specs.Text) != c.want {
			t.Errorf("%s: %v %+v", name, d.Stated, d.Spec.Body)
		}
	}
}

func TestTemplate(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		cfg              Config
		user, command    string
		partial          bool
	}{
		{"a user's", "roles/a.crontab", "PATH=/opt/bin\n# rolecall: role=a\n5 4 * * * root x\n", offlineUser, "", "root x", false},
		{"no newline", "roles/a.crontab", "5 4 * * * x", offlineUser, "", "x", false},
		{"of users that are known", "roles/a.crontab", "5 4 * * * x\n", offlineNamed, "", "x", true},
		{"of cron.d", "roles/a.crontab", "5 4 * * * deploy x\n", offlineCronD, "deploy", "x", false},
		{"beside cron.d", "roles/cron.d/a", "5 4 * * * deploy x\n", liveBoth, "deploy", "x", false},
		{"of both, by its user", "roles/a", "5 4 * * * deploy x\n", liveBoth, "deploy", "x", false},
		{"of both, without a user", "roles/a", "5 4 * * * x y\n", liveBoth, "", "x y", true},
		{"live", "roles/a", "5 4 * * * deploy x\n", liveUser, "", "deploy x", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := provider(t, c.cfg).Translate(specs.Statement{Template: &specs.Document{Name: c.file, Data: []byte(c.text)}})
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Spec.Body.Get("command").Text; got != c.command {
				t.Errorf("command %q", got)
			}
			if got := d.Spec.Body.Get("user").Text; got != c.user {
				t.Errorf("user %q", got)
			}
			if d.Partial() != c.partial {
				t.Errorf("stated %v", d.Stated)
			}
		})
	}
	d, err := provider(t, offlineUser).Translate(specs.Statement{Template: &specs.Document{Name: "a", Data: []byte("PATH=/a\n5 4 * * * x%y\n")}})
	if err != nil {
		t.Fatal(err)
	}
	o := readText(t, specs.Debian, "", "PATH=/a\n5  4 * * * x%y%\n").Objects[0]
	if d.Spec.Hash() != o.Spec.Hash() {
		t.Errorf("%+v", specs.Diff(d.Spec, o.Spec))
	}
}

func TestTranslateErrors(t *testing.T) {
	seconds := int64(5)
	pos := specs.Pos{File: "ledger.yaml", Line: 9}
	var fields []specs.StatedField
	for i, f := range []string{"schedule", "time_zone", "workflow", "concurrency_policy", "starting_deadline_seconds"} {
		fields = append(fields, specs.StatedField{Name: f, Pos: specs.Pos{File: "ledger.yaml", Line: 20 + i}})
	}
	template := func(text string) specs.Statement {
		return specs.Statement{Template: &specs.Document{Name: "roles/a", Data: []byte(text)}}
	}
	daily := []string{"@daily"}
	for name, c := range map[string]struct {
		st   specs.Statement
		want string
	}{
		"no schedule":    {specs.Statement{}, "ledger.yaml:9:"},
		"two schedules":  {specs.Statement{Schedule: []string{"@daily", "@weekly"}}, "ledger.yaml:20:"},
		"bad schedule":   {specs.Statement{Schedule: []string{"61 * * * *"}}, "ledger.yaml:20:"},
		"bad zone":       {specs.Statement{Schedule: daily, TimeZone: ptr("Mars/Base")}, "ledger.yaml:21:"},
		"workflow":       {specs.Statement{Schedule: daily, Workflow: "x.yml"}, "ledger.yaml:22: workflow"},
		"concurrency":    {specs.Statement{Schedule: daily, ConcurrencyPolicy: ptr("Forbid")}, "ledger.yaml:23: concurrency_policy"},
		"deadline":       {specs.Statement{Schedule: daily, StartingDeadlineSeconds: &seconds}, "ledger.yaml:24: starting_deadline_seconds"},
		"empty template": {template(""), "roles/a: there is no entry"},
		"comments alone": {template("# x\nA=b\n"), "roles/a: there is no entry"},
		"two entries":    {template("@daily x\n\n@daily y\n"), "roles/a:3:"},
		"bad line":       {template("A=b\n61 * * * * x\n@daily y\n"), "roles/a:2:"},
	} {
		c.st.Pos, c.st.Fields = pos, fields
		_, err := provider(t, offlineUser).Translate(c.st)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a template states of the environment is compared by the same means as
// what fields state; what only the table sets is not.
func TestTemplateEnvironment(t *testing.T) {
	const entry = "5 4 * * * /opt/a\n"
	for _, c := range []struct{ name, template, table, want string }{
		{"the same", "DB=postgres://prod\n", "DB=postgres://prod\n", ""},
		{"another value", "DB=postgres://prod\n", "DB=postgres://staging\n", "env.DB"},
		{"lost", "DB=postgres://prod\n", "", "env.DB"},
		{"below the entry", "DB=prod\n", "\x00DB=prod\n", "env.DB"},
		{"of other entries", "", "DB=postgres://prod\n", ""},
		{"of other entries, beside", "DB=prod\n", "DB=prod\nLOG=/var/log\n", ""},
		{"beside the known three", "DB=prod\nHOME=/srv\n", "DB=prod\nPATH=/opt/bin\n", "env.HOME env.PATH"},
		{"a dollar is no variable", "A=$HOME/x\n", "A=/root/x\n", "env.A"},
		{"mail", "MAILTO=a\nMAILFROM=b\nCONTENT_TYPE=c\nCONTENT_TRANSFER_ENCODING=d\n", "MAILTO=z\n", ""},
		{"zones", "TZ=UTC\nCRON_TZ=UTC\n", "", ""},
		{"quoted alike", "DB=prod\n", "DB = \"prod\"\n", ""},
		{"a name with a dot", "a.b=1\n", "a.b=2\n", "env[\"a.b\"]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := provider(t, offlineUser).Translate(specs.Statement{Template: &specs.Document{Name: "a", Data: []byte(c.template + entry)}})
			if err != nil {
				t.Fatal(err)
			}
			above, below, _ := strings.Cut(c.table, "\x00")
			o := readText(t, specs.Debian, "", above+entry+below).Objects[0]
			if got := driftOf(d, o); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// driftOf is what an audit compares.
func driftOf(d specs.Desired, o providers.Object) string {
	seen := o.Spec
	if d.Partial() {
		if o.Env != "" {
			seen = seen.With(specs.Member{Key: "env", Value: o.Env.Value()})
		}
		seen = seen.Project(d.Stated)
	}
	var paths []string
	for _, diff := range specs.Diff(d.Spec, seen) {
		paths = append(paths, diff.Path)
	}
	return strings.Join(paths, " ")
}
