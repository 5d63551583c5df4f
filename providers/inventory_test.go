package providers_test

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

const secret = "hunter2-hunter2"

// hide is a mask as a redactor would be: it knows one secret.
func hide(s string) string { return strings.ReplaceAll(s, secret, "[hidden]") }

func schedule(t testing.TB, d specs.Dialect, text, zone string) specs.Schedule {
	t.Helper()
	s, err := specs.ParseSchedule(d, text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sample holds one object of each provider and every kind of value.
func sample(t testing.TB) providers.Inventory {
	when := time.Date(2026, 11, 1, 9, 30, 0, 0, time.UTC)
	every5 := schedule(t, specs.GitHub, "*/5 * * * *", "UTC")
	cron := providers.Object{
		ID: "crontab:web-1/deploy#retry", Origin: &providers.Origin{Source: "web-1", Provider: "crontab", Part: "user/deploy"},
		Pos:    specs.Pos{File: "/var/spool/cron/crontabs/deploy", Line: 7, Column: 1},
		Marked: &providers.Marker{Role: "retry", Version: "1.10", Pos: specs.Pos{File: "/var/spool/cron/crontabs/deploy", Line: 6}},
		Attrs:  providers.AttrsOf(map[string]string{"user": "deploy", "command": "/opt/retry --password=" + secret, "file": "/var/spool/cron/crontabs/deploy"}),
		Spec: specs.Spec{
			Schedules: []specs.Schedule{schedule(t, specs.Debian, "17 3 * * *", "Europe/Berlin")},
			Body: specs.Pack(specs.NewMap(
				specs.Member{Key: "command", Value: specs.NewText("/opt/retry --password=" + secret)},
				specs.Member{Key: "user", Value: specs.NewText("deploy")},
				specs.Member{Key: "env", Value: specs.NewMap(specs.Member{Key: "PATH", Value: specs.NewSecret("/bin:/usr/bin")})},
			)),
		},
		Env:  specs.Pack(specs.NewMap(specs.Member{Key: "TOKEN", Value: specs.NewSecret(secret)})),
		More: &providers.More{Changes: []providers.Change{{Who: "deploy", When: when, Evidence: "file", Paths: []string{"command"}}}},
	}
	bad := providers.Object{
		ID: "crontab:web-1/root#sweep", Origin: &providers.Origin{Source: "web-1", Provider: "crontab", Part: "file//etc/crontab"},
		Marked: &providers.Marker{Invalid: "sweep\x1b[31m", Pos: specs.Pos{File: "/etc/crontab", Line: 1}}, Opaque: true,
		Spec: specs.Spec{Schedules: []specs.Schedule{{Text: "61 * * " + secret, Zone: specs.Local, Dialect: specs.Debian}}},
		More: &providers.More{Inactive: []providers.Inactive{{Code: "invalid-line", Detail: "bad minute near " + secret, Next: "correct the line"}}},
	}
	workflow := providers.Object{
		ID: "github:actions/acme/shop/.github/workflows/a.yml", Origin: &providers.Origin{Source: "actions", Provider: "github", Part: "repo/acme/shop"},
		Attrs: providers.AttrsOf(map[string]string{"repo": "acme/shop", "workflow": ".github/workflows/a.yml"}),
		Spec: specs.Spec{
			Schedules: []specs.Schedule{every5},
			Body: specs.Pack(specs.NewMap(
				specs.Member{Key: "jobs", Value: specs.NewKeyed(specs.Member{Key: "build", Value: specs.NewList(specs.NewText("a"), specs.NewInt(7), specs.NewNumber(1e21), specs.NewBool(true), specs.NewBool(false), specs.Value{Kind: specs.Null}, specs.NewMap(), specs.NewList())})},
				specs.Member{Key: "bytes\xff", Value: specs.NewText("\xfe\x00é")},
			)),
			Cosmetic: specs.Pack(specs.NewMap(specs.Member{Key: "name", Value: specs.NewText("Nightly")})),
		},
		More: &providers.More{Entries: []providers.Entry{{Text: "*/5 * * * *", Schedule: every5, Pos: specs.Pos{File: "a.yml", Line: 4}}}},
	}
	cluster := providers.Object{
		ID: "kubernetes:prod/batch/retry", Origin: &providers.Origin{Source: "prod", Provider: "kubernetes", Part: "namespace/batch"},
		Attrs: providers.AttrsOf(map[string]string{"namespace": "batch", "name": "retry"}),
		Spec:  specs.Spec{Schedules: []specs.Schedule{schedule(t, specs.Kubernetes, "0 0 31 2 *", "")}, Body: specs.Pack(specs.NewMap(specs.Member{Key: "suspend", Value: specs.NewBool(false)}))},
		More: &providers.More{Labels: map[string]string{"app": "retry", "token": secret},
			Inactive: []providers.Inactive{{Code: "suspended", Detail: "spec.suspend is true"}},
			UID:      "5d1c", Created: when, Runs: &providers.Evidence{
				Executed: providers.Trace{State: providers.Known, Last: when.Add(time.Hour), From: "status.lastScheduleTime"}, Succeeded: providers.Trace{State: providers.Unreadable, Reason: "no"},
				Since: when, Running: []providers.Running{{ID: "retry-1", Start: when}, {ID: "retry-2", Start: when, Gone: true}}, Failed: &providers.Failure{"retry-0", when, "BackoffLimitExceeded"}, Hints: []string{"look"},
			}},
	}
	return providers.Inventory{Tool: "rolecall 1.0", ObservedAt: when, Observations: []providers.Observation{
		{Source: "actions", Provider: "github", Objects: []providers.Object{workflow}, Areas: []providers.Area{{Part: "repo/acme/shop", State: providers.Read}}, Requests: 3},
		{Source: "prod", Provider: "kubernetes", Objects: []providers.Object{cluster}, Areas: []providers.Area{{Part: "namespace/batch", State: providers.Partial, Reason: "broke off; ask again"}}},
		{Source: "web-1", Provider: "crontab", Objects: []providers.Object{cron, bad},
			Areas:    []providers.Area{{Part: "file//etc/crontab", State: providers.Read}, {Part: "user/deploy", State: providers.Read}},
			Runs:     map[string]providers.Evidence{"": {Executed: providers.Trace{State: providers.Known}}},
			Accounts: map[string]map[string]providers.Evidence{"deploy": {"retry": {Succeeded: providers.Trace{State: providers.Known, Last: when}}, "": {Since: when}}},
			Notes:    []providers.Note{{Code: "bad-line", Message: "line 3: " + secret, Pos: specs.Pos{File: "/etc/crontab", Line: 3}}}},
	}}
}

func encode(t testing.TB, inv providers.Inventory, mask func(string) string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := providers.EncodeInventory(&b, inv, mask); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t testing.TB, data []byte) providers.Inventory {
	t.Helper()
	inv, err := providers.DecodeInventory(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return inv
}

var asJudged = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b specs.Schedule) bool {
		return a.Canonical() == b.Canonical() && a.Text == b.Text && a.Dialect == b.Dialect
	}),
	cmp.Comparer(func(a, b specs.Spec) bool {
		return a.Hash() == b.Hash() && len(specs.Diff(a, b)) == 0 && len(specs.DiffValues("", a.Cosmetic.Value(), b.Cosmetic.Value())) == 0
	}),
	cmp.Comparer(func(a, b specs.Packed) bool { return len(specs.DiffValues("", a.Value(), b.Value())) == 0 }),
}

func TestInventoryIsLossless(t *testing.T) {
	want := sample(t)
	for i := range want.Observations { // nothing to hide in this one
		want.Observations[i].Notes = nil
	}
	got := decode(t, encode(t, want, nil))
	if diff := cmp.Diff(want, got, asJudged); diff != "" {
		t.Errorf("saved and read again (-saved +read):\n%s", diff)
	}
}

// What a schedule means survives, whoever's zone it is in: every dialect reads its
// own texts back, in zones with and without changes of the clock.
func TestSchedulesSurvive(t *testing.T) {
	texts := []string{
		"30 2 * * *", "*/5 * * * *", "* * * * *", "0 0 31 2 *", "15 1,2,3 * * 0", "0 0-23 * * *", "5 0 1 * 1", "@daily", "@weekly", "@reboot", "@every 90m", "0~29 2 * * *",
		"0 30 2 * * * *", "0 2 L * *", "0 2 * * 5#2", "0 2 * * MON-FRI", "TZ=Asia/Tokyo 30 2 * * *",
	}
	as := map[string]func(specs.Schedule) specs.Schedule{
		"another's": func(s specs.Schedule) specs.Schedule { return s },
		"own":       specs.Schedule.OfDaemon,
		"own, said": specs.Schedule.OfDaemonByName,
	}
	read := map[specs.Dialect]int{}
	for _, d := range specs.Dialects() {
		for _, zone := range []string{"", "UTC", "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu"} {
			for _, written := range texts {
				s, err := specs.ParseSchedule(d, written, zone)
				if err != nil {
					continue // not of this dialect
				}
				for name, own := range as {
					want := own(s)
					inv := providers.Inventory{Observations: []providers.Observation{{Source: "a", Provider: "crontab", Objects: []providers.Object{{
						ID: "x", Spec: specs.Spec{Schedules: []specs.Schedule{want}}, More: &providers.More{Entries: []providers.Entry{{Text: written, Schedule: want}}},
					}}}}}
					o := decode(t, encode(t, inv, nil)).Observations[0].Objects[0]
					for _, got := range []specs.Schedule{o.Spec.Schedules[0], o.Entries()[0].Schedule} {
						if got.Canonical() != want.Canonical() || got.Text != want.Text || got.Zone != want.Zone || got.Dialect != d {
							t.Errorf("%s %q in %q, %s: %q became %q", d, written, zone, name, want.Canonical(), got.Canonical())
						}
						at := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
						for range 4 {
							before, _ := want.Next(at)
							after, _ := got.Next(at)
							if !before.Equal(after) {
								t.Errorf("%s %q in %q, %s: due at %s was %s", d, written, zone, name, after, before)
							}
							at = before
						}
					}
					read[d]++
				}
			}
		}
	}
	for _, d := range specs.Dialects() {
		if read[d] < 50 {
			t.Errorf("%s: %d schedules were read, which proves little", d, read[d])
		}
	}
}

func TestInventoryHidesSecretsAndStillJudges(t *testing.T) {
	inv := sample(t)
	data := encode(t, inv, hide)
	for _, s := range []string{secret, "/bin:/usr/bin"} {
		if bytes.Contains(data, []byte(s)) {
			t.Errorf("the saved listing holds %q:\n%s", s, data)
		}
	}
	got := decode(t, data)
	before, after := inv.Observations[2].Objects[0], got.Observations[2].Objects[0]
	if before.Spec.Hash() != after.Spec.Hash() {
		t.Errorf("hash %s became %s", before.Spec.Hash(), after.Spec.Hash())
	}
	if d := specs.Diff(before.Spec, after.Spec); len(d) > 0 {
		t.Errorf("the same spec differs after it was saved: %+v", d)
	}
	changed := before.Spec
	changed.Body = specs.Pack(specs.NewMap(specs.Member{Key: "command", Value: specs.NewText("/opt/retry --password=another")}, specs.Member{Key: "user", Value: specs.NewText("deploy")}, specs.Member{Key: "env", Value: before.Spec.Body.Get("env")}))
	if d := specs.Diff(changed, after.Spec); len(d) != 1 || d[0].Path != "command" {
		t.Errorf("another secret: %+v, want one difference in command", d)
	}
	if got, want := after.Attr("command"), "/opt/retry --password=[hidden]"; got != want {
		t.Errorf("attr command %q, want %q", got, want)
	}
	if got, want := after.Sealed()["command"], specs.Seal(before.Attr("command")); got != want {
		t.Errorf("seal of the attr %q, want %q", got, want)
	}
	if after.Attr("user") != "deploy" || after.Sealed()["user"] != "" {
		t.Errorf("attr user %q, sealed %q", after.Attr("user"), after.Sealed()["user"])
	}
	if l := got.Observations[1].Objects[0]; l.Labels()["app"] != "retry" || l.Sealed()["labels.token"] == "" {
		t.Errorf("labels %q, sealed %q", l.Labels(), l.Sealed())
	}
	again := encode(t, got, hide)
	if third := encode(t, decode(t, again), hide); !bytes.Equal(again, third) {
		t.Errorf("saving what was read gives other bytes each time:\n%s\n%s", again, third)
	}
}

func TestDecodeInventoryRefuses(t *testing.T) {
	good := string(encode(t, sample(t), hide))
	for name, c := range map[string]struct{ from, to, says string }{
		"another schema":           {"rolecall.inventory/v1", "rolecall.inventory/v2", "schema"},
		"another canonicalisation": {`"canonicalisation": "rc1"`, `"canonicalisation": "rc2"`, "canonicalisation"},
		"an unknown key":           {`"tool":`, `"toll":`, "toll"},
		"a changed body":           {`"suspend": false`, `"suspend": true`, "does not fit"},
		"a changed schedule":       {`"text": "0 0 31 2 *"`, `"text": "0 0 30 3 *"`, "was saved as"},
		"a schedule made opaque":   {`"opaque": true`, `"opaque": false`, "was not read"},
		"a state nobody knows":     {`"state": "partial"`, `"state": "fine"`, "fine"},
		"a missing list":           {`"inactive": [],`, ``, "missing"},
		"null for a list":          {`"notes": []`, `"notes": null`, "missing"},
		"a source twice":           {`"source": "prod"`, `"source": "actions"`, "twice"},
		"text behind it":           {"\n}\n", "\n}\n{}", "after"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, c.from, c.to, 1)
			if bad == good {
				t.Fatalf("the sample does not hold %q", c.from)
			}
			_, err := providers.DecodeInventory(strings.NewReader(bad))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

// TestOlderInventory: a listing that was saved before schedules had words and
// next instants is read as ever, and fits the schema.
func TestOlderInventory(t *testing.T) {
	written := encode(t, sample(t), hide)
	older := regexp.MustCompile(`,\s*"words": ("(\\.|[^"\\])*"|\{[^}]*\}),\s*"next": \[[^]]*\]`).ReplaceAll(written, nil)
	if len(older) == len(written) || bytes.Contains(older, []byte(`"words"`)) {
		t.Fatalf("the keys are still there: %s", older)
	}
	if diff := cmp.Diff(decode(t, written), decode(t, older), asJudged); diff != "" {
		t.Error(diff)
	}
	if err := published(t)(older); err != nil {
		t.Error(err)
	}
}

// TestInventorySaysWhatIsDue: of an active object in a zone that is known.
func TestInventorySaysWhatIsDue(t *testing.T) {
	sched := func(d specs.Dialect, text, zone string) specs.Schedule {
		s, err := specs.ParseSchedule(d, text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, c := range []struct {
		name     string
		s        specs.Schedule
		inactive bool
		want     int
	}{
		{"named zone", sched(specs.Kubernetes, "0 3 * * *", "Europe/Berlin"), false, 3},
		{"inactive", sched(specs.Kubernetes, "0 3 * * *", "Europe/Berlin"), true, 0},
		{"zone not known", sched(specs.Debian, "0 3 * * *", ""), false, 0},
		{"interval", sched(specs.Kubernetes, "@every 5m", "UTC"), false, 0},
		{"drawn", sched(specs.Cronie, "~ 3 * * *", "UTC"), false, 0},
		{"never", sched(specs.Kubernetes, "0 0 31 2 *", "UTC"), false, 0},
		{"once more", sched(specs.Supercronic, "0 0 1 1 * 2099", "UTC"), false, 1},
	} {
		o := providers.Object{ID: "x", Spec: specs.Spec{Schedules: []specs.Schedule{c.s}}}
		if c.inactive {
			o.Extra().Inactive = []providers.Inactive{{Code: "suspended"}}
		}
		data := encode(t, providers.Inventory{ObservedAt: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), Observations: []providers.Observation{{Source: "s", Provider: "crontab", Objects: []providers.Object{o}}}}, nil)
		if got := len(regexp.MustCompile(`(?m)^ +"[0-9]{4}-[^"]*Z",?$`).FindAll(data, -1)); got != c.want {
			t.Errorf("%s: %d instants, want %d: %s", c.name, got, c.want, data)
		}
		if !bytes.Contains(data, []byte(`"words": "`)) {
			t.Errorf("%s: no words: %s", c.name, data)
		}
	}
}

// published validates against the published schema.
func published(t *testing.T) func(data []byte) error {
	t.Helper()
	rules, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Get("inventory")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("inventory.json", rules); err != nil {
		t.Fatal(err)
	}
	s := c.MustCompile("inventory.json")
	return func(data []byte) error {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(doc)
	}
}

// TestInventoryFitsItsSchema holds what is written to what is published.
func TestInventoryFitsItsSchema(t *testing.T) {
	check := published(t)
	good := encode(t, sample(t), hide)
	for name, data := range map[string][]byte{"masked": good, "plain": encode(t, sample(t), nil), "empty": encode(t, providers.Inventory{}, nil), "read again": encode(t, decode(t, good), hide)} {
		if err := check(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	keys := regexp.MustCompile(`"([a-z_]+)":`)
	for _, m := range keys.FindAllSubmatch(good, -1) {
		key := string(m[1])
		if slices.Contains([]string{"user", "command", "file", "env", "map", "keyed", "pairs", "sealed", "shown", "bytes", "absent", "app", "token", "repo", "workflow", "namespace", "name", "jobs", "build", "suspend", "words", "next", "deploy", "retry"}, key) {
			continue // of the objects, not of the form; or taken by another form of a value
		}
		if bad := bytes.ReplaceAll(good, m[0], []byte(`"other":`)); check(bad) == nil {
			t.Errorf("%s is not required, or other keys are allowed", key)
		}
	}
}

func TestReplay(t *testing.T) {
	o := sample(t).Observations[2]
	p := providers.Replay(o)
	if diff := cmp.Diff(o, p.Observe(context.Background(), providers.Selection{}), asJudged); diff != "" {
		t.Errorf("replayed (-saved +replayed):\n%s", diff)
	}
	part := p.Observe(context.Background(), providers.Selection{Parts: []string{"user/deploy"}})
	if len(part.Areas) != 1 || len(part.Objects) != 1 || part.Objects[0].Part() != "user/deploy" {
		t.Errorf("one part: %+v", part)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, a := range p.Observe(ctx, providers.Selection{}).Areas {
		if !a.Gap() || a.Reason == "" {
			t.Errorf("after the end: %+v, want a gap with its reason", a)
		}
	}
}

func FuzzDecodeInventory(f *testing.F) {
	f.Add(encode(f, sample(f), hide))
	f.Add(encode(f, sample(f), nil))
	f.Add([]byte(`{"schema":"rolecall.inventory/v1","tool":"","canonicalisation":"rc1","observed_at":"2026-01-01T00:00:00Z","observations":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		inv, err := providers.DecodeInventory(bytes.NewReader(data))
		if err != nil {
			return
		}
		once := encode(t, inv, nil)
		if twice := encode(t, decode(t, once), nil); !bytes.Equal(once, twice) {
			t.Fatalf("saved twice:\n%s\n%s", once, twice)
		}
	})
}
