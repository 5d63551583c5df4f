package conformance

import (
	"encoding/xml"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// ours are the words of the program itself that may stand outside code: they hold
// nothing that GitHub makes a link, mention, reference or emoji of. A commit is
// hex digits from the beginning of a word on: succeeded is none.
var (
	ours     = regexp.MustCompile(`^[\pL0-9 ,;().–:/_-]*$`)
	autolink = regexp.MustCompile(`https?:|www\.|@|#|:[a-z_]+:|GH-|\b[0-9a-f]{7}`)
	folds    = regexp.MustCompile(`^(<details><summary>[A-Za-z ]+ \(\d+\)</summary>|</details>)\n*$`)
)

// TestMarkdown parses what was written and looks at each node: nothing but
// paragraphs, tables with their number of cells, code, bold text and our own
// folds.
func TestMarkdown(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	holds := func(what, source string) {
		t.Helper()
		if why := foreign(md.Parser().Parse(text.NewReader([]byte(source))), []byte(source)); why != "" {
			t.Errorf("%q: %s", what, why)
		}
	}
	holds("the sample", sample(t, "sample.md"))
	for _, s := range texts(600) {
		r := saved(t, filled(s))
		holds(s, show(t, render.Markdown(render.CommentRoom), r))
		holds(s, show(t, render.Markdown(6000), r))
	}
	for _, bad := range []string{"a [b](c)", "![a](b)", "<b>x</b>", "# x", "- x", "> x", "x @y", "~~x~~", "www.x.example", "    x", "```\nx\n```", "|a|b|\n|---|---|\n|[x](y)|"} {
		if foreign(md.Parser().Parse(text.NewReader([]byte(bad))), []byte(bad)) == "" {
			t.Errorf("taken: %q", bad)
		}
	}
}

// foreign says what in a document could not be ours; empty if nothing is.
func foreign(document ast.Node, source []byte) (why string) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || why != "" {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *xast.Table, *xast.TableCell:
		case *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Emphasis:
			if n.Level != 2 || n.Parent().PreviousSibling() != nil {
				why = "emphasis"
			}
		case *xast.TableHeader, *xast.TableRow:
			if table := n.Parent().(*xast.Table); n.ChildCount() != len(table.Alignments) || len(table.Alignments) < 4 {
				why = fmt.Sprintf("a row of %d cells in %d columns", n.ChildCount(), len(table.Alignments))
			}
		case *ast.Text:
			if s := string(n.Value(source)); !ours.MatchString(s) || autolink.MatchString(s) {
				why = fmt.Sprintf("text outside code: %q", s)
			}
		case *ast.HTMLBlock:
			var b strings.Builder
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
			if !folds.MatchString(b.String()) {
				why = fmt.Sprintf("HTML: %q", b.String())
			}
		default:
			why = fmt.Sprintf("a %s", n.Kind())
		}
		return ast.WalkContinue, nil
	})
	return why
}

// What stands in a cell is shown as it was, but for a bar behind a backslash.
func TestMarkdownShowsTheText(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	for _, s := range texts(300) {
		if len(s) > 150 {
			continue
		}
		r := saved(t, filled(s))
		source := []byte(show(t, render.Markdown(1<<20), r))
		want := strings.ReplaceAll(render.Escape(r.Notes[0].Message), `\|`, `\\x7c`)
		found := false
		_ = ast.Walk(md.Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if code, ok := n.(*ast.CodeSpan); ok && entering {
				var b strings.Builder
				for c := code.FirstChild(); c != nil; c = c.NextSibling() {
					switch c := c.(type) {
					case *ast.Text:
						b.Write(c.Value(source))
					case *ast.String:
						b.Write(c.Value)
					}
				}
				found = found || b.String() == want
			}
			return ast.WalkContinue, nil
		})
		if !found && strings.Trim(want, " ") != "" {
			t.Errorf("%q is nowhere in\n%s", want, source)
		}
	}
}

// TestMarkdownAsGitHubReadsIt has GitHub's own parser make HTML of it, with all
// its extensions and with HTML let through, and looks at the elements.
func TestMarkdownAsGitHubReadsIt(t *testing.T) {
	needs(t, "cmark-gfm")
	elements := func(source string) map[string]int {
		cmd := exec.Command("cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist", "-e", "footnotes")
		cmd.Stdin = strings.NewReader(source)
		html, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		dec := xml.NewDecoder(strings.NewReader("<body>" + string(html) + "</body>"))
		for {
			token, err := dec.Token()
			if token == nil {
				if err.Error() != "EOF" {
					t.Errorf("%v in %s", err, html)
				}
				return n
			}
			if e, ok := token.(xml.StartElement); ok {
				n[e.Name.Local]++
				for _, a := range e.Attr {
					n["attribute "+a.Name.Local]++
				}
			}
		}
	}
	for _, s := range append([]string{"sample"}, texts(120)...) {
		source := show(t, render.Markdown(render.CommentRoom), saved(t, filled(s)))
		if s == "sample" {
			source = sample(t, "sample.md")
		}
		for name := range elements(source) {
			if !strings.Contains(" body p strong code table thead tbody tr th td details summary ", " "+name+" ") {
				t.Errorf("%q: %s in\n%s", s, name, source)
			}
		}
	}
	if elements("[a](b) www.x.example <b>x</b>")["a"] != 2 {
		t.Error("links are not seen")
	}
}
