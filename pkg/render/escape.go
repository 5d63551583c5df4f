package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Escape makes a text safe to show on a terminal, in one line: what is not
// printable is written as in a Go string, a byte that is no UTF-8 as \xNN. That
// holds for control characters and escapes, for those that turn the direction of
// writing (Unicode standard annex 9), and for those that show nothing. Nor is it
// a command to a CI system that reads one anywhere in a line. A backslash stays
// one, so that a command can be copied.
func Escape(s string) string {
	if !needsEscape(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case visible(r) && !orders(s, i):
			b.WriteRune(r)
		default:
			b.WriteString(escapeRune(r))
		}
		i += n
	}
	return b.String()
}

// orders says that with this byte a word begins that a CI system takes for a
// command wherever it stands in a line: ##[ for the runner of GitHub (its older
// form, ActionCommand.TryParse), ##vso[ for the agent of Azure Pipelines. Without
// its second # it is none.
func orders(s string, i int) bool {
	return s[i] == '#' && i > 0 && s[i-1] == '#' && (strings.HasPrefix(s[i+1:], "[") || len(s) > i+4 && strings.EqualFold(s[i+1:i+5], "vso["))
}

// Line is a text as Escape shows it, for a line of its own or the beginning of one.
func Line(s string) string { return noOrder(Escape(s)) }

// noOrder is a line of text that the runner of GitHub does not take for a command:
// one that begins with two colons, also after blanks, would be one.
func noOrder(line string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "::"); ok {
		return line[:len(line)-len(rest)-2] + `\x3a:` + rest
	}
	return line
}

func needsEscape(s string) bool {
	if plain(s) {
		return false
	}
	for i, r := range s {
		if !visible(r) || orders(s, i) || r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return true
		}
	}
	return false
}

// plain says that all of a text is printable ASCII and nothing in it orders
// anything, as most are.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '#' {
			return false
		}
	}
	return true
}

// blank are the letters and marks that Unicode counts as printable and that show
// nothing (Default_Ignorable_Code_Point).
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}

func visible(r rune) bool { return unicode.IsPrint(r) && !unicode.Is(blank, r) }

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// columns is how many columns a text takes that was escaped.
func columns(s string) int {
	if plain(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

const ellipsis = "…"

// elide cuts the end of a text that takes more columns than there are; 0 means
// that there is no limit.
func elide(s string, room int) string {
	if room <= 0 || columns(s) <= room {
		return s
	}
	n := 0
	for i, r := range s {
		if n += columnsOf(r); n > room-1 {
			return s[:i] + ellipsis
		}
	}
	return s
}

// short is a text escaped and cut to some columns, and to four bytes for each,
// since what stands above a letter takes no column.
func short(s string, room int) string {
	s = elide(Escape(s), room)
	if len(s) <= 4*room {
		return s
	}
	end := 4 * room
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}
