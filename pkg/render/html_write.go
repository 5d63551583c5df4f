package render

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// markup is what the page says itself. A constant is one without a word; a text of
// a report is a string, which the compiler does not take for one.
type markup string

// htmlWriter writes a page out of forms and texts.
//
// html/template would do the same over reflection, by which the linker keeps every
// method of every type in the program: a fifth of its size. A test has it judge
// each form instead: it must find the same bytes right in each of them.
type htmlWriter struct {
	to  *bufio.Writer
	err error // of a form that does not fit its values
}

func newHTMLWriter(w io.Writer) *htmlWriter { return &htmlWriter{to: bufio.NewWriter(w)} }

// place is where a value stands in a form: between elements, or in an attribute in
// double quotes. No form has one in a style, a script, a URL but for its fragment,
// or the name of anything, nor begins or ends inside a tag.
const place = "{}"

// put writes a form, each place in it filled with the value whose turn it is: a
// string, encoded, or an int.
func (p *htmlWriter) put(form markup, values ...any) {
	rest := string(form)
	for _, v := range values {
		before, after, ok := strings.Cut(rest, place)
		if !ok {
			p.misfit(form)
		}
		rest = after
		p.to.WriteString(before)
		switch v := v.(type) {
		case int:
			p.to.WriteString(strconv.Itoa(v))
		case string:
			if strings.HasSuffix(before, `="#`) {
				v = fragment(v)
			}
			htmlCodes.WriteString(p.to, v)
		default:
			p.misfit(form)
		}
	}
	if strings.Contains(rest, place) {
		p.misfit(form)
	}
	p.to.WriteString(rest)
}

func (p *htmlWriter) misfit(form markup) {
	if p.err == nil {
		p.err = fmt.Errorf("the page's form %q does not fit its values", form)
	}
}

// own writes a style or a script of the page, whose hash is in its policy.
func (p *htmlWriter) own(element, text markup) {
	for _, s := range []markup{"<", element, ">", text, "</", element, ">"} {
		p.to.WriteString(string(s))
	}
}

func (p *htmlWriter) end() error { return errors.Join(p.err, p.to.Flush()) }

// htmlCodes are for what is not a text's own between elements and in attributes
// (HTML, 13.1.2.3 and 13.1.4), and for what old browsers took for that.
var htmlCodes = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;", "+", "&#43;",
)

// fragment has a name stand in a URL as it is (RFC 3986, 2.3 and 3.5).
func fragment(s string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
