package render

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var formTexts = []string{
	"", "a", "a b", "+1", "\x00", "\xff", "統計", "{}", "&amp;", `"><script>alert(1)</script>`, "' onclick='alert(1)", " onclick=alert(1) ", "javascript:alert(1)",
	"expression(alert(1))", "</title><b>", "</script>", "</style>", "-->", "]]>", "`${x}`", "drift:a@b~2", "%41", "/../x?y=z#w",
}

// judge has html/template, which knows where in a page a text stands, fill a form;
// the writer must come to the same bytes. It refuses a form that ends elsewhere
// than between elements.
func judge(form markup) error {
	t, err := template.New("form").Parse(strings.ReplaceAll(string(form), place, "{{.}}"))
	if err != nil {
		return err
	}
	places := strings.Count(string(form), place)
	for _, text := range formTexts {
		var want, got bytes.Buffer
		if err := t.Execute(&want, text); err != nil {
			return err
		}
		p := newHTMLWriter(&got)
		p.put(form, slices.Repeat([]any{text}, places)...)
		if err := p.end(); err != nil {
			return err
		}
		if got.String() != want.String() {
			return fmt.Errorf("%q: %q, want %q", text, got.String(), want.String())
		}
	}
	return nil
}

// TestHTMLForms: no text of a report leaves the place that it is given, whatever
// the page comes to say.
func TestHTMLForms(t *testing.T) {
	all := forms(t)
	if len(all) < 100 {
		t.Errorf("%d forms are found", len(all))
	}
	for at, form := range all {
		if err := judge(markup(form)); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestHTMLFormsThatAreRefused(t *testing.T) {
	for _, form := range []markup{
		`<a href="{}">x</a>`, `<a href="?{}">x</a>`, `<img src="{}">`, `<p onclick="{}">`, `<p onclick="f('{}')">`, `<p style="{}">`, `<p style="color: {}">`, `<p class={}>`, `<p class='#{}`,
		`<p class="{}`, `<p {}="x">`, `<p {}>`, `<{}>`, `<!-- {} -->`, `<script>{}</script>`, `<script>x = "{}"</script>`, `<style>{}</style>`, `<style>p { color: {} }</style>`, `<script>`, `<style>`, `<title>`,
		`<p class="#{}">`,
	} {
		if judge(form) == nil {
			t.Errorf("%s", form)
		}
	}
}

func TestHTMLFormThatDoesNotFit(t *testing.T) {
	for name, put := range map[string]func(*htmlWriter){
		"a value too few":  func(p *htmlWriter) { p.put(`<p>{} {}</p>`, "a") },
		"a value too many": func(p *htmlWriter) { p.put(`<p>{}</p>`, "a", "b") },
		"no text":          func(p *htmlWriter) { p.put(`<p>{}</p>`, markup("<b>")) },
	} {
		p := newHTMLWriter(io.Discard)
		put(p)
		if p.end() == nil {
			t.Error(name)
		}
	}
}

// forms are all that the page is made of, by their places in the sources. There is
// no other way into the page: what is put must be a constant, and nothing else
// becomes markup, or is written past the writer.
func forms(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("html*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "html_write.go" {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			at := set.Position(token.NoPos)
			if n != nil {
				at = set.Position(n.Pos())
			}
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if n.Sel.Name == "to" {
					t.Errorf("%s: past the writer", at)
				}
			case *ast.CallExpr:
				form(t, out, at.String(), n)
			}
			return true
		})
	}
	return out
}

func form(t *testing.T, out map[string]string, at string, call *ast.CallExpr) {
	t.Helper()
	if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "markup" {
		t.Errorf("%s: a text becomes markup", at)
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case !ok:
	case f.Sel.Name == "put":
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			t.Errorf("%s: a form that is no constant", at)
			return
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		out[at] = text
	case f.Sel.Name == "own":
		if name, ok := call.Args[1].(*ast.Ident); !ok || name.Name != "htmlStyle" && name.Name != "htmlScript" {
			t.Errorf("%s: neither the style nor the script", at)
		}
	}
}
