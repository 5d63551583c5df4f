package github

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/specs/slow"
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

// fewTokens is room for the tokens of most expressions.
type fewTokens [24]exprToken

// exprTokens cuts an expression and appends its tokens. It is false for what
// GitHub refuses already while cutting: an open or a double-quoted text, a sign
// that is none.
func exprTokens(out []exprToken, s string) ([]exprToken, bool) {
	for i := 0; i < len(s); {
		if n := spaceAt(s[i:]); n > 0 {
			i += n
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

// spaceAt is the length of the white space character at the head of a text that
// is not empty, 0 if there is none.
func spaceAt(s string) int {
	if c := s[0]; c < utf8.RuneSelf {
		if c == ' ' || c >= '\t' && c <= '\r' {
			return 1
		}
		return 0
	}
	if r, n := utf8.DecodeRuneInString(s); unicode.IsSpace(r) {
		return n
	}
	return 0
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
	if end := strings.IndexByte(s[1:], '\''); end >= 0 && !strings.HasPrefix(s[end+2:], "'") {
		return exprToken{exprText, s[1 : end+1]}, end + 2
	}
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
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(', ')', '[', ']', ',', '!', '>', '<', '=', '&', '|':
			return i
		case '.':
			if !dots {
				return i
			}
		default:
			if (c <= ' ' || c >= utf8.RuneSelf) && spaceAt(s[i:]) > 0 {
				return i
			}
		}
	}
	return len(s)
}

func isExprWord(s string) bool {
	return s != "" && !isDigit(s[0]) && s[0] != '-' &&
		all(s, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' })
}

// dotted is a text that is nothing but words with dots between them, as most
// expressions are, without the white space around it. It is false for any other,
// and may be so for such a one too.
func dotted(s string) (string, bool) {
	s = strings.TrimSpace(s)
	begins := true // a word
	for i := range len(s) {
		switch c := s[i]; {
		case isLetter(c) || c == '_':
			begins = false
		case begins:
			return "", false
		case c == '.':
			begins = true
		case !isDigit(c) && c != '-':
			return "", false
		}
	}
	return s, !begins && !slow.Only()
}

// spaced is an expression with one blank where people put one and none
// elsewhere, so that two which differ in nothing but blanks are one text. What
// is no expression stays as it is.
func spaced(s string) string {
	var room [128]byte
	return textOr(s, appendSpaced(room[:0], s))
}

// textOr is the text that is written, made anew only where it differs.
func textOr(s string, written []byte) string {
	if s == string(written) {
		return s
	}
	return string(written)
}

func appendSpaced(b []byte, s string) []byte {
	if name, ok := dotted(s); ok {
		return append(b, name...)
	}
	return appendTokens(b, s)
}

func appendTokens(b []byte, s string) []byte {
	var room fewTokens
	ts, ok := exprTokens(room[:0], s)
	if !ok {
		return append(b, strings.TrimSpace(s)...)
	}
	for i, t := range ts {
		if i > 0 && !joins(ts[i-1], t) {
			b = append(b, ' ')
		}
		if t.kind == exprText {
			b = append(b, '\'')
			b = append(b, strings.ReplaceAll(t.text, "'", "''")...)
			b = append(b, '\'')
			continue
		}
		b = append(b, t.text...)
	}
	return b
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

// fewSpans is room for the expressions of most texts.
type fewSpans [8]span

// expressions appends the ${{ }} of a text, with their signs. An open one is left
// out, and closed is then false.
func expressions(out []span, s string) (_ []span, closed bool) {
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
	var few fewSpans
	spans, _ := expressions(few[:0], s)
	if len(spans) == 0 {
		return s
	}
	var room [512]byte
	b := room[:0]
	done := 0
	for _, e := range spans {
		b = append(append(b, s[done:e.from]...), "${{ "...)
		b = append(appendSpaced(b, s[e.from+3:e.to-2]), " }}"...)
		done = e.to
	}
	return textOr(s, append(b, s[done:]...))
}

// wholeExpression is the inside of a text that is one expression and nothing
// else.
func wholeExpression(s string) (string, bool) {
	var few fewSpans
	spans, closed := expressions(few[:0], s)
	if !closed || len(spans) != 1 || spans[0] != (span{0, len(s)}) {
		return "", false
	}
	return s[3 : len(s)-2], true
}
