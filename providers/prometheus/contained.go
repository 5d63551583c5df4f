package prometheus

import (
	"regexp"
	"strings"
)

// selfContained says that a query cannot reach out of the parentheses that it is
// put in: its brackets and quotes are closed, in their order. Whether it is a
// query is for the server to say.
// Source: Prometheus' promql/parser/lex.go.
func selfContained(text string) bool {
	if strings.ContainsRune(text, 0) || strings.TrimSpace(text) == "" {
		return false
	}
	var open []byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return len(open) == 0
			}
			i += end
		case '"', '\'', '`':
			end := closing(text[i+1:], c)
			if end < 0 {
				return false
			}
			i += 1 + end
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			if len(open) == 0 || !pairs(open[len(open)-1], c) {
				return false
			}
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

func pairs(open, end byte) bool {
	return open == '(' && end == ')' || open == '[' && end == ']' || open == '{' && end == '}'
}

// closing is where a string ends; -1 where it does not.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i
		case quote != '`' && text[i] == '\n':
			return -1
		case quote != '`' && text[i] == '\\':
			i++
		}
	}
	return -1
}

var metric = regexp.MustCompile(`^[A-Za-z_:][A-Za-z0-9_:]*\s*`)

// selector says that a query is a metric's name with or without labels, and
// nothing else, so that a range can be put behind it.
func selector(text string) bool {
	text = strings.TrimSpace(text)
	rest := text[len(metric.FindString(text)):]
	if rest == "" || rest == text || !selfContained(text) || strings.Contains(text, "#") {
		return rest == "" && text != ""
	}
	// The brace that opens first is the last to be closed.
	return rest[0] == '{' && strings.HasSuffix(rest, "}") && !selfContained(rest[:len(rest)-1]) && alone(rest)
}

// alone says that no brace is closed before the end.
func alone(group string) bool {
	for i := 1; i < len(group)-1; i++ {
		switch c := group[i]; c {
		case '"', '\'', '`':
			i += 1 + closing(group[i+1:], c)
		case '}':
			return false
		}
	}
	return true
}
