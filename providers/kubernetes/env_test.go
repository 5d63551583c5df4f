package kubernetes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

func TestReferences(t *testing.T) {
	for value, want := range map[string][]string{
		"":              nil,
		"plain":         nil,
		"$(A)":          {"A"},
		"$(A)$(B)/$(A)": {"A", "B", "A"},
		"$$(A)":         nil,
		"$$$(A)":        {"A"},
		"$A $x(B)":      nil,
		"$":             nil,
		"$(":            nil,
		"$(A":           nil,
		"a$(A)b$":       {"A"},
		"$($(A))":       {"$(A"},
		"$()":           {""},
		"\x00$(\xff)":   {"\xff"},
		"$\x00(A) $(B)": {"B"},
	} {
		if d := cmp.Diff(want, references(value)); d != "" {
			t.Errorf("%q (-want +got):\n%s", value, d)
		}
	}
}

func TestEnvValuesAreMasked(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		masked      bool
	}{
		{"LOG_LEVEL", "debug", false}, {"VERBOSE", "true", false}, {"PORT", "8080", false}, {"TZ", "UTC", false},
		{"RATIO", "0.5", false}, {"OFFSET", "-1", false}, {"MODE", "dim", true}, {"NAME", "hunter2", true},
		{"DB_PASSWORD", "123456", true}, {"api_token", "true", true}, {"SSH_KEY_ID", "12", true}, {"PIN", "1234", true},
		{"SERIAL", "1234567", true}, {"URL", "https://u:p@h/", true}, {"REF", "$(SECRET)", true}, {"X", "1.2.3", true},
	} {
		v := envValue([]corev1.EnvVar{{Name: tt.name, Value: tt.value}}).Get(tt.name).Get("value")
		if v.Text != tt.value || v.Secret != tt.masked {
			t.Errorf("%s=%s: %+v, masked should be %v", tt.name, tt.value, v, tt.masked)
		}
	}
}

func TestHeadersAreMasked(t *testing.T) {
	cj := readManifest([]byte(strings.Replace(cronJob("a", "@daily"), "image:", "livenessProbe: {httpGet: {port: 80, httpHeaders: [{name: Authorization, value: hush}]}}, image:", 1))).found[0].cronJob
	spec, _ := specOf(cj, false)
	if n := countSecret(spec.Body.Value(), "hush"); n != 1 {
		t.Errorf("%d masked values", n)
	}
}

// countSecret counts a text where it is masked, and far down where it is not.
func countSecret(v specs.Value, text string) int {
	n := 0
	if v.Text == text {
		n = 1
		if !v.Secret {
			n = -100
		}
	}
	for _, m := range v.Members {
		n += countSecret(m.Value, text)
	}
	return n
}
