package kubernetes

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/rolecall-dev/rolecall/specs/slow"
)

// The forms of names that the API server asks for, as the API's own package has
// them by regular expressions. Most names are seen to be good without.

func isLabel(s string) []string {
	if len(s) <= validation.DNS1123LabelMaxLength && isSurely(s, "") {
		return nil
	}
	return validation.IsDNS1123Label(s)
}

func isSubdomain(s string) []string {
	if len(s) <= validation.DNS1123SubdomainMaxLength && isSurely(s, ".") {
		return nil
	}
	return validation.IsDNS1123Subdomain(s)
}

func isQualified(s string) []string {
	prefix, name, prefixed := strings.Cut(s, "/")
	if !prefixed {
		prefix, name = "a", s
	}
	if len(prefix) <= validation.DNS1123SubdomainMaxLength && isSurely(prefix, ".") && len(name) <= validation.LabelValueMaxLength && isSurely(name, ".") {
		return nil
	}
	return validation.IsQualifiedName(s)
}

func isLabelValue(s string) []string {
	if len(s) <= validation.LabelValueMaxLength && isSurely(s, ".") {
		return nil
	}
	return validation.IsValidLabelValue(s)
}

// isSurely says that a text is made of words of small letters, digits and
// dashes, which begin and end otherwise than with a dash, with one of certain
// characters between them.
func isSurely(s, between string) bool {
	if slow.Only() {
		return false
	}
	inside := false // a letter or digit stands before
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || digit(c):
			inside = true
		case c == '-' && inside:
		case inside && strings.IndexByte(between, c) >= 0 && s[i-1] != '-':
			inside = false
		default:
			return false
		}
	}
	return inside && s[len(s)-1] != '-'
}
