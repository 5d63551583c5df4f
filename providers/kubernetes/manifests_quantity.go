package kubernetes

import (
	"encoding/json"
	"slices"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// mayBeHuge finds [0-9.][eE][+-]?[0-9]{3}, which resource.ParseQuantity multiplies
// out, for minutes and gigabytes, before it caps the value.
func mayBeHuge[T string | []byte](raw T) bool {
	for i := 3; i < len(raw); i++ {
		if !digit(raw[i]) || !digit(raw[i-1]) || !digit(raw[i-2]) {
			continue
		}
		e := i - 3
		if raw[e] == '+' || raw[e] == '-' {
			e--
		}
		if e > 0 && raw[e]|0x20 == 'e' && (raw[e-1] == '.' || digit(raw[e-1])) {
			return true
		}
	}
	return false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

var hugeQuantity = lazy.Expression(`^[+-]?[0-9.]+[eE][+-]?[0-9]{3,}$`)

// quantityMaps and quantityFields are where a CronJob has quantities.
var (
	quantityMaps   = []string{"limits", "requests", "overhead"}
	quantityFields = []string{"sizeLimit", "divisor"}
)

// findHuge finds a quantity that must not be parsed.
func findHuge(raw []byte) (text string, found bool) {
	if !mayBeHuge(raw) {
		return "", false
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	return hugeIn(v)
}

func hugeIn(v any) (string, bool) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if text, ok := hugeIn(x); ok {
				return text, true
			}
		}
	case map[string]any:
		for key, x := range v {
			if text, ok := hugeUnder(key, x); ok {
				return text, true
			}
		}
	}
	return "", false
}

func hugeUnder(key string, x any) (string, bool) {
	values := []any{}
	if slices.Contains(quantityFields, key) {
		values = append(values, x)
	}
	if m, ok := x.(map[string]any); ok && slices.Contains(quantityMaps, key) {
		for _, value := range m {
			values = append(values, value)
		}
	}
	for _, value := range values {
		if s, ok := value.(string); ok && hugeQuantity().MatchString(s) {
			return s, true
		}
	}
	return hugeIn(x)
}
