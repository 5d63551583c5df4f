package plain_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// whole is what yaml.v3 makes of a text of one document, comments left out.
func whole(text string) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("a second document: %v", err)
	}
	uncomment(doc.Content[0])
	return doc.Content[0], nil
}

func uncomment(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range n.Content {
		uncomment(c)
	}
}

// same holds a text against yaml.v3 and says whether it was read.
func same(t *testing.T, text string) bool {
	t.Helper()
	got, ok := plain.Tree(text)
	if !ok {
		return false
	}
	want, err := whole(text)
	if err != nil {
		t.Fatalf("read, but yaml.v3 says %v\n%q", err, text)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("differs from yaml.v3\n%q\n got %s\nwant %s", text, show(got), show(want))
	}
	return true
}

func show(n *yaml.Node) string {
	var b strings.Builder
	var put func(n *yaml.Node)
	put = func(n *yaml.Node) {
		fmt.Fprintf(&b, "(%d %d %s %q %d:%d", n.Kind, n.Style, n.Tag, n.Value, n.Line, n.Column)
		for _, c := range n.Content {
			put(c)
		}
		b.WriteString(")")
	}
	put(n)
	return b.String()
}

var read = []string{
	"a: b\n", "a: b", "a:\n", "a:", "a: # c\n", "a:\nb:\n", "- a\n- b\n", "-\n-\n", "- # c\n-\n", "a:\n- b\n- c\nd: e\n", "a:\n-\nb: 1\n",
	"  a: b\n  c: d\n", "---\na: b\n", "# c\n--- # d\na: b\n", "\n\n# c\n\na: b\n\n", "a:\n  b:\n    c: d\n  e: f\ng: h\n",
	"- a: 1\n  b: 2\n-   c: 3\n    d: 4\n", "- - a\n  - b\n-\n  - c\n", "- a:\n  - b\n  c: d\n", "a:\n  b\nc: d\n", "a:\n  'b'\n", "a:\n  [b]\n", "a:\n  |\n  b\n",
	"a: 'it''s'\nb: \"x\\n\\t\\\"\\\\\"\n'c d': 1\n\"e\" : 2\nf   : 3\n", "a: b # c\nd: 'e' # f\ng: \"h\" #\ni: [j] # k\n",
	"a: [b, 'c', \"d\", 1, true]\ne: {f: g, \"h\":1, 'i' : j, k: [l, {m: n}]}\no: []\np: {}\nq: [ a , b , ]\n",
	"a: |\n  b\n\n   c\n  \td\n\n\ne: f\n", "a: |-\n  b\n\nc: >+\n  d\n  e\n\n   f\n  g\n\n", "a: >\n  b\n\n\n  c\n    \n   d\n\ne: f\n", "- |2\n   a\n  b\n- >-\n a\n", "a: |\n  b\n# c\nd: e\n",
	"a: |\n  b", "a: |\n  b\n  ", "a: |+\n  b\n  ", "a: |\n  b\n     ", "a: |\n\n  b\n", "a: # b\n  - c\n", "a: |  # b\n  c\n",
	"ключ: значение # я\n\"é\": [é, è]\n",
	"a: 1\nb: -1\nc: 1.5\nd: 0x1F\ne: 010\nf: 2026-01-01\ng: ~\nh: null\ni: .inf\nj: yes\nk: 1_000\nl: 08\nm: 12:30\nn: 1e3\no: +1\np: .5\nq: 99999999999999999999\nr: -.inf\ns: 0b11\nt: 0o7\n",
	"a: --flag=x\nb: -x\n", "a: b:c\nd: http://e/f#g\nh: i  j\n", "true: 1\n1: 2\n~: 3\n", "a: b\na: c\n",
	"a: 'x\ty'\nb: \"x\ty\"\n# \t\n", "a: [-1, --b, c:d, e f]\n", "a: ((b))\nc: $d\ne: =\nf: ;\n",
}

var refused = []string{
	"", "\n", "# c\n", "---\n", "a", "a\nb\n", "a: b\n---\n", "a: b\n...\n", "a: b\n---\nc: d\n", "%YAML 1.1\n---\na: b\n", "\ufeffa: b\n", "a: b\r\nc: d\r\n", "a: \x01\n", "a: \xff\n", "a: \u0085\n", "a: \u2028\n",
	"a: &b c\n", "a: *b\n", "a: !!str b\n", "? a\n: b\n", "<<: a\n", "a: <<\n", "\ta: b\n", "a:\tb\n", "a: b\tc\n", "a: b\n c\n", "a: 'b\n  c'\n", "a: \"b\n  c\"\n", "a: [b,\n  c]\n",
	"a: b: c\n", "a: - b\n", "a: -\n", "a: b\n  c: d\n", "a:\n  b: c\n d: e\n", "- a\n b\n", "a: [b\n", "a: [b]]\n", "a: [b] c\n", "a: [b]# c\n", "a: 'b'c\n", "a: 'b'# c\n", "a: {b}\n", "a: {b: }\n", "a: {b: , c: d}\n",
	"a: [b: c]\n", "a: [, b]\n", "a: [b ,, c]\n", "a: [*b]\n", "a: [b?c]\n", "a: [b:]\n", "a: [b: ]\n", "a: \"\\q\"\n", "a: \"\\/\"\n", "a: \"\\u0041\"\n", "a: |\nb: c\n", "a: |x\n  b\n", "a: |\n\tb\n", "a: |\n    \n  b\n",
	"a: @b\n", "a: `b`\n", "a: %b\n", "a: ,b\n", "'a'\n", "a: b\n- c\n", "- a\nb: c\n", "a\n  b: c\n", "---a: b\n", "--- a\n", strings.Repeat("a", 1100) + ": b\n", "a: " + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "\n", strings.Repeat("- ", 200) + "a\n",
}

func TestRead(t *testing.T) {
	for _, text := range read {
		if !same(t, text) {
			t.Errorf("refused: %q", text)
		}
	}
	for _, text := range refused {
		if same(t, text) && text != "a\n" && text != "'a'\n" && text != "a" {
			t.Errorf("read: %q", text)
		}
	}
}

// TestNear changes each text in each place a little: what is nearly plain is
// where a reader goes wrong.
func TestNear(t *testing.T) {
	signs := []string{" ", "\n", "\n ", "\n  ", "-", "- ", ":", ": ", "#", " #", "'", "\"", "[", "]", "{", "}", ",", "|", ">", "\\", "\t", "?", "&a ", "*a", "!", "é", "<<", "---\n", "\n---\n", "\r", "%", "~", "0", "|\n", ">-\n"}
	for _, text := range append(read, refused[:len(refused)-3]...) {
		for i := range len(text) + 1 {
			for _, s := range signs {
				same(t, text[:i]+s+text[i:])
				if i < len(text) {
					same(t, text[:i]+s+text[i+1:])
				}
			}
			if i < len(text) {
				same(t, text[:i]+text[i+1:])
			}
		}
	}
}

func TestRandom(t *testing.T) {
	n := 30_000
	if testing.Short() {
		n = 3_000
	}
	plainly := 0
	for seed := range n {
		g := &generator{Rand: rand.New(rand.NewSource(int64(seed)))}
		if same(t, g.document()) {
			plainly++
		}
	}
	if plainly < n*7/10 {
		t.Errorf("only %d of %d were read", plainly, n)
	}
}

// TestRandomLines puts lines together that do not fit.
func TestRandomLines(t *testing.T) {
	lines := []string{"a:", "b: c", "- d", "-", "- e: f", "# g", "", "h: |", "i: >-", "j k", "- - l", "- |", "m: 'n'", "'o'", "[p]", "q: {r: s}", "---", "- # t", "u: # v", "\t", "x: |2"}
	r := rand.New(rand.NewSource(1))
	for range 200_000 {
		var b strings.Builder
		for range 1 + r.Intn(7) {
			b.WriteString(strings.Repeat(" ", r.Intn(6)))
			b.WriteString(lines[r.Intn(len(lines))])
			b.WriteString("\n")
		}
		text := b.String()
		same(t, text[:len(text)-r.Intn(2)])
	}
}

// generator writes documents that are plain, and some that are not quite.
type generator struct {
	*rand.Rand
	bytes.Buffer
}

func (g *generator) pick(of ...string) string { return of[g.Intn(len(of))] }

func (g *generator) document() string {
	if g.Intn(5) == 0 {
		g.WriteString(g.pick("---\n", "# head\n---\n", "--- # x\n"))
	}
	g.collection(0, 0)
	s := g.String()
	if g.Intn(8) == 0 {
		s = strings.TrimSuffix(s, "\n")
	}
	return s
}

func (g *generator) line(s string) {
	g.WriteString(s + g.pick("", "", "", " ", " # c", "  #", "   # d: e") + "\n")
	for g.Intn(6) == 0 {
		g.WriteString(strings.Repeat(" ", g.Intn(9)) + g.pick("", "# c\n#d", "# - x: y") + "\n")
	}
}

func (g *generator) collection(col, depth int) {
	if g.Intn(2) == 0 {
		g.mapping(col, depth, true)
	} else {
		g.sequence(col, depth, true)
	}
}

// mapping writes entries at a column; the first may stand behind a dash.
func (g *generator) mapping(col, depth int, first bool) {
	for i := range 1 + g.Intn(3) {
		if i > 0 || first {
			g.WriteString(strings.Repeat(" ", col))
		}
		g.WriteString(g.pick("a", "b c", "'d'", `"e"`, "f.g/h", "1", "null", "on", "ключ", "k-1") + g.pick(":", ":", " :"))
		g.value(col, depth, true)
	}
}

func (g *generator) sequence(col, depth int, first bool) {
	for i := range 1 + g.Intn(3) {
		if i > 0 || first {
			g.WriteString(strings.Repeat(" ", col))
		}
		g.WriteString("-")
		if depth < 4 && g.Intn(2) == 0 {
			n := 1 + g.Intn(3)
			g.WriteString(strings.Repeat(" ", n))
			if g.Intn(3) == 0 {
				g.sequence(col+1+n, depth+1, false)
			} else {
				g.mapping(col+1+n, depth+1, false)
			}
			continue
		}
		g.value(col, depth, false)
	}
}

func (g *generator) value(col, depth int, key bool) {
	switch k := g.Intn(10); {
	case k < 2 && depth < 4:
		g.line("")
		if key && g.Intn(2) == 0 {
			g.sequence(col, depth+1, true)
		} else {
			g.collection(col+1+g.Intn(4), depth+1)
		}
	case k == 2:
		g.line("")
	case k == 3:
		g.WriteString(" " + g.pick("|", ">") + g.pick("", "-", "+") + g.pick("", " ", " # c") + "\n")
		g.block(col + 1 + g.Intn(4))
	case k == 4:
		g.line(" " + g.flow(0))
	case k == 5 && depth > 0:
		g.line("")
		g.line(strings.Repeat(" ", col+1+g.Intn(3)) + g.scalar())
	default:
		g.line(strings.Repeat(" ", 1+g.Intn(2)) + g.scalar())
	}
}

func (g *generator) scalar() string {
	return g.pick("x", "y z", "12", "-3", "0.5", "true", "~", "2026-11-30", "010", "0x1f", "1.10", "a:b", "a#b", "http://c/d", "é", "--e", "a 'b' \"c\"", "'it''s # no'", `"q\n\"r\" \\"`, "''", `""`, "'ü: x'", `"a: b"`, "yes", "1_0", ".5", "-", "*", "é  è", "|x", "c: d")
}

func (g *generator) flow(depth int) string {
	var b strings.Builder
	open, shut := "[", "]"
	if g.Intn(2) == 0 {
		open, shut = "{", "}"
	}
	b.WriteString(open + g.pick("", " "))
	for i := range g.Intn(4) {
		if i > 0 {
			b.WriteString(g.pick(",", ", ", " , "))
		}
		if open == "{" {
			b.WriteString(g.pick("a: ", "'b':", `"c":`, "d : ", "é: "))
		}
		if depth < 3 && g.Intn(4) == 0 {
			b.WriteString(g.flow(depth + 1))
		} else {
			b.WriteString(g.pick("x", "y z", "1", "'s t'", `"u\tv"`, "a:b", "-1", "true", "é", "null", "a*b"))
		}
	}
	return b.String() + g.pick("", " ") + shut
}

func (g *generator) block(col int) {
	g.WriteString(strings.Repeat(" ", col) + "first" + "\n")
	for range g.Intn(5) {
		g.WriteString(g.pick(strings.Repeat(" ", g.Intn(col+3))+"\n", "\n", strings.Repeat(" ", col)+g.pick("x", " x", "\tx", "# x", "x: y", "- é", "x ")+"\n"))
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range append(read, refused...) {
		f.Add(text)
	}
	for seed := range 20 {
		f.Add((&generator{Rand: rand.New(rand.NewSource(int64(seed)))}).document())
	}
	f.Fuzz(func(t *testing.T, text string) { same(t, text) })
}

// TestTexts reads files that $PLAIN_TEXTS names, and tells how many were plain.
func TestTexts(t *testing.T) {
	root := os.Getenv("PLAIN_TEXTS")
	if root == "" {
		t.Skip("PLAIN_TEXTS names no folder")
	}
	all, plainly := 0, 0
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".yaml") && !strings.HasSuffix(p, ".yml") {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		for _, text := range strings.SplitAfter("\n"+string(data), "\n---") {
			text = strings.TrimPrefix(strings.TrimSuffix(text, "---"), "\n")
			if _, err := whole(text); err != nil {
				continue
			}
			all++
			if same(t, text) {
				plainly++
			} else if testing.Verbose() {
				t.Log(p)
			}
		}
		return nil
	})
	t.Logf("%d of %d are plain", plainly, all)
	if err != nil {
		t.Fatal(err)
	}
}
