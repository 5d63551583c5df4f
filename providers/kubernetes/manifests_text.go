package kubernetes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
)

// document is one YAML document of a file, or a JSON file.
type document struct {
	data []byte
	line int // of its first byte in the file, from 1
}

var (
	errUTF32 = errors.New("the file is UTF-32; save it as UTF-8")
	errNUL   = errors.New("the file holds NUL bytes, so it is no text; name manifests only")
)

// decodeText is the file as UTF-8 with line feeds, by the marks that YAML 1.2
// (section 5.2) names.
func decodeText(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe, 0, 0}), bytes.HasPrefix(data, []byte{0, 0, 0xfe, 0xff}):
		return nil, errUTF32
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		data = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		data = fromUTF16(data[2:], binary.BigEndian)
	case len(data) > 1 && data[0] != 0 && data[1] == 0:
		data = fromUTF16(data, binary.LittleEndian)
	case len(data) > 1 && data[0] == 0 && data[1] != 0:
		data = fromUTF16(data, binary.BigEndian)
	default:
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, errNUL
	}
	if i := bytes.IndexByte(data, '\r'); i >= 0 {
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		// As kubectl's reader of lines does, which ends a block scalar there.
		data = append(data[:len(data):len(data)], '\n')
	}
	return data, nil
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// mayHold is a filter by bytes alone: what it lets pass is decoded, and only
// that says whether there is a CronJob. It stops a text only if no reading of
// it could give the word: it does not hold the word, nor an escape that could
// stand for a letter of it, nor a template's braces.
func mayHold(data []byte) bool {
	if bytes.Contains(data, []byte("CronJob")) || isTemplate(data) {
		return true
	}
	for rest := data; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+1 == len(rest) {
			return false
		}
		switch rest[i+1] {
		case 'x', 'u', 'U':
			return true
		case '\n':
			if bytes.Contains(data, []byte("kind")) && bytes.Contains(data, []byte("Cron")) || bytes.Contains(data, []byte(`"kind"`)) {
				return true
			}
		}
		rest = rest[i+2:]
	}
}

// allNameTheirKind says that each document has a line that begins with kind, so
// that what does not hold the word CronJob is surely something else. One without
// may be cut off before its kind, and is decoded to see.
func allNameTheirKind(documents []document) bool {
	for _, d := range documents {
		if _, blank := d.blank(); blank || bytes.HasPrefix(d.data, []byte("kind:")) || bytes.Contains(d.data, []byte("\nkind:")) || bytes.Contains(d.data, []byte(`"kind"`)) {
			continue
		}
		return false
	}
	return true
}

// templateMarks are what the common template languages put around their
// statements.
var templateMarks = [][]byte{[]byte("{{"), []byte("{%"), []byte("<%"), []byte("#@")}

// isTemplate says that a text may be one that has yet to be rendered.
func isTemplate(data []byte) bool {
	for _, m := range templateMarks {
		if bytes.Contains(data, m) {
			return true
		}
	}
	return false
}

// split cuts a file at the lines that end a YAML document. Such a line at
// column 0 ends every scalar, so it can stand for nothing else.
func split(data []byte) []document {
	var out []document
	start, startLine, line := 0, 1, 1
	for at := 0; at < len(data); line++ {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		switch text := data[at:end]; {
		case isMark(text, "---") && at > start:
			out = append(out, document{data[start:at], startLine})
			start, startLine = at, line
		case isMark(text, "..."):
			out = append(out, document{data[start:end], startLine})
			start, startLine = end, line+1
		}
		at = end
	}
	return append(out, document{data[start:], startLine})
}

func isMark(line []byte, mark string) bool {
	return bytes.HasPrefix(line, []byte(mark)) && (len(line) == 3 || bytes.IndexByte([]byte(" \t\n"), line[3]) >= 0)
}

// blank says that nothing but comments, directives and marks stands in a
// document; start is the line of the first thing else.
func (d document) blank() (start int, blank bool) {
	line := d.line
	for rest := d.data; len(rest) > 0; line++ {
		text, tail, _ := bytes.Cut(rest, []byte("\n"))
		rest = tail
		if isMark(text, "---") || isMark(text, "...") {
			text = text[3:]
		}
		text = bytes.TrimLeft(text, " \t")
		if len(text) > 0 && text[0] != '#' && (text[0] != '%') {
			return line, false
		}
	}
	return line, true
}
