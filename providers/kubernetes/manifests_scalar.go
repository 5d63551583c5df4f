package kubernetes

import (
	"strings"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// scalar is what YAML 1.1 makes of a text, as go.yaml.in/yaml/v2 reads it for
// kubectl.
type scalar uint8

// The scalars that are surely one thing. Whatever is not surely so is unsure:
// yes and no, octal and other numbers, what begins like a date.
const (
	unsure scalar = iota
	nullScalar
	trueScalar
	falseScalar
	integerScalar // the text is the number as JSON has it
	decimalScalar // as in 0.5
	textScalar    // a text
)

// scalarOf says what a node is by its text and its quotes.
func scalarOf(n *plain.Node) scalar {
	if n.Style != plain.Plain {
		return textScalar
	}
	s := n.Text
	if s == "" {
		return nullScalar
	}
	switch c := s[0]; {
	case digit(c):
		return numberOf(s)
	case c == '+' || c == '-':
		return signed(s)
	case c == '.':
		return when(strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../"), textScalar)
	}
	switch s {
	case "~", "null", "Null", "NULL":
		return nullScalar
	case "true", "True", "TRUE":
		return trueScalar
	case "false", "False", "FALSE":
		return falseScalar
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF", "<<":
		return unsure
	}
	return textScalar
}

func when(holds bool, s scalar) scalar {
	if holds {
		return s
	}
	return unsure
}

// signed is a negative number, or a text such as -c or --from.
func signed(s string) scalar {
	if len(s) == 1 {
		return textScalar
	}
	switch c := s[1]; {
	case c|0x20 >= 'a' && c|0x20 <= 'z', c == '-', c == '/', c == '%':
		return textScalar
	case s[0] == '-' && c >= '1' && c <= '9' && len(s) < 19 && digits(s[1:]):
		return integerScalar
	}
	return unsure
}

// numberOf is a number, or a text that begins with a digit and holds what no
// number does: a unit, a second point.
func numberOf(s string) scalar {
	const inDecimal, inAny = "0123456789_+-.eE", "0123456789abcdefABCDEFxXoO_+-."
	dots := strings.Count(s, ".")
	switch {
	case digits(s):
		return when((s[0] != '0' || s == "0") && len(s) < 19, integerScalar)
	case dots > 1, s[0] != '0' && !made(s, inDecimal), !made(s, inAny):
		return textScalar
	case dots == 1 && len(s) < 12 && made(s, "0123456789.") && s[len(s)-1] != '.' && (s[0] != '0' || s[1] == '.'):
		return decimalScalar
	}
	return unsure
}

// made says that a text is made of certain characters alone.
func made(s, of string) bool { return strings.Trim(s, of) == "" }

func digits(s string) bool { return made(s, "0123456789") }
