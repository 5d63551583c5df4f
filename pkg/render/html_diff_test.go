package render

import (
	"reflect"
	"testing"
)

// What is not there has nothing in common with what is.
func TestHTMLNotSetIsNotCompared(t *testing.T) {
	for _, pair := range [][2]string{{"(not set)", "set (by hand), not twice"}, {"not (set)", "(not set)"}} {
		f := sides(htmlField{}, pair[0], pair[1])
		want := [2][]htmlPiece{{{pair[0], true}}, {{pair[1], true}}}
		if got := [2][]htmlPiece{f.Desired, f.Observed}; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v", pair, got)
		}
	}
}

// The runner finds a file by its name, whatever lines the name has; what is an
// order to a CI system, or to a terminal, is none in it.
func TestGitHubFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"ops/a\nb.crontab":  "ops/a%0Ab.crontab",
		"a\r\n::error::b":   "a%0D%0A%3A%3Aerror%3A%3Ab",
		"50%,a:b":           "50%25%2Ca%3Ab",
		"a\x1b[2J##[group]": `a\x1b[2J#\x23[group]`,
	} {
		a := annotation{title: "t"}
		a.at.File = name
		if got := a.command("error"); got != "::error file="+want+",title=t::" {
			t.Errorf("%q: %s", name, got)
		}
	}
}
