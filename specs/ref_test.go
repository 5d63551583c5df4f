package specs

import (
	"regexp"
	"strings"
	"testing"
)

func TestValidRoleKey(t *testing.T) {
	want := regexp.MustCompile(`^[A-Za-z0-9._-]{1,63}$`)
	texts := []string{"", "a", "role-1_x.Y", strings.Repeat("k", 63), strings.Repeat("k", 64), "a\n", "\na", "é", "a b"}
	for c := range 256 {
		texts = append(texts, string([]byte{'a', byte(c)}), string([]byte{byte(c)}))
	}
	for _, text := range texts {
		if ValidRoleKey(text) != want.MatchString(text) {
			t.Errorf("%q: %v", text, ValidRoleKey(text))
		}
	}
}
