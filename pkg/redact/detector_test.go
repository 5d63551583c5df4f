package redact_test

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/redact"
)

// tokens are of the forms that their issuers document. They are put together
// here, so that no scanner takes this file for a leak.
var tokens = map[string]string{
	"aws":        "AKIA" + "Q3EGRIWAV2LMN5TC",
	"github":     "ghp_" + "1a2B3c4D5e6F7g8H9i0Jk1L2m3N4o5P6q7R8",
	"fine":       "github_pat_" + "11AB2CD3EF4GH5IJ6KL7MN_" + "aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4cD5eF6gH7iJ8kL9mN",
	"gitlab":     "glpat-" + "x7Yb2Kq9Lm4Np8Rt3Vw5",
	"slack":      "xoxb-" + "263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1",
	"slack hook": "https://hooks.slack.com/services/" + "T0A1B2C3D/B4E5F6G7H/" + "aB1cD2eF3gH4iJ5kL6mN7oP8",
	"jwt":        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
	"stripe":     "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
	"npm":        "npm_" + "aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2",
	"gcp":        "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
}

func TestTokens(t *testing.T) {
	for name, token := range tokens {
		for _, around := range []string{"/opt/run %", "/opt/run x=% --all", `curl -d '{"k":"%"}' x`, "% is it"} {
			in := strings.ReplaceAll(around, "%", token)
			if got := redact.Text(in); strings.Contains(got, token) || !strings.Contains(got, redact.Mask) {
				t.Errorf("%s: %q stays", name, got)
			}
		}
	}
}

func TestPrivateKeys(t *testing.T) {
	body := "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
	for _, kind := range []string{"", "RSA ", "OPENSSH ", "EC ", "ENCRYPTED "} {
		head := "-----BEGIN " + kind + "PRIVATE KEY-----"
		for _, tail := range []string{"\n-----END " + kind + "PRIVATE KEY-----\nafter", ""} {
			got := redact.Text("before\n" + head + "\n" + body + tail)
			if strings.Contains(got, "MII") || strings.Contains(got, "VJTU") || !strings.Contains(got, "before") {
				t.Errorf("%s: %q", kind, got)
			}
			if strings.HasSuffix(tail, "after") != strings.HasSuffix(got, "after") {
				t.Errorf("%s: the text after the key: %q", kind, got)
			}
		}
	}
}
