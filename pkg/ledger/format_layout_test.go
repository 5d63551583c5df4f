package ledger

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// TestFormatAnyLayout lays out ledgers whose layout is made up at random: what
// comes out is laid out already, says the same, and holds every comment.
func TestFormatAnyLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	refused := 0
	const rounds = 1500
	for range rounds {
		in := madeUp(r)
		out, err := FormatFile("l.yaml", []byte(in))
		if err != nil {
			refused++
			continue
		}
		again, err := FormatFile("l.yaml", out)
		if err != nil || !bytes.Equal(out, again) {
			t.Fatalf("laid out again: %v\n%s\n%s\n%s", err, in, out, again)
		}
		if a, b := meant(t, []byte(in)), meant(t, out); !reflect.DeepEqual(a, b) {
			t.Fatalf("it says something else\n%s\n%s\n%+v\n%+v", in, out, a, b)
		}
		if a, b := comments(strings.TrimPrefix(in, "\ufeff")), comments(string(out)); !slices.Equal(a, b) {
			t.Fatalf("comments %q became %q\n%s\n%s", a, b, in, out)
		}
	}
	// What the YAML library would lose (a comment behind a bracket of several lines)
	// or change (a folded text with deeper lines) is refused, as the file is then
	// left as it is.
	if refused > rounds/10 {
		t.Errorf("%d of %d were refused", refused, rounds)
	}
}

// meant is what a ledger says, without its places.
func meant(t *testing.T, data []byte) Ledger {
	t.Helper()
	l, _, err := Parse("l.yaml", data, nil)
	if err != nil {
		t.Fatalf("not sound: %v\n%s", err, data)
	}
	l.SHA256, l.sources = "", nil
	for i := range l.Roles {
		l.Roles[i].Pos, l.Roles[i].Statement.Pos, l.Roles[i].Statement.Fields = specs.Pos{}, specs.Pos{}, nil
	}
	for i := range l.Waivers {
		l.Waivers[i].Pos = specs.Pos{}
	}
	return l
}

// ends are the comments of a made-up ledger: no text of it holds one of these.
var ends = regexp.MustCompile(`(?:^|[ \t\n])(# (?:c|deep)[^\n\r]*)`)

func comments(text string) []string {
	var out []string
	for _, m := range ends.FindAllStringSubmatch(text, -1) {
		out = append(out, strings.TrimRight(m[1], " "))
	}
	slices.Sort(out)
	return out
}
