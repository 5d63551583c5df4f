package ledger

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const head = "ledger: rolecall/v1\nroles:\n  a: {source: s, spec: {schedule: '* * * * *'}}\n"

var late = Waiver{Finding: "drift:a@s", Reason: "trial: of a later hour", Owner: "web", UntilText: "2026-12-24"}

func TestWaive(t *testing.T) {
	const item = "  - finding: drift:a@s\n    reason: 'trial: of a later hour'\n    owner: web\n    until: 2026-12-24\n"
	const old = "  - finding: missing:a@s\n    reason: r\n    until: 2026-01-01\n"
	const braces = `{"finding": "drift:a@s", "reason": "trial: of a later hour", "owner": "web", "until": "2026-12-24"}`
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for _, c := range []struct{ name, in, out string }{
		{"no key", head, head + "\nwaivers:\n" + item},
		{"no key, no final break", strings.TrimSuffix(head, "\n"), head + "\nwaivers:\n" + strings.TrimSuffix(item, "\n")},
		{"no key, comments at the end", head + "\n# the end\n", head + "\n# the end\n\nwaivers:\n" + item},
		{"no key, blank lines at the end", head + "\n\n", head + "\n\nwaivers:\n" + item},
		{"no key, document end", "---\n" + head + "...\n# after\n", "---\n" + head + "\nwaivers:\n" + item + "...\n# after\n"},
		{"no key, indented", "  ledger: rolecall/v1\n", "  ledger: rolecall/v1\n\n  waivers:\n    " + strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n  ")[2:] + "\n"},
		{"no key, in braces", `{ledger: rolecall/v1}`, `{"waivers": [` + braces + `], ledger: rolecall/v1}`},
		{"json", `{"ledger": "rolecall/v1", "waivers": []}` + "\n", `{"ledger": "rolecall/v1", "waivers": [` + braces + `]}` + "\n"},
		{"empty list", head + "waivers: []\n", head + "waivers:\n" + item},
		{"empty list and a comment", head + "waivers: [ ] # none yet\n# end", head + "waivers: # none yet\n" + item + "# end"},
		{"empty list over lines", head + "waivers: [ # none\n]\n", head + "waivers: [" + braces + " # none\n]\n"},
		{"empty list in the middle", "waivers: []\n" + head, "waivers:\n" + item + head},
		{"flow list", head + "waivers: [{finding: 'missing:a@s', reason: r, until: 2026-01-01}]\n", head + "waivers: [" + braces + ", {finding: 'missing:a@s', reason: r, until: 2026-01-01}]\n"},
		{"behind others", head + "waivers:\n" + old, head + "waivers:\n" + old + item},
		{"no indent", head + "waivers:\n- finding: missing:a@s\n  reason: r\n  until: 2026-01-01\n", head + "waivers:\n- finding: missing:a@s\n  reason: r\n  until: 2026-01-01\n- finding: drift:a@s\n  reason: 'trial: of a later hour'\n  owner: web\n  until: 2026-12-24\n"},
		{"comments and blank lines", "waivers: # list\n" + old + "    # of the item\n\n  # at the list\n# of the ledger\n" + head, "waivers: # list\n" + old + "    # of the item\n" + item + "\n  # at the list\n# of the ledger\n" + head},
		{"blank lines between", "waivers:\n" + old + "\n" + strings.ReplaceAll(old, "missing", "inactive") + "\n" + head, "waivers:\n" + old + "\n" + strings.ReplaceAll(old, "missing", "inactive") + "\n" + item + "\n" + head},
		{"kept blank lines of a text", "waivers:\n  - finding: missing:a@s\n    until: 2026-01-01\n    reason: |+\n      # no comment\n\n\n" + head, "waivers:\n  - finding: missing:a@s\n    until: 2026-01-01\n    reason: |+\n      # no comment\n\n\n" + item + head},
		{"a text up to the end", head + "waivers:\n  - finding: missing:a@s\n    until: 2026-01-01\n    reason: |\n      x", head + "waivers:\n" + item + "  - finding: missing:a@s\n    until: 2026-01-01\n    reason: |\n      x"},
		{"a quoted text that looks like a comment", head + "waivers:\n  - finding: missing:a@s\n    until: 2026-01-01\n    reason: \"x\n # y\"\n", head + "waivers:\n  - finding: missing:a@s\n    until: 2026-01-01\n    reason: \"x\n # y\"\n" + item},
		{"carriage returns", crlf(head + "waivers:\n" + old + "# end\n"), crlf(head + "waivers:\n" + old + item + "# end\n")},
		{"byte order mark", "\ufeff" + head, "\ufeff" + head + "\nwaivers:\n" + item},
		{"byte order mark, first line", "\ufeffwaivers: []\n" + head, "\ufeffwaivers:\n" + item + head},
		{"wide letters", head + "name: \"é😀\u2028z\"\nwaivers: [] # é😀\n", head + "name: \"é😀\u2028z\"\nwaivers: # é😀\n" + item},
		{"again", head + "waivers:\n" + item, head + "waivers:\n" + item},
		{"another end", head + "waivers:\n  - reason: \"old\\\"\" # why\n    until: 2026-01-01 # soon\n    finding: drift:a@s\n    owner: web\n", head + "waivers:\n  - reason: 'trial: of a later hour' # why\n    until: 2026-12-24 # soon\n    finding: drift:a@s\n    owner: web\n"},
		{"another owner", head + "waivers:\n  - until: 2026-01-01\n    owner: 'it''s me'\n    finding: drift:a@s\n    reason: plain text\n      of two lines # why\n# end", head + "waivers:\n  - until: 2026-12-24\n    owner: web\n    finding: drift:a@s\n    reason: 'trial: of a later hour'\n# end"},
		{"no owner yet", head + "waivers:\n  - until: 2026-01-01\n    finding: drift:a@s\n    reason: >-\n      long\n\n      text\n    # end\n" + strings.ReplaceAll(old, "missing", "inactive"), head + "waivers:\n  - owner: web\n    until: 2026-12-24\n    finding: drift:a@s\n    reason: 'trial: of a later hour'\n    # end\n" + strings.ReplaceAll(old, "missing", "inactive")},
		{"a comment below a text", head + "waivers:\n  - until: 2026-01-01\n    finding: drift:a@s\n    owner: web\n    reason: |\n      long\n    # kept\n\n", head + "waivers:\n  - until: 2026-12-24\n    finding: drift:a@s\n    owner: web\n    reason: 'trial: of a later hour'\n    # kept\n\n"},
		{"in braces", head + "waivers: [{finding: 'drift:a@s', reason: r s, until: 2026-01-01}, {finding: 'missing:a@s', reason: r, until: 2026-01-01}]\n", head + `waivers: [{finding: 'drift:a@s', reason: "trial: of a later hour", "owner": "web", until: "2026-12-24"}, {finding: 'missing:a@s', reason: r, until: 2026-01-01}]` + "\n"},
		{"dash on a line of its own", head + "waivers:\n  -\n    finding: drift:a@s\n    reason: r\n    owner: o\n    until: 2026-01-01\n  -\n    finding: missing:a@s\n    reason: r\n    until: 2026-01-01\n", head + "waivers:\n  -\n    finding: drift:a@s\n    reason: 'trial: of a later hour'\n    owner: web\n    until: 2026-12-24\n  -\n    finding: missing:a@s\n    reason: r\n    until: 2026-01-01\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "another owner" { // what stood behind the last line of the text goes with it
				c.in = strings.Replace(c.in, " # why", "", 1)
			}
			out, was, err := Waive("l.yaml", []byte(c.in), nil, late)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.out, string(out)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, out)
			}
			if (was != nil) != strings.Contains(c.in, "drift:a@s") {
				t.Errorf("was %+v", was)
			}
			again, was, err := Waive("l.yaml", out, nil, late)
			if err != nil || was == nil || !bytes.Equal(out, again) {
				t.Errorf("a second time: %v, %v\n%s", was, err, again)
			}
		})
	}
}

func TestWaiveRefuses(t *testing.T) {
	for _, c := range []struct {
		name, in string
		w        Waiver
		says     string
	}{
		{"a ledger that is not sound", "ledger: rolecall/v1\nrols: {}\n", late, "rols"},
		{"an alias", "ledger: rolecall/v1\nname: &n x\nwaivers: &w []\nignore: *w\n", Waiver{Finding: "drift:a@s", Reason: *new(string)}, "lacks"},
		{"a list that is elsewhere", "ledger: rolecall/v1\nignore: &w []\nwaivers: *w\n", late, "by hand"},
		{"a reason that many share", head + "waivers:\n  - {finding: 'drift:a@s', reason: &r x, until: 2026-01-01}\n  - {finding: 'missing:a@s', reason: *r, until: 2026-01-01}\n", late, "by hand"},
		{"two lists in one", "ledger: rolecall/v1\n<<: {waivers: [{finding: 'missing:a@s', reason: r, until: 2026-01-01}]}\n", late, "by hand"},
		{"no UTF-8", head, Waiver{Finding: "drift:a@s", Reason: "\xff", UntilText: "2026-01-01"}, "cannot hold"},
		{"no day", head, Waiver{Finding: "drift:a@s", Reason: "r", UntilText: "soon"}, "not a time"},
		{"no kind", head, Waiver{Finding: "drifts:a@s", Reason: "r", UntilText: "2026-01-01"}, "does not begin with a kind"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _, err := Waive("l.yaml", []byte(c.in), nil, c.w)
			if err == nil || !strings.Contains(err.Error(), c.says) || out != nil {
				t.Errorf("%v, want an error that says %q; out %q", err, c.says, out)
			}
		})
	}
}

func TestCheckFinding(t *testing.T) {
	l, _, err := Parse("l.yaml", []byte("ledger: rolecall/v1\nroles:\n  retry: {sources: [prod, web-1], spec: {schedule: '* * * * *'}}\n  gate: {source: prod, spec: {schedule: '* * * * *'}}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, says := range map[string]string{
		"drift:retry@prod":                          "",
		"missing:gate@prod":                         "",
		"unexpected:crontab:web-1/etc/crontab#a":    "",
		"unexpected:kubernetes:prod/batch/retry":    "",
		"removed:gone@prod":                         "",
		"drift:rety@prod":                           "did you mean `retry`?",
		"drift:retry@web-2":                         "did you mean `web-1`?",
		"drift:gate@web-1":                          "does not look for role gate",
		"drift:retry":                               "is not the id of a finding",
		"drift:a b@prod":                            "is not the id of a finding",
		"drfit:retry@prod":                          "did you mean `drift`?",
		"retry@prod":                                "does not begin with a kind",
		"unknown:retry@prod":                        "cannot be waived: what could not be looked at",
		"unreviewed:retry@prod":                     "cannot be waived",
		"unexpected:retry@prod":                     "names no object",
		"unexpected:kubernets:prod/batch/x":         "did you mean `kubernetes`?",
		"unexpected:kubernetes:prod":                "names no object",
		"":                                          "does not begin",
		"\x1b[31mdrift:x@y":                         `"\x1b[31mdrift:x@y"`,
		strings.Repeat("x", 1<<20):                  "does not begin",
		"drift:" + strings.Repeat("x", 1<<20) + "@": "is not the id",
	} {
		err := l.CheckFinding(id)
		switch {
		case says == "" && err != nil:
			t.Errorf("%s: %v", id, err)
		case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
			t.Errorf("%.60q: %v, want %q", id, err, says)
		}
		if err != nil && len(err.Error()) > 700 {
			t.Errorf("%.60q: a message of %d bytes", id, len(err.Error()))
		}
	}
}

// TestWaiveAnyLayout waives in ledgers whose layout is made up at random: all
// that was there is still there, in its order, byte for byte.
func TestWaiveAnyLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		in := madeUp(r)
		before, _, err := Parse("l.yaml", []byte(in), nil)
		if err != nil {
			t.Fatalf("the ledger is not sound: %v\n%s", err, in)
		}
		out, was, err := Waive("l.yaml", []byte(in), nil, late)
		if err != nil {
			t.Fatalf("%v\n%s", err, in)
		}
		after, _, err := Parse("l.yaml", out, nil)
		if err != nil {
			t.Fatal(err)
		}
		if was == nil && !inserted(in, string(out)) {
			t.Fatalf("more was changed than added:\n%s", cmp.Diff(in, string(out)))
		}
		if len(after.Waivers) != len(before.Waivers)+map[bool]int{true: 1}[was == nil] || len(after.Roles) != len(before.Roles) {
			t.Fatalf("%d waivers became %d, %d roles %d\n%s", len(before.Waivers), len(after.Waivers), len(before.Roles), len(after.Roles), out)
		}
		if strings.Count(in, "# c") != strings.Count(string(out), "# c") {
			t.Fatalf("a comment is gone:\n%s", cmp.Diff(in, string(out)))
		}
	}
}

// inserted says that one text is the other with something put in at one place,
// or also with an empty list taken out.
func inserted(in, out string) bool {
	fits := func(in string) bool {
		i := 0
		for i < len(in) && i < len(out) && in[i] == out[i] {
			i++
		}
		return len(out) > len(in) && strings.HasSuffix(out, in[i:])
	}
	return fits(in) || fits(strings.Replace(in, "waivers: []", "waivers:", 1)) || fits(strings.Replace(in, "waivers:  []", "waivers:", 1))
}

// madeUp is a sound ledger in a layout that is drawn.
func madeUp(r *rand.Rand) string {
	eol := []string{"\n", "\r\n"}[r.IntN(2)]
	noise := func(indent string) string {
		return []string{"", "", "", "\n", indent + "# c\n", "# c\n", "\n\n" + indent + "# c é\n", indent + "      # deep\n"}[r.IntN(8)]
	}
	tail := func() string { return []string{"", "", " # c", "  # c: - x"}[r.IntN(4)] }
	textOf := func(indent string) string {
		return []string{"plain", "'it''s # no comment'", `"a\"b"`, "|\n" + indent + "  # no comment\n" + indent + "  b", ">-\n" + indent + "  folded", "two\n" + indent + "  lines", "\"over\n\n" + indent + "  lines\""}[r.IntN(7)]
	}
	var parts []string
	var roles strings.Builder
	roles.WriteString("roles:" + tail() + "\n")
	ind := strings.Repeat(" ", 1+r.IntN(4))
	for i := range 1 + r.IntN(3) {
		roles.WriteString(noise(ind))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&roles, "%s%c: {source: s, spec: {schedule: '%d * * * *'}}%s\n", ind, 'a'+i, i, tail())
			continue
		}
		fmt.Fprintf(&roles, "%s%c:%s\n%s  source: s\n%s%s  purpose: %s\n%s  spec: {schedule: \"%d * * * *\"}%s\n", ind, 'a'+i, tail(), ind, noise(ind+"  "), ind, textOf(ind+"  "), ind, i, tail())
	}
	parts = append(parts, roles.String())
	var w strings.Builder
	switch r.IntN(5) {
	case 0:
	case 1:
		w.WriteString("waivers: []" + tail() + "\n")
	case 2:
		w.WriteString("waivers:  [{finding: 'missing:a@s', reason: r # c\n  , until: 2026-01-01}] " + tail() + "\n")
	default:
		ind := strings.Repeat(" ", r.IntN(4))
		w.WriteString("waivers:" + tail() + "\n")
		for _, k := range []string{"missing", "inactive", "drift", "duplicate"}[:1+r.IntN(4)] {
			w.WriteString(noise(ind))
			fields := []string{"finding: " + k + ":a@s" + tail(), "until: 2026-01-01" + tail(), "reason: " + textOf(ind+"  ")}
			r.Shuffle(3, func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
			w.WriteString(ind + "- " + strings.Join(fields, "\n"+ind+"  ") + "\n")
		}
	}
	parts = append(parts, w.String(), "ledger: rolecall/v1"+tail()+"\n", "name: "+textOf("")+"\n")
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	var out strings.Builder
	out.WriteString([]string{"", "\ufeff", "# c\n", "---\n", "%YAML 1.1\n---\n"}[r.IntN(5)])
	for _, p := range parts {
		out.WriteString(noise("") + p)
	}
	out.WriteString([]string{"", "\n", "# c", "# c\n", "...\n"}[r.IntN(5)])
	return strings.ReplaceAll(out.String(), "\n", eol)
}

func FuzzWaive(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add([]byte(madeUp(r)), "why")
	}
	f.Fuzz(func(t *testing.T, in []byte, reason string) {
		w := late
		w.Reason = reason
		before, _, err := Parse("l.yaml", in, nil)
		if err != nil {
			return
		}
		out, was, err := Waive("l.yaml", in, nil, w)
		if err != nil {
			return
		}
		after, _, err := Parse("l.yaml", out, nil)
		if err != nil {
			t.Fatalf("not sound any more: %v", err)
		}
		if len(after.Roles) != len(before.Roles) || was == nil && len(after.Waivers) != len(before.Waivers)+1 {
			t.Fatalf("%q\nbecame\n%q", in, out)
		}
	})
}
