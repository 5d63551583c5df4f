package redact

import (
	"slices"
	"strings"
	"unicode"
)

// assigned finds what stands after a sensitive name: NAME=x, --name x, name: x,
// "name": "x", ?name=x, Name: Bearer x.
func assigned(s string, found *spans) {
	var open quoting
	for i := 0; i < len(s); {
		if !isName(s[i]) {
			open.see(s, i)
			i++
			continue
		}
		end := skip(s, i, isName)
		v, ok := valueOf(s, i, end, open.char)
		if ok {
			found.add(v.from, v.to)
			for ; end < v.to; end++ {
				open.see(s, end)
			}
		}
		i = end
	}
}

// quoting is the quote that is open at a place, by the rules of a shell.
type quoting struct{ char byte }

func (q *quoting) see(s string, i int) {
	c := s[i]
	if !isQuote(c) || q.char != '\'' && i > 0 && s[i-1] == '\\' {
		return
	}
	switch q.char {
	case 0:
		q.char = c
	case c:
		q.char = 0
	}
}

// named is a name in a text and what stands around it.
type named struct {
	s          string
	start, end int
	quote      string // the closing quote, as it is written: " or \"
	open       byte   // the quote that is open before the name, or 0
}

func (n named) name() string { return n.s[n.start:n.end] }
func (n named) flag() bool   { return n.s[n.start] == '-' }
func (n named) before() byte {
	if n.start == 0 {
		return ' '
	}
	return n.s[n.start-1]
}
func (n named) query() bool { b := n.before(); return b == '?' || b == '&' }

func valueOf(s string, start, end int, open byte) (span, bool) {
	n := named{s: s, start: start, end: end, quote: closing(s, end), open: open}
	if !n.hides() {
		return span{}, false
	}
	if open != 0 && n.quote == string(open) {
		n.open = 0
	}
	if isHeader(n.name()) {
		if at, ok := n.afterColon(); ok {
			return headerValue(n, at)
		}
	}
	at, ok := n.afterSign()
	if !ok {
		at, ok = n.afterFlag()
	}
	if !ok {
		return span{}, false
	}
	if fault(s, at) {
		return span{}, false
	}
	return n.value(at)
}

// value is the secret that begins at a place. What says how to authenticate is
// masked with it, since it may be the password itself.
func (n named) value(at int) (span, bool) {
	v, ok := value(n.s, at, n.open, n.query())
	text := n.s[v.from:v.to]
	switch {
	case !ok || !n.query() && filePath(text) || isKeyFlag(n.name()) && harmlessKey(text):
		return v, false
	case !strings.EqualFold(text, "bearer") && !strings.EqualFold(text, "basic"):
		return v, true
	}
	next := skip(n.s, v.to, isBlank)
	if second, is := value(n.s, next, n.open, false); is && next > v.to {
		return span{v.from, second.to}, true
	}
	second := n.s[next:wordEnd(n.s, next, n.open)]
	return v, !masked(second) && !reference(second)
}

func (n named) hides() bool {
	return sensitive(n.name()) || n.query() && slices.Contains(inQuery, strings.ToLower(n.name()))
}

// closing is the quote right after a name, with its backslashes, if the name is
// quoted.
func closing(s string, at int) string {
	i := at
	for i < len(s) && s[i] == '\\' {
		i++
	}
	if i < len(s) && isQuote(s[i]) {
		return s[at : i+1]
	}
	return ""
}

// signs are what stands between a name and its value.
var signs = []string{"=>", ":=", "==", "=", "%3D", "%3d", ":"}

// afterSign is where the value of an assignment begins.
func (n named) afterSign() (int, bool) {
	gap := skip(n.s, n.end+len(n.quote), isBlank)
	for _, sign := range signs {
		if !strings.HasPrefix(n.s[gap:], sign) {
			continue
		}
		at := gap + len(sign)
		if sign == ":" && !n.colonAssigns(at) {
			return 0, false
		}
		return skip(n.s, at, isBlank), true
	}
	return 0, false
}

// colonAssigns tells an assignment from the tag of an image or the port of a
// host, where the name is only a name.
func (n named) colonAssigns(at int) bool {
	if n.quote != "" || at == len(n.s) || isSpace(n.s[at]) {
		return true
	}
	if strings.HasPrefix(n.s[at:], "//") {
		return false
	}
	if slices.Contains([]string{"pass", "password", "passwd", "secret", "token", "authorization"}, strings.ToLower(n.name())) {
		return n.before() != '/'
	}
	header := strings.ContainsFunc(n.name(), unicode.IsUpper) && isBlank(n.before())
	return header || strings.IndexByte("\"'{,", n.before()) >= 0
}

// afterFlag is where the value of a flag begins that stands in the next word, in
// the next string of a JSON list or in the next item of a YAML list.
func (n named) afterFlag() (int, bool) {
	if !n.flag() || prompts(n.name()) {
		return 0, false
	}
	at := n.end + len(n.quote)
	next := skip(n.s, at, isSpace)
	if next < len(n.s) && n.quote != "" && n.s[next] == ',' {
		next = skip(n.s, next+1, isSpace)
	}
	for strings.HasPrefix(n.s[next:], "\\\n") || strings.HasPrefix(n.s[next:], "- ") && strings.Contains(n.s[at:next], "\n") {
		next = skip(n.s, next+2, isSpace)
	}
	if strings.HasPrefix(n.s[next:], "<<<") {
		next = skip(n.s, next+len("<<<"), isBlank)
	}
	if next == at || next == len(n.s) || strings.HasPrefix(strings.TrimLeft(n.s[next:], `\"'`), "-") || operator(n.s, next) {
		return 0, false
	}
	return next, true
}

// operator says that a word of a shell's grammar stands at a place, after a flag
// that takes no value.
func operator(s string, at int) bool {
	switch s[at : at+indexAny(s[at:], spaces)] {
	case "<", "<<", ">", ">>", "|", "||", "&", "&&", ";", "2>&1", "2>":
		return true
	}
	return false
}

func skip(s string, at int, while func(byte) bool) int {
	for at < len(s) && while(s[at]) {
		at++
	}
	return at
}

// isHeader names the HTTP headers whose value has blanks in it.
func isHeader(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie", "set-cookie":
		return true
	}
	return false
}

func (n named) afterColon() (int, bool) {
	at := skip(n.s, n.end+len(n.quote), isBlank)
	if at == len(n.s) || n.s[at] != ':' {
		return 0, false
	}
	return skip(n.s, at+1, isBlank), true
}

// headerValue is the rest of a header after its scheme, to the quote that
// encloses the header, else to the end of the line.
func headerValue(n named, at int) (span, bool) {
	if at < len(n.s) && (isQuote(n.s[at]) || n.s[at] == '\\') {
		return value(n.s, at, n.open, false)
	}
	end := len(n.s)
	if i := strings.IndexByte(n.s[at:], '\n'); i >= 0 {
		end = at + i
	}
	if q := n.open; q != 0 {
		if i := strings.IndexByte(n.s[at:end], q); i >= 0 {
			end = at + i
		}
	}
	at = afterScheme(n.s, at, end)
	for end > at && isSpace(n.s[end-1]) {
		end--
	}
	return span{at, end}, at < end && !masked(n.s[at:end])
}

// afterScheme steps over the word that says how to authenticate (the registry of
// HTTP authentication schemes, RFC 9110 section 16.4.1, and two that are used
// without being there).
func afterScheme(s string, at, end int) int {
	word := skip(s, at, isName)
	switch strings.ToLower(s[at:word]) {
	case "bearer", "basic", "digest", "token", "negotiate", "ntlm", "dpop", "apikey", "aws4-hmac-sha256":
		if next := skip(s, word, isBlank); next > word && next < end {
			return next
		}
	}
	return at
}
