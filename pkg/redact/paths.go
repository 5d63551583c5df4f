package redact

import (
	"regexp"
	"strings"
	"sync"
)

// pathForm is an absolute path of at least two names that are made of words, as
// people name files. What is merely random and begins with a slash is none.
var pathForm = sync.OnceValue(func() *regexp.Regexp {
	const piece = `(?:[a-z]{1,16}|[A-Z][a-z]{1,15}|[A-Z]{2,10})?\d{0,4}`
	return regexp.MustCompile(`^(?:/\.?` + piece + `(?:[._-]` + piece + `)*){2,12}$`)
})

// filePath says that a value is where the secret is kept, rather than a secret.
func filePath(text string) bool {
	return strings.HasPrefix(text, "/") && len(text) < 200 && !strings.Contains(text, "//") && pathForm().MatchString(text)
}

var (
	fileForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:~|\.{1,2})/[\w./-]+$|^[\w./-]+\.(?i:pem|key|pub|crt|cer|der|p12|pfx|jks|asc|gpg|json|ya?ml|txt|conf|ini|env|csv|sql|tar|t?gz|zip)$`)
	})
	columnForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3})?[bdfghiMnrRV]{0,4}(?:,\d{1,3}(?:\.\d{1,3})?[bdfghiMnrRV]{0,4})?$`)
	})
)

// harmlessKey says that what follows a bare --key is no key: a column to sort by,
// as sort(1) writes it, or the file that holds the key.
func harmlessKey(text string) bool {
	return filePath(text) || columnForm().MatchString(text) || fileForm().MatchString(text)
}

// isKeyFlag is the flag that is named after a key and nothing more.
func isKeyFlag(name string) bool {
	return strings.HasPrefix(name, "-") && strings.EqualFold(strings.TrimLeft(name, "-"), "key")
}
