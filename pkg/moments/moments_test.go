package moments_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/pkg/moments"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

var rules = moments.Rules{
	Mask: func(s string) string { return strings.ReplaceAll(s, "hush", "***") },
	Show: func(v specs.Value, masked *bool) string {
		if v.Secret || v.Kind == specs.Sealed {
			*masked = true
			return "***"
		}
		return v.Text
	},
}

// entry is a crontab entry of a part; with a role where the name begins with @.
func entry(t *testing.T, part, name, schedule, command string) providers.Object {
	t.Helper()
	s, err := specs.ParseSchedule(specs.Debian, schedule, "")
	if err != nil {
		t.Fatal(err)
	}
	o := providers.Object{
		ID: "crontab:web/" + part + "#" + name, Origin: &providers.Origin{Source: "web", Provider: "crontab", Part: part},
		Attrs: providers.AttrsOf(map[string]string{"command": command, "user": "root"}),
		Spec:  specs.Spec{Schedules: []specs.Schedule{s}, Body: specs.Pack(specs.NewMap(specs.Member{Key: "command", Value: specs.NewText(command)}))},
	}
	if strings.HasPrefix(name, "@") {
		o.Marked = &providers.Marker{Role: name[1:]}
	}
	return o
}

func listing(areas string, objects ...providers.Object) providers.Inventory {
	o := providers.Observation{Source: "web", Provider: "crontab", Objects: objects}
	for _, a := range strings.Fields(areas) {
		part, state, ok := strings.Cut(a, "=")
		if !ok {
			state = string(providers.Read)
		}
		area := providers.Area{Part: part, State: providers.AreaState(state)}
		if area.Gap() {
			area.Reason = "no leave"
		}
		o.Areas = append(o.Areas, area)
	}
	return providers.Inventory{ObservedAt: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), Observations: []providers.Observation{o}}
}

// said is a diff in short: a line a change, and a line a part.
func said(d moments.Diff) []string {
	out := []string{fmt.Sprintf("same %v complete %v", d.Same, d.Complete)}
	for _, c := range d.Changes {
		line := string(c.Kind) + " " + strings.TrimPrefix(c.ID, "crontab:web/")
		for _, f := range c.Fields {
			line += fmt.Sprintf(" %s:%s>%s", f.Path, f.Before, f.After)
		}
		if c.Counterpart != "" {
			line += " like " + strings.TrimPrefix(c.Counterpart, "crontab:web/")
		}
		out = append(out, line)
	}
	for _, p := range d.Coverage {
		out = append(out, fmt.Sprintf("part %s %s %s", p.Part, p.Before, p.After))
	}
	return out
}

func TestCompare(t *testing.T) {
	e := func(part, name, schedule, command string) providers.Object {
		return entry(t, part, name, schedule, command)
	}
	off := func(o providers.Object, code string) providers.Object {
		o.Extra().Inactive = []providers.Inactive{{Code: code}}
		return o
	}
	with := func(o providers.Object, change func(*providers.Object)) providers.Object {
		change(&o)
		return o
	}
	a := e("user/root", "@a", "0 1 * * *", "/a")
	x := e("file/etc/cron.d/x", "1", "0 2 * * *", "/x")
	for _, c := range []struct {
		name          string
		before, after providers.Inventory
		want          []string
	}{
		{"same", listing("user/root", a), listing("user/root", a), []string{"same true complete true"}},
		{"written otherwise", listing("user/root", e("user/root", "@a", "0 0 * * *", "/a")), listing("user/root", e("user/root", "@a", "@daily", "/a")), []string{"same true complete true"}},
		{"a field", listing("user/root", a), listing("user/root", e("user/root", "@a", "0 3 * * *", "/a")), []string{"same false complete true", "changed user/root#@a schedule:0 1 * * *>0 3 * * *"}},
		{"gone, and its user was looked at", listing("user/root", a), listing("user/root"), []string{"same false complete true", "vanished user/root#@a"}},
		{"come", listing("user/root"), listing("user/root", a), []string{"same false complete true", "appeared user/root#@a"}},
		{"its part was not read", listing("user/root", a), listing("user/root=denied"), []string{"same true complete false", "unseen-after user/root#@a", "part user/root read denied"}},
		{"its part was read in part", listing("user/root", a), listing("user/root=partial"), []string{"same true complete false", "unseen-after user/root#@a", "part user/root read partial"}},
		{"its part was not read before", listing("user/root=failed"), listing("user/root", a), []string{"same true complete false", "unseen-before user/root#@a", "part user/root failed read"}},
		{"its user was not asked for", listing("user/root user/x", a), listing("user/x"), []string{"same true complete false", "unseen-after user/root#@a"}},
		{"its file is gone from a folder that was read", listing("folder/etc/cron.d file/etc/cron.d/x user/root", x), listing("folder/etc/cron.d user/root=denied"), []string{"same false complete false", "vanished file/etc/cron.d/x#1", "part user/root read denied"}},
		{"its folder was not read", listing("folder/etc/cron.d file/etc/cron.d/x", x), listing("folder/etc/cron.d=denied"), []string{"same true complete false", "unseen-after file/etc/cron.d/x#1", "part folder/etc/cron.d read denied"}},
		{"its file is gone, all else was read", listing("file/etc/cron.d/x file/b", x), listing("file/b"), []string{"same false complete true", "vanished file/etc/cron.d/x#1"}},
		{"its file is gone, not all was read", listing("file/etc/cron.d/x file/b", x), listing("file/b=failed"), []string{"same true complete false", "unseen-after file/etc/cron.d/x#1", "part file/b read failed"}},
		{"unread at both", listing("user/root=denied user/x"), listing("user/root=denied user/x"), []string{"same true complete false", "part user/root denied denied"}},
		{"nothing was looked at", listing(""), listing("user/root", a), []string{"same true complete false", "unseen-before user/root#@a", "part  not-listed read"}},
		{"stopped", listing("user/root", a), listing("user/root", off(a, "commented-out")), []string{"same false complete true", "deactivated user/root#@a state:active>inactive (commented-out)"}},
		{"begun", listing("user/root", off(a, "commented-out")), listing("user/root", a), []string{"same false complete true", "activated user/root#@a state:inactive (commented-out)>active"}},
		{"never fires now", listing("user/root", a), listing("user/root", e("user/root", "@a", "0 0 31 2 *", "/a")), []string{"same false complete true", "deactivated user/root#@a state:active>inactive (never-fires) schedule:0 1 * * *>0 0 31 2 *"}},
		{"another reason", listing("user/root", off(a, "user-denied")), listing("user/root", off(a, "commented-out")), []string{"same false complete true", "changed user/root#@a state:inactive (user-denied)>inactive (commented-out)"}},
		{"an edited entry without a marker", listing("user/root", e("user/root", "1", "0 1 * * *", "/a")), listing("user/root", e("user/root", "2", "0 3 * * *", "/a")), []string{"same false complete true", "vanished user/root#1 like user/root#2", "appeared user/root#2 like user/root#1"}},
		{"two that could be it", listing("user/root", e("user/root", "1", "0 1 * * *", "/a")), listing("user/root", e("user/root", "2", "0 3 * * *", "/a"), e("user/root", "3", "0 4 * * *", "/a")), []string{"same false complete true", "vanished user/root#1", "appeared user/root#2", "appeared user/root#3"}},
		{"moved to another user", listing("user/root user/x", a), listing("user/root user/x", e("user/x", "@a", "0 1 * * *", "/a")), []string{"same false complete true", "vanished user/root#@a like user/x#@a", "appeared user/x#@a like user/root#@a"}},
		{"one of two twins", listing("user/root", e("user/root", "1", "0 1 * * *", "/a"), e("user/root", "1", "0 1 * * *", "/a")), listing("user/root", e("user/root", "1", "0 1 * * *", "/a")), []string{"same false complete true", "vanished user/root#1"}},
		{"a sealed text", listing("user/root", a), listing("user/root", with(a, func(o *providers.Object) {
			o.Spec.Body = specs.Pack(specs.NewMap(specs.Member{Key: "command", Value: specs.Value{Kind: specs.Sealed, Text: specs.Seal("/a")}}))
		})), []string{"same true complete true"}},
		{"another secret", listing("user/root", with(a, func(o *providers.Object) {
			o.Env = specs.Pack(specs.NewMap(specs.Member{Key: "K", Value: specs.NewSecret("1")}))
		})), listing("user/root", with(a, func(o *providers.Object) {
			o.Env = specs.Pack(specs.NewMap(specs.Member{Key: "K", Value: specs.Value{Kind: specs.Sealed, Text: specs.Seal("2")}}))
		})), []string{"same false complete true", "changed user/root#@a env.K:***>***"}},
		{"only looks", listing("user/root", a), listing("user/root", with(a, func(o *providers.Object) { o.Extra().UID = "2" })), []string{"same true complete true", "changed user/root#@a uid:>2"}},
		{"marker", listing("user/root", a), listing("user/root", with(a, func(o *providers.Object) { o.Marked = &providers.Marker{Role: "b", Version: "2"} })), []string{"same false complete true", "changed user/root#@a role:a>b version:>2"}},
		{"text that nobody can read", listing("user/root", with(a, func(o *providers.Object) { o.Opaque = true })), listing("user/root", with(e("user/root", "@a", "0 1 * * *", "/b"), func(o *providers.Object) { o.Opaque = true })), []string{"same false complete true", fmt.Sprintf("changed user/root#@a hash:%s>%s", a.Spec.Hash(), e("user/root", "@a", "0 1 * * *", "/b").Spec.Hash())}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := moments.Compare(c.before, c.after, rules)
			if diff := cmp.Diff(c.want, said(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			back := moments.Compare(c.after, c.before, rules)
			if back.Same != d.Same || back.Complete != d.Complete || back.Compared != d.Compared {
				t.Errorf("the other way round: %v", said(back))
			}
			valid(t, d)
		})
	}
}

// TestSources: a source that only one moment holds, or that is another
// scheduler's now, is no reason to call anything gone.
func TestSources(t *testing.T) {
	a := listing("user/root", entry(t, "user/root", "@a", "0 1 * * *", "/a"))
	other := listing("namespace/batch")
	other.Observations[0].Provider = "kubernetes"
	for _, b := range []providers.Inventory{{}, other} {
		d := moments.Compare(a, b, rules)
		if d.Same != true || d.Complete || len(d.Changes) != 1 || d.Changes[0].Kind != moments.UnseenAfter {
			t.Errorf("%v", said(d))
		}
		valid(t, d)
	}
}

// TestClusterAndNamespace: what was read by namespace and by cluster is the same
// place.
func TestClusterAndNamespace(t *testing.T) {
	object := func(part string) providers.Object {
		return providers.Object{ID: "kubernetes:web/batch/retry", Origin: &providers.Origin{Source: "web", Provider: "kubernetes", Part: part}, Attrs: providers.AttrsOf(map[string]string{"namespace": "batch", "name": "retry"})}
	}
	for _, c := range []struct {
		part, areas string
		want        moments.Kind
	}{
		{"namespace/batch", "cluster", moments.Vanished},
		{"cluster", "namespace/batch", moments.Vanished},
		{"cluster", "namespace/shop", moments.UnseenAfter},
		{"namespace/batch", "cluster=partial", moments.UnseenAfter},
	} {
		a, b := listing(c.part, object(c.part)), listing(c.areas)
		a.Observations[0].Provider, b.Observations[0].Provider = "kubernetes", "kubernetes"
		d := moments.Compare(a, b, rules)
		if len(d.Changes) != 1 || d.Changes[0].Kind != c.want {
			t.Errorf("%s, then %s: %v, want %s", c.part, c.areas, said(d), c.want)
		}
	}
}

func TestNoSecretIsShown(t *testing.T) {
	a := listing("user/root=denied")
	a.Observations[0].Areas[0].Reason = "hush"
	b := listing("user/root", entry(t, "user/root", "@a", "0 1 * * *", "/a"))
	data, err := json.Marshal(moments.Compare(a, b, rules))
	if err != nil || bytes.Contains(data, []byte("hush")) {
		t.Errorf("%v %s", err, data)
	}
}

func valid(t *testing.T, d moments.Diff) {
	t.Helper()
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Get("diff")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("diff.json", rules); err != nil {
		t.Fatal(err)
	}
	doc, _ := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err := c.MustCompile("diff.json").Validate(doc); err != nil {
		t.Errorf("by the schema: %v\n%s", err, data)
	}
	if !slices.IsSortedFunc(d.Changes, func(a, b moments.Change) int {
		return slices.Index(moments.Kinds, a.Kind) - slices.Index(moments.Kinds, b.Kind)
	}) {
		t.Error("not in order")
	}
}
