package github

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// GitHub's expressions, as actions/runner (src/Sdk/Expressions, 258d6c8) reads
// them: single-quoted texts in which '' stands for one quote, numbers, words,
// the operators below, calls, and .name or [index] behind a value. White space
// between the tokens has no meaning.

// exprKind tells the tokens of an expression apart.
type exprKind uint8

const (
	exprWord exprKind = iota // a name, true, false, null, NaN, Infinity
	exprText
	exprNumber
	exprSign // an operator, a bracket, a comma or a dot
)

type exprToken struct {
	kind exprKind
	text string // as written; of an exprText what stands between the quotes, with '' undone
}

// exprTokens cuts an expression. It is false for what GitHub refuses already
// while cutting: an open or a double-quoted text, a sign that is none.
func exprTokens(s string) ([]exprToken, bool) {
	var out []exprToken
	for i := 0; i < len(s); {
		if r, size := utf8.DecodeRuneInString(s[i:]); unicode.IsSpace(r) {
			i += size
			continue
		}
		t, n := nextToken(s[i:], out)
		if n == 0 {
			return nil, false
		}
		out = append(out, t)
		i += n
	}
	return out, true
}

// nextToken is the token at the head of a text and its length, 0 for none.
func nextToken(s string, before []exprToken) (exprToken, int) {
	switch c := s[0]; {
	case c == '\'':
		return textToken(s)
	case c == '-' || c == '+' || c >= '0' && c <= '9' || c == '.' && startsValue(before):
		n := 1 + wordLength(s[1:], true)
		return exprToken{exprNumber, s[:n]}, n
	case strings.IndexByte("()[],.*", c) >= 0:
		return exprToken{exprSign, s[:1]}, 1
	case strings.IndexByte("!<>=&|", c) >= 0:
		return signToken(s)
	}
	n := wordLength(s, false)
	if !isExprWord(s[:n]) {
		return exprToken{}, 0
	}
	return exprToken{exprWord, s[:n]}, n
}

func textToken(s string) (exprToken, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return exprToken{exprText, b.String()}, i + 1
	}
	return exprToken{}, 0
}

func signToken(s string) (exprToken, int) {
	for _, two := range []string{"!=", ">=", "<=", "==", "&&", "||"} {
		if strings.HasPrefix(s, two) {
			return exprToken{exprSign, two}, 2
		}
	}
	if strings.IndexByte("!<>", s[0]) >= 0 {
		return exprToken{exprSign, s[:1]}, 1
	}
	return exprToken{}, 0
}

// startsValue says that a value may begin behind the tokens so far, so that a
// dot there begins a number.
func startsValue(before []exprToken) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return last.kind == exprSign && strings.Contains("( [ , ! != == < <= > >= && ||", last.text) && last.text != ")"
}

// wordLength is how far a word or number goes.
func wordLength(s string, dots bool) int {
	n := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("()[],!><=&|", r) || r == '.' && !dots
	})
	if n < 0 {
		return len(s)
	}
	return n
}

func isExprWord(s string) bool {
	for i, r := range s {
		letter := r == '_' || r < unicode.MaxASCII && unicode.IsLetter(r)
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

// spaced is an expression with one blank where people put one and none
// elsewhere, so that two which differ in nothing but blanks are one text. What
// is no expression stays as it is.
func spaced(s string) string {
	ts, ok := exprTokens(s)
	if !ok {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	for i, t := range ts {
		if i > 0 && !joins(ts[i-1], t) {
			b.WriteByte(' ')
		}
		if t.kind == exprText {
			b.WriteString("'" + strings.ReplaceAll(t.text, "'", "''") + "'")
			continue
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// joins says that no blank stands between two tokens.
func joins(a, b exprToken) bool {
	value := a.kind == exprWord || a.kind == exprSign && (a.text == ")" || a.text == "]" || a.text == "*")
	switch {
	case a.kind == exprSign && (a.text == "(" || a.text == "[" || a.text == "." || a.text == "!"):
		return true
	case b.kind != exprSign:
		return false
	case b.text == ")" || b.text == "]" || b.text == ",":
		return true
	}
	return value && (b.text == "(" || b.text == "[" || b.text == ".")
}

// span is the part of a text from one byte to before another.
type span struct{ from, to int }

// expressions are the ${{ }} of a text, with their signs. An open one is left
// out, and closed is then false.
func expressions(s string) (out []span, closed bool) {
	for i := 0; ; {
		at := strings.Index(s[i:], "${{")
		if at < 0 {
			return out, true
		}
		from := i + at
		end := closing(s, from+3)
		if end < 0 {
			return out, false
		}
		out = append(out, span{from, end})
		i = end
	}
}

// closing is where the }} that ends an expression ends, -1 if none does. In a
// quoted text it ends nothing.
func closing(s string, i int) int {
	quoted := false
	for ; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			quoted = !quoted
		case !quoted && s[i] == '}' && i+1 < len(s) && s[i+1] == '}':
			return i + 2
		}
	}
	return -1
}

// interpolated is a text with the blanks in its expressions brought to one
// form.
func interpolated(s string) string {
	spans, _ := expressions(s)
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, e := range spans {
		b.WriteString(s[done:e.from])
		b.WriteString("${{ " + spaced(s[e.from+3:e.to-2]) + " }}")
		done = e.to
	}
	b.WriteString(s[done:])
	return b.String()
}

// wholeExpression is the inside of a text that is one expression and nothing
// else.
func wholeExpression(s string) (string, bool) {
	spans, closed := expressions(s)
	if !closed || len(spans) != 1 || spans[0] != (span{0, len(s)}) {
		return "", false
	}
	return s[3 : len(s)-2], true
}
