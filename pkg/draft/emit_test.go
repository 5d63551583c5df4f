package draft

import (
	"bytes"
	"iter"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func readScalar(t *testing.T, data []byte) string {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		t.Fatalf("%v\n%q", err, data)
	}
	return n.Content[0].Content[1].Value
}

func lines(data []byte) iter.Seq[[]byte] { return bytes.Lines(data) }

// A comment cannot end and go on as something else, whatever it tells of.
func TestCommentsStayComments(t *testing.T) {
	for _, s := range []string{"a\nroles: {}", "a\rb", "a\u2028b", "a\u0085b", "\x1b[31m", "\xff", strings.Repeat("x", 1<<20), "a\x00b"} {
		got := oneLine(s)
		if strings.ContainsAny(got, "\n\r\u2028\u0085\x1b\x00") || len(got) > 1<<12 {
			t.Errorf("%.40q becomes %.80q", s, got)
		}
		var n yaml.Node
		if err := yaml.Unmarshal([]byte("# "+got+"\nk: v\n"), &n); err != nil || len(n.Content[0].Content) != 2 {
			t.Errorf("%.40q as a comment: %v", s, err)
		}
	}
}
