package redact

import (
	"regexp"
	"strings"
	"sync"
)

// value is the range of a value that begins at a place: the inside of a string,
// or a word with all that a shell would join to it.
func value(s string, at int, open byte, query bool) (span, bool) {
	v := span{at, at}
	switch {
	case at >= len(s) || s[at] == '\n' || s[at] == '\r':
		return v, false
	case strings.HasPrefix(s[at:], "$(") || strings.HasPrefix(s[at:], "${"):
		v.to = bracketed(s, at+1)
	case s[at] == '\\' && closing(s, at) != "":
		v = escapedString(s, at)
	case query:
		v.to = at + indexAny(s[at:], "&#"+spaces+quotes)
	default:
		v = word(s, at, open)
	}
	text := s[v.from:v.to]
	return v, text != "" && !masked(text) && !reference(text) && !plainWord(text)
}

const (
	spaces = " \t\n\r\v\f"
	quotes = "\"'`"
)

func indexAny(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

func masked(text string) bool { return text == Mask }

// plainWord is what a switch or a permission is set to, or the beginning of what
// holds values itself.
func plainWord(text string) bool {
	switch strings.ToLower(text) {
	case "[", "{", "[]", "{}", "true", "false", "yes", "no", "null", "none", "nil", "read", "write", "inherit":
		return true
	}
	return false
}

var referenceForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\$\{[A-Z_][A-Z0-9_]*\}|\$\([A-Z_][A-Z0-9_]*\)|\$\{\{\s*(?:secrets|vars|env|github|inputs|steps|needs)(?:\.[\w-]+)+\s*\}\})$`)
})

// reference says that a value only names where the secret is: ${NAME} of a
// shell, $(NAME) of Kubernetes, ${{ secrets.NAME }} of a workflow. A bare $NAME
// is not taken for one, since nothing expands it where no shell reads it.
func reference(text string) bool {
	return strings.HasPrefix(text, "$") && len(text) < 200 && referenceForm().MatchString(text)
}

// bracketed is the end of ${…}, $(…) or ${{…}}, of which at is the bracket, with
// all that follows without a blank; the end of the line if it stays open.
func bracketed(s string, at int) int {
	depth := 0
	for i := at; i < len(s) && s[i] != '\n'; i++ {
		switch s[i] {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return at + indexAny(s[at:], "\n")
}

// escapedString is the inside of a string in a string: \"x\".
func escapedString(s string, at int) span {
	delim := closing(s, at)
	from := at + len(delim)
	if i := strings.Index(s[from:], delim); i >= 0 {
		return span{from, from + i}
	}
	return span{from, from + indexAny(s[from:], "\n")}
}

// word is a word as a shell joins it: bare text, strings and escaped blanks. A
// word that is one string gives its inside. Punctuation at the end is left out.
func word(s string, at int, open byte) span {
	if q := s[at]; isQuote(q) && q != open {
		end := stringEnd(s, at)
		if end < 0 {
			return span{at + 1, at + indexAny(s[at:], "\n")}
		}
		if end == len(s) || ends(s[end]) {
			return span{at + 1, end - 1}
		}
	}
	end := wordEnd(s, at, open)
	if plainWord(s[at:end]) {
		return span{at, end}
	}
	return span{at, trim(s, at, end)}
}

// ends says that a character after a string does not belong to the string's word.
func ends(c byte) bool {
	return isSpace(c) || strings.IndexByte(",;)}]&|<>:\\", c) >= 0
}

// stringEnd is the place after the quote that closes the string at a place, or
// -1 if it stays open.
func stringEnd(s string, at int) int {
	q := s[at]
	for i := at + 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && q != '\'':
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return -1
}

// wordEnd is the end of the word at a place: a blank outside of a string, or the
// quote that was open before it. A ; or & is left to the word, since where no
// shell reads the text these are letters as any other.
func wordEnd(s string, at int, open byte) int {
	unclosed := ""
	for i := at; i < len(s); i++ {
		switch c := s[i]; {
		case isSpace(c) || c == open && open != 0:
			return i
		case c == '\\':
			i++
		case !isQuote(c) || strings.IndexByte(unclosed, c) >= 0:
		default:
			if end := stringEnd(s, i); end > 0 {
				i = end - 1
			} else {
				unclosed += string(c)
			}
		}
	}
	return len(s)
}

// trim leaves out the punctuation that ends the text around a value.
func trim(s string, from, to int) int {
	for to > from+1 && strings.IndexByte(";,)]}\"'`\\|&>", s[to-1]) >= 0 {
		to--
	}
	return to
}
