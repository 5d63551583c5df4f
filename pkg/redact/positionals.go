package redact

import "strings"

// positionals counts the words of htpasswd that are no flags: with -b the
// password is the third of them, and with -n, where no file stands, the second.
type positionals struct {
	batch, noFile, skip bool
	count               int
}

// secret takes a word that follows the program, and says whether it is the
// password.
func (p *positionals) secret(w string) bool {
	if p.skip {
		p.skip = false
		return false
	}
	if len(w) > 1 && w[0] == '-' && p.count == 0 {
		p.batch = p.batch || strings.Contains(w, "b")
		p.noFile = p.noFile || strings.Contains(w, "n")
		p.skip = strings.HasSuffix(w, "C") || strings.HasSuffix(w, "r")
		return false
	}
	p.count++
	return p.batch && (p.count == 3 || p.noFile && p.count == 2)
}
