package redact

import (
	"slices"
	"strings"
)

// stems make a name sensitive wherever they stand in it.
var stems = []string{"password", "passwd", "passphrase", "passcode", "passwort", "secret", "token", "credential", "apikey", "accesskey", "privatekey", "secretkey", "accountkey", "authkey"}

// parts make a name sensitive as one of its parts: DB_PASS, userPw, X-Auth.
var parts = []string{"pass", "pw", "pwd", "psw", "auth", "authorization", "bearer", "cred", "creds", "jwt", "sig", "signature", "cookie", "otp", "totp", "pin", "pat", "psk", "sas", "hmac", "dsn", "userpass", "sessionid", "sid"}

// tails make a name sensitive that ends in them, without a part of its own:
// PGPASS, sshpass, rootpw.
var tails = []string{"pass", "pwd", "pw"}

// notTails are words that end in one of the tails.
var notTails = []string{"bypass", "compass", "trespass"}

// about are last parts of a name that says something about a secret and does not
// hold it: PASSWORD_FILE, token-ttl.
var about = []string{"file", "path", "dir", "stdin", "prompt", "url", "uri", "endpoint", "type", "length", "ttl", "expiry", "expires", "policy", "count", "provider", "class", "mode", "name"}

// hints are the letters of which a sensitive name has some, to pass over the
// others fast.
var hints = []string{"pa", "pw", "psw", "psk", "pin", "sec", "sig", "sas", "sid", "sess", "tok", "key", "auth", "cred", "cookie", "otp", "jwt", "hmac", "dsn", "bearer"}

// publicKeys are what a name that ends in "key" may begin with and be no secret.
var publicKeys = []string{"public", "pub", "primary", "foreign", "sort", "partition", "cache", "group", "natural", "host", "index", "row", "message", "routing", "known", "idempotency"}

// inQuery are the names of parameters in a URL that are sensitive only there.
var inQuery = []string{"key", "sig", "code", "api", "t", "k", "p", "hash", "credential"}

// longestName is how much of a name's end is looked at, in bytes.
const longestName = 80

// sensitive says that what is assigned to a name, or follows it as a flag, is
// likely a secret.
func sensitive(name string) bool {
	if len(name) < 2 || name == "PWD" || name == "OLDPWD" {
		return false // the shell's directories
	}
	if isKeyFlag(name) {
		return true
	}
	name = name[max(0, len(name)-longestName):]
	low := strings.ToLower(name)
	if !containsAny(low, hints) {
		return false
	}
	words := splitName(name)
	if len(words) == 0 || slices.Contains(about, words[len(words)-1]) || containsAny(low, []string{"passfile", "passwordfile"}) {
		return false
	}
	return containsAny(low, stems) || sensitiveWords(words)
}

func sensitiveWords(words []string) bool {
	last := words[len(words)-1]
	if last == "key" && len(words) > 1 {
		return !slices.Contains(publicKeys, words[len(words)-2])
	}
	if len(words) == 1 && slices.Contains(notTails, last) {
		return false
	}
	for _, w := range words {
		if slices.Contains(parts, w) {
			return true
		}
	}
	if slices.Contains(notTails, last) {
		return false
	}
	return slices.ContainsFunc(tails, func(t string) bool { return strings.HasSuffix(last, t) })
}

// prompts says that a flag about a secret takes none itself: --no-password,
// --ask-pass.
func prompts(flag string) bool {
	f := strings.TrimLeft(flag, "-")
	return strings.HasPrefix(f, "no-") || strings.HasPrefix(f, "ask-") || strings.HasPrefix(f, "prompt-")
}

func containsAny(s string, of []string) bool {
	return slices.ContainsFunc(of, func(x string) bool { return strings.Contains(s, x) })
}

// splitName gives the parts of a name in small letters: of DB_PASS, db-pass,
// dbPass and db.pass2 the same but for the digit.
func splitName(name string) []string {
	var out []string
	from := 0
	flush := func(to int) {
		if w := strings.TrimRight(strings.ToLower(name[from:to]), "0123456789"); w != "" {
			out = append(out, w)
		}
	}
	for i := 0; i < len(name); i++ {
		switch {
		case strings.IndexByte("-_. ", name[i]) >= 0:
			flush(i)
			from = i + 1
		case i > from && isUpper(name[i]) && isLower(name[i-1]):
			flush(i)
			from = i
		}
	}
	flush(len(name))
	return out
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isBlank(c byte) bool { return c == ' ' || c == '\t' }
func isSpace(c byte) bool { return isBlank(c) || c == '\n' || c == '\r' || c == '\v' || c == '\f' }
func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }
func isName(c byte) bool {
	return isUpper(c) || isLower(c) || isDigit(c) || c == '_' || c == '-' || c == '.'
}
