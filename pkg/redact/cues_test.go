package redact

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// askedOrNot is a text masked by the finders that are asked, and by all of them.
func askedOrNot(s string) (asked, all string) {
	return once(s, cues().in), once(s, func(string) finders { return allFinders })
}

// TestCues puts words of commands together by chance, each cue with what may
// stand around it: a finder that is not asked would have found nothing.
func TestCues(t *testing.T) {
	if n := firstRule() + len(rules()); n > last {
		t.Errorf("%d finders, and room for %d", n, last)
	}
	around := []string{"-p", "-P", "-phunter22", "-pX9", "x9Kd83kfj", "hunter2:x", "login", "=", ":", " ", "'", `"`, "`", `\`, "\n", ";", "|", "&", "?", "(", "{", "}", "/", "://", "@", ".exe", "a@b", "--", "-a", "-u", "-b", "\xff", "ä", "K", "ſ", "İ", "-----BEGIN PRIVATE KEY-----"}
	var called, found []string
	for _, p := range programs {
		for _, n := range p.names {
			called = append(called, strings.TrimSuffix(n, "*"), n)
		}
		called = append(called, p.is.secret...)
	}
	for _, p := range append(phrases, capabilities...) {
		found = append(found, p.cues...)
	}
	for _, r := range rules() {
		found = append(found, r.keywords...)
	}
	words := [][]string{around, around, around, hints, inQuery, stems, parts, tails, about, publicKeys, signs, called, found}
	r := rand.New(rand.NewPCG(1, 2))
	masked := 0
	for range 10000 {
		var b strings.Builder
		for range 2 + r.IntN(12) {
			of := words[r.IntN(len(words))]
			w := of[r.IntN(len(of))]
			switch r.IntN(6) {
			case 0:
				w = strings.ToUpper(w)
			case 1:
				w += " "
			case 2:
				w = " " + w
			}
			b.WriteString(w)
		}
		asked, all := askedOrNot(b.String())
		if asked != all {
			t.Fatalf("%q\nwith its cues %q\nwithout them  %q", b.String(), asked, all)
		}
		if all != b.String() {
			masked++
		}
	}
	if masked < 1000 {
		t.Errorf("only %d texts had a secret", masked)
	}
}

// drawnBody draws a body of maps and lists with what may need a mark.
func drawnBody(r *rand.Rand, depth int) specs.Value {
	keys := []string{"value", "valueFrom", "secretKeyRef", "password", "TOKEN", "args", "command", "env", "name", "path", "key"}
	args := []string{"-p", "-phunter22", "-P", "--password", "--key", "--Key", "x9Kd83", "mysql", "/bin/sh", "-c", "docker", "login", "-w", "htpasswd", "-nb", "u", "sh -c mysql", "a;mysql", "'curl'", "-u", "-su", "a:b", "true", "${TOKEN}", "", "/run/x.pem", "oc.exe"}
	switch n := r.IntN(5); {
	case depth == 0 || n == 0:
		return specs.NewText(args[r.IntN(len(args))])
	case n < 3:
		items := make([]specs.Value, r.IntN(5))
		for i := range items {
			items[i] = specs.NewText(args[r.IntN(len(args))])
			if r.IntN(9) == 0 {
				items[i] = drawnBody(r, depth-1)
			}
		}
		return specs.NewList(items...)
	}
	members := make([]specs.Member, r.IntN(4))
	for i := range members {
		members[i] = specs.Member{Key: keys[r.IntN(len(keys))], Value: drawnBody(r, depth-1)}
	}
	return specs.NewMap(members...)
}

// TestDoubt: a body that nothing is doubted in needs no mark.
func TestDoubt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	marked, sure := 0, 0
	for range 100000 {
		body := specs.Pack(drawnBody(r, 4))
		doubted, all := body.Any(new(doubt).about), markAll(body)
		switch {
		case all != body && !doubted:
			t.Fatalf("nothing was doubted in %+v", body.Value())
		case all != body:
			marked++
		case !doubted:
			sure++
		}
	}
	if marked < 10000 || sure < 10000 {
		t.Errorf("%d bodies with a mark, %d without a doubt", marked, sure)
	}
}

func FuzzCues(f *testing.F) {
	for _, s := range []string{"mysqldump -phunter22 shop", `sh -c "docKer login -p x9"`, "curl https://a:b@c?k=1&p=2", "--Key x", "7z.exe -pa9b8 x", "a;mysql/ -p x", "Bearer abcdefghijklmnop1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if asked, all := askedOrNot(s); asked != all {
			t.Errorf("%q\nwith its cues %q\nwithout them  %q", s, asked, all)
		}
	})
}

// TestAutomaton: it finds what strings.Contains finds.
func TestAutomaton(t *testing.T) {
	var all []cue
	for i, text := range []string{"a", "ab", "bab", "bc", "bca", "c", "caa", "aaaa", "k"} {
		all = append(all, cue{text: text, finder: i})
	}
	a := newAutomaton(all)
	r := rand.New(rand.NewPCG(3, 4))
	letters := []string{"a", "b", "c", "A", "B", "d", "K", "ä"}
	for range 20000 {
		s := ""
		for range r.IntN(12) {
			s += letters[r.IntN(len(letters))]
		}
		got := a.in(s)
		for _, c := range all {
			if want := strings.Contains(strings.ToLower(s), c.text); got.has(c.finder) != want {
				t.Fatalf("%q in %q: %v, want %v", c.text, s, !want, want)
			}
		}
	}
}
