package change

import (
	"strconv"
	"strings"
)

// lower says that a version is surely lower than another: at the first part in
// which they differ both are numbers, or one ends there and the other goes on
// with a number. Of anything else the order is not known.
func lower(a, b string) bool {
	x, y := parts(a), parts(b)
	for i := range max(len(x), len(y)) {
		switch {
		case i == len(x):
			_, number := numeral(y[i])
			return number
		case i == len(y):
			return false
		case x[i] == y[i]:
			continue
		}
		m, one := numeral(x[i])
		n, other := numeral(y[i])
		if !one || !other {
			return false
		}
		if m != n {
			return m < n
		}
	}
	return false
}

func parts(version string) []string {
	return strings.FieldsFunc(version, func(r rune) bool { return strings.ContainsRune(".-_+", r) })
}

func numeral(part string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(part, "v"), 10, 64)
	return n, err == nil
}
