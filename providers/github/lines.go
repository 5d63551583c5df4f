package github

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// toUTF8 drops a byte order mark and decodes UTF-16, as a YAML reader does.
func toUTF8(data []byte) []byte {
	switch {
	case len(data) >= 3 && data[0] == 0xEF && data[1] == 0xBB && data[2] == 0xBF:
		return data[3:]
	case len(data) >= 2 && data[0] == 0xFE && data[1] == 0xFF:
		return fromUTF16(data[2:], 0, 1)
	case len(data) >= 2 && data[0] == 0xFF && data[1] == 0xFE:
		return fromUTF16(data[2:], 1, 0)
	}
	return data
}

func fromUTF16(data []byte, high, low int) []byte {
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+high])<<8|uint16(data[i+low]))
	}
	return []byte(string(utf16.Decode(units)))
}

// splitLines cuts a text where YAML 1.1 scanners count a line: besides line
// feeds that is at lone carriage returns, NEL, LS and PS. A node's line then
// finds the same text here.
func splitLines(text string) []string {
	if strings.IndexByte(text, '\r') < 0 && strings.IndexByte(text, 0xC2) < 0 && strings.IndexByte(text, 0xE2) < 0 {
		return strings.Split(text, "\n")
	}
	out := make([]string, 0, strings.Count(text, "\n")+1)
	start := 0
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < utf8.RuneSelf {
			i++
			continue
		}
		n := breakAt(text, i)
		if n == 0 {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		out = append(out, text[start:i])
		i += n
		start = i
	}
	return append(out, text[start:])
}

// breakAt is the length of the line break at i, 0 if there is none.
func breakAt(text string, i int) int {
	switch text[i] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(text[i:], "\r\n") {
			return 2
		}
		return 1
	case 0xC2:
		if strings.HasPrefix(text[i:], "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// byteColumn is where a column that counts characters from 1 stands in a line.
func byteColumn(line string, column int) int {
	i := 0
	for ; column > 1 && i < len(line); column-- {
		_, size := utf8.DecodeRuneInString(line[i:])
		i += size
	}
	return i
}
