package kubernetes

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// A name that is seen to be good without the regular expressions is good by
// them: all short ones, and long ones.
func TestNamesThatAreSurelyGood(t *testing.T) {
	forms := map[string][2]func(string) []string{
		"label":     {isLabel, validation.IsDNS1123Label},
		"subdomain": {isSubdomain, validation.IsDNS1123Subdomain},
		"qualified": {isQualified, validation.IsQualifiedName},
		"value":     {isLabelValue, validation.IsValidLabelValue},
	}
	check := func(s string) {
		for name, f := range forms {
			if got, want := f[0](s), f[1](s); strings.Join(got, ";") != strings.Join(want, ";") {
				t.Fatalf("%s %q: %q, want %q", name, s, got, want)
			}
		}
	}
	var grow func(s string, left int)
	grow = func(s string, left int) {
		check(s)
		for _, c := range "a7-./A_" {
			if left > 0 {
				grow(s+string(c), left-1)
			}
		}
	}
	grow("", 5)
	for n := range 300 {
		check(strings.Repeat("a", n))
		check(strings.Repeat("a.", n) + "a")
		check(strings.Repeat("a", n) + "/a")
		check("a/" + strings.Repeat("a", n))
	}
}
