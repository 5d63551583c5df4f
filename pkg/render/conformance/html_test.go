package conformance

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// mayHave are the elements of the page and their attributes. Of all of them only
// id, href and aria-label hold a text that is not the program's own.
var mayHave = map[string]string{
	"html": "lang", "head": "", "title": "", "style": "", "script": "", "body": "", "meta": "charset http-equiv content name", "link": "rel href",
	"header": "", "nav": "aria-label", "main": "tabindex", "footer": "", "section": "aria-label aria-labelledby data-s", "article": "data-k data-s data-o",
	"div": "role aria-label tabindex hidden data-k data-s data-o", "p": "role aria-live hidden", "span": "aria-hidden", "a": "href", "b": "", "i": "", "code": "", "mark": "", "kbd": "", "time": "",
	"h1": "", "h2": "", "h3": "", "h4": "", "ul": "aria-label", "ol": "", "li": "data-k data-s data-o", "dl": "", "dt": "", "dd": "", "details": "", "summary": "",
	"button": "type hidden", "label": "for", "input": "type autocomplete spellcheck placeholder", "select": "", "option": "value",
	"table": "", "thead": "", "tbody": "", "tr": "data-k data-s data-o", "th": "scope", "td": "",
	"svg": "aria-hidden aria-label role width height viewBox preserveAspectRatio", "g": "", "rect": "x y width height", "line": "x1 x2 y1 y2", "text": "x y", "path": "d stroke-dasharray",
}

// strange says what in a page could not be ours; empty if nothing is.
func strange(page string) (why string) {
	z, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err.Error()
	}
	ids := map[string]bool{}
	var links []string
	for n := range z.Descendants() {
		switch n.Type {
		case html.CommentNode:
			return "a comment: " + n.Data
		case html.ElementNode:
			may, known := mayHave[n.Data]
			if !known {
				return "an element " + n.Data
			}
			for _, a := range n.Attr {
				if a.Key == "id" {
					if ids[a.Val] {
						return "two have the id " + a.Val
					}
					ids[a.Val] = true
				} else if a.Key != "class" && !slices.Contains(strings.Fields(may), a.Key) {
					return fmt.Sprintf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
				if a.Key == "href" && n.Data == "a" {
					links = append(links, a.Val)
				}
			}
		}
	}
	for _, link := range links {
		if !strings.HasPrefix(link, "#") {
			return "a link to " + link
		}
	}
	return ""
}

// texts are the texts of the elements of one name.
func textsOf(page, name string) (out []string) {
	z, _ := html.Parse(strings.NewReader(page))
	for n := range z.Descendants() {
		if n.Type != html.ElementNode || n.Data != name {
			continue
		}
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
		out = append(out, b.String())
	}
	return out
}

// TestHTML reads what was written as a browser does, and looks at each element
// and attribute: nothing is there but what the page is made of, and it has the
// same shape whatever the texts.
func TestHTML(t *testing.T) {
	holds := func(what, page string) {
		t.Helper()
		if why := strange(page); why != "" {
			t.Errorf("%q: %s", what, why)
		}
	}
	holds("the sample", sample(t, "sample.html"))
	shape := ""
	for _, s := range texts(150) {
		page := show(t, render.HTML, saved(t, filled(s)))
		holds(s, page)
		if !strings.Contains(page, "Content-Security-Policy") {
			t.Fatal("no policy")
		}
		if shape == "" {
			shape = scriptOf(page)
		}
		if scriptOf(page) != shape {
			t.Errorf("%q: another script", s)
		}
	}
	for _, bad := range []string{"<img src=x>", "<a href=https://evil.example>x</a>", "<p onclick=x>", "<div style='x'>", "<!-- x -->", "<form></form>", "<p id=a></p><p id=a></p>", "<base href=/>", "<iframe></iframe>"} {
		if strange(bad) == "" {
			t.Errorf("taken: %s", bad)
		}
	}
}

func scriptOf(page string) string {
	return strings.Join(append(textsOf(page, "script"), textsOf(page, "style")...), "\n")
}

// What stands in the page is shown as it was.
func TestHTMLShowsTheText(t *testing.T) {
	for _, s := range texts(40) {
		r := saved(t, filled(s))
		want := render.Escape(r.Notes[0].Message)
		if len(want) > 280 {
			continue
		}
		page := show(t, render.HTML, r)
		for _, name := range []string{"p", "code", "td", "dd", "li", "h3", "span"} {
			found := slices.ContainsFunc(textsOf(page, name), func(text string) bool { return strings.Contains(text, want) })
			if !found && want != "" {
				t.Errorf("%q is in no %s", want, name)
			}
		}
	}
}

// TestHTMLLinks: each link within the page leads to a place that is there.
func TestHTMLLinks(t *testing.T) {
	for _, s := range append(texts(60), "sample") {
		page := show(t, render.HTML, saved(t, filled(s)))
		if s == "sample" {
			page = sample(t, "sample.html")
		}
		z, _ := html.Parse(strings.NewReader(page))
		ids, links := map[string]bool{}, 0
		for n := range z.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "id" {
					ids[a.Val] = true
				}
			}
		}
		for n := range z.Descendants() {
			for _, a := range n.Attr {
				if a.Key == "href" && n.Data == "a" {
					links++
					if id := unescaped(t, a.Val[1:]); !ids[id] {
						t.Errorf("%q: nothing is at #%s", s, id)
					}
				}
			}
		}
		if links < 5 {
			t.Errorf("%q: only %d links", s, links)
		}
	}
}

func unescaped(t testing.TB, fragment string) string {
	t.Helper()
	s, err := url.PathUnescape(fragment)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
