package ledger

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/specs"
)

var (
	sighted   = specs.Remembered{UID: "5d1c7a52-0000-4000-8000-000000000001", Seen: time.Date(2026, 11, 25, 12, 0, 0, 5e8, time.FixedZone("", 3600))}
	sightedIn = `uid: 5d1c7a52-0000-4000-8000-000000000001, seen: 2026-11-25T11:00:00Z`
)

func TestRemember(t *testing.T) {
	const head = "ledger: rolecall/v1\n"
	role := func(lines ...string) string {
		return head + "roles:\n  retry:\n    " + strings.Join(lines, "\n    ") + "\n"
	}
	const spec = `source: s`
	const what = `spec: {schedule: "5 * * * *"}  # hourly`
	for _, c := range []struct{ name, in, want string }{
		{"none yet", role(spec, what), role(spec, what, "ref: {"+sightedIn+"}")},
		{"in braces, with a comment", role("ref: {uid: old, seen: 2026-01-01T00:00:00Z}  # of web-1", spec, what),
			role("ref: {"+sightedIn+"}  # of web-1", spec, what)},
		{"in lines, with comments", role("ref:", "  # the pointer", "  uid: 'old' # x", "  seen: 2026-01-01T00:00:00Z", spec, what),
			role("ref:", "  # the pointer", `  uid: "5d1c7a52-0000-4000-8000-000000000001" # x`, "  seen: 2026-11-25T11:00:00Z", spec, what)},
		{"only the instant", role("ref: {seen: 2026-01-01T00:00:00Z}", spec, what), role("ref: {uid: 5d1c7a52-0000-4000-8000-000000000001, seen: 2026-11-25T11:00:00Z}", spec, what)},
		{"only the uid", role("ref:", "  uid: old", spec, what), role("ref:", "  seen: 2026-11-25T11:00:00Z", "  uid: 5d1c7a52-0000-4000-8000-000000000001", spec, what)},
		{"empty", role("ref: {}", spec, what), role("ref: {"+sightedIn+"}", spec, what)},
		{"another role follows", role(spec, what) + "\n  # the other\n  gate:\n    " + spec + "\n    " + what + "\n",
			role(spec, what, "ref: {"+sightedIn+"}") + "\n  # the other\n  gate:\n    " + spec + "\n    " + what + "\n"},
		{"the last line has no end", strings.TrimSuffix(role(spec, what), "\n"), strings.TrimSuffix(role(spec, what, "ref: {"+sightedIn+"}"), "\n")},
		{"JSON", `{"ledger": "rolecall/v1", "roles": {"retry": {"source": "s", "spec": {"schedule": "5 * * * *"}}}}`,
			`{"ledger": "rolecall/v1", "roles": {"retry": {"ref": {"uid": "5d1c7a52-0000-4000-8000-000000000001", "seen": "2026-11-25T11:00:00Z"}, "source": "s", "spec": {"schedule": "5 * * * *"}}}}`},
		{"CRLF", strings.ReplaceAll(role(spec, what), "\n", "\r\n"), strings.ReplaceAll(role(spec, what, "ref: {"+sightedIn+"}"), "\n", "\r\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Remember("l.yaml", []byte(c.in), nil, "retry", sighted)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRememberRefuses(t *testing.T) {
	const roles = "ledger: rolecall/v1\nroles:\n  retry: {source: s, spec: {schedule: \"5 * * * *\"}}\n"
	for _, c := range []struct{ in, key, uid, says string }{
		{roles, "gone", "u", "no role gone"},
		{roles, "retry", "a\xffb", "cannot hold"},
		{"ledger: rolecall/v1\nroles:\n  retry: {source: s}\n", "retry", "u", "spec"},
		{"ledger: rolecall/v1\nroles:\n  a: &x {source: s, spec: {schedule: \"5 * * * *\"}}\n  retry: *x\n", "retry", "u", ""},
	} {
		out, err := Remember("l.yaml", []byte(c.in), nil, c.key, specs.Remembered{UID: c.uid, Seen: sighted.Seen})
		if err == nil || !strings.Contains(err.Error(), c.says) || out != nil {
			t.Errorf("%q: %v, want %q", c.in, err, c.says)
		}
	}
}

// TestRememberAnyLayout writes and rewrites what was seen in ledgers whose layout
// is made up at random: nothing else changes, and no comment is lost.
func TestRememberAnyLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		in := madeUp(r)
		l, _, err := Parse("l.yaml", []byte(in), nil)
		if err != nil {
			t.Fatal(err)
		}
		key := l.Roles[r.IntN(len(l.Roles))].Key
		once, err := Remember("l.yaml", []byte(in), nil, key, sighted)
		if err != nil {
			t.Fatalf("%s: %v\n%s", key, err, in)
		}
		if !inserted(in, string(once)) {
			t.Fatalf("more was changed than added:\n%s", cmp.Diff(in, string(once)))
		}
		later := specs.Remembered{UID: "other", Seen: sighted.Seen.Add(time.Hour)}
		twice, err := Remember("l.yaml", once, nil, key, later)
		if err != nil {
			t.Fatalf("%s: %v\n%s", key, err, once)
		}
		back, err := Remember("l.yaml", twice, nil, key, sighted)
		if err != nil || string(back) != string(once) {
			t.Fatalf("there and back is not the same: %v\n%s", err, cmp.Diff(string(once), string(back)))
		}
	}
}

func FuzzRemember(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		f.Add([]byte(madeUp(r)), "uid")
	}
	f.Fuzz(func(t *testing.T, in []byte, uid string) {
		before, _, err := Parse("l.yaml", in, nil)
		if err != nil || len(before.Roles) == 0 {
			return
		}
		out, err := Remember("l.yaml", in, nil, before.Roles[0].Key, specs.Remembered{UID: uid, Seen: sighted.Seen})
		if err != nil {
			return
		}
		after, _, err := Parse("l.yaml", out, nil)
		if err != nil || len(after.Roles) != len(before.Roles) || uid != "" && after.Roles[0].Remembered.UID != uid {
			t.Fatalf("%v: %q\nbecame\n%q", err, in, out)
		}
	})
}
