package redact

import "strings"

// flagged finds the secrets of short flags, whose meaning depends on the program.
func flagged(s string, found *spans) { walkWords(s, 0, found, 0) }

// deepest is how many strings within strings are looked into, as in sh -c "…".
const deepest = 4

// walkWords reads the words of a command that begins at a place in the whole text.
func walkWords(s string, base int, found *spans, depth int) {
	c := command{found: found}
	for at := 0; at < len(s); {
		if isSpace(s[at]) {
			if s[at] == '\n' {
				c = command{found: found}
			}
			at++
			continue
		}
		end := wordEnd(s, at, 0)
		from, to := unquoted(s, at, end)
		switch {
		case depth == deepest || !strings.ContainsAny(s[from:to], spaces):
		case from > at || c.takes == "":
			walkWords(s[from:to], base+from, found, depth+1)
			walkStrings(s[from:to], base+from, found, depth+1)
		}
		c.word(s[from:to], base+from)
		if strings.IndexByte(";|&", s[end-1]) >= 0 {
			c = command{found: found}
		}
		at = end
	}
}

// walkStrings reads the strings that begin within a word: --exec='mysqldump …'.
func walkStrings(s string, base int, found *spans, depth int) {
	unclosed := ""
	for i := 0; i < len(s); i++ {
		if !isQuote(s[i]) || strings.IndexByte(unclosed, s[i]) >= 0 {
			continue
		}
		end := stringEnd(s, i)
		if end <= 0 {
			unclosed += s[i : i+1]
			continue
		}
		if inner := s[i+1 : end-1]; strings.ContainsAny(inner, spaces) {
			walkWords(inner, base+i+1, found, depth)
		}
		i = end - 1
	}
}

// unquoted is the inside of a word that is one string or begins one.
func unquoted(s string, from, to int) (int, int) {
	if to-from >= 2 && isQuote(s[from]) {
		if s[to-1] == s[from] {
			return from + 1, to - 1
		}
		return from + 1, to
	}
	return from, to
}

const aSecret = "secret"

// command is what is known while the words of a command go by.
type command struct {
	found *spans
	prog  program
	words positionals
	seen  bool   // the word that the program's flags depend on
	takes string // what the flag before waits for: a secret, or the sign before one
}

func (c *command) word(w string, at int) {
	takes := c.takes
	c.takes = ""
	switch {
	case w == "":
	case c.prog.positionals && c.words.secret(w):
		c.hide(w, at)
	case takes == aSecret && w[0] != '-':
		if !c.prog.database(w) {
			c.hide(w, at)
		}
	case takes != "" && w[0] != '-':
		c.user(takes, w, at)
	case w[0] == '-':
		c.flag(w, at)
	default:
		c.plain(w, at)
	}
}

func (c *command) plain(w string, at int) {
	if p, ok := programOf(w); ok {
		c.prog, c.seen, c.words = p, false, positionals{}
		return
	}
	if c.prog.only != "" && w == c.prog.only {
		c.seen = true
		c.prog.only = ""
	}
	if slash := strings.IndexByte(w, '/'); c.prog.logon && slash > 0 {
		end := len(w)
		if i := strings.LastIndexByte(w, '@'); i > slash {
			end = i
		}
		c.hide(w[slash+1:end], at+slash+1)
	}
}

func (c *command) flag(w string, at int) {
	if from, ok := c.prog.attached(w); ok {
		c.hide(w[from:], at+from)
		return
	}
	if c.prog.takesNext(w) {
		c.takes = aSecret
		return
	}
	for f, sign := range c.prog.user {
		switch {
		case w == f || len(f) == 2 && lastOfCluster(w, f[1]):
			c.takes = sign
		case len(f) == 2 && strings.HasPrefix(w, f):
			c.user(sign, w[2:], at+2)
		case len(f) > 2 && strings.HasPrefix(w, f+"="):
			c.user(sign, w[len(f)+1:], at+len(f)+1)
		}
	}
}

// user hides what stands behind the sign; before it, where nothing does, or where
// the user is known to be a token.
func (c *command) user(sign, w string, at int) {
	name, secret, ok := strings.Cut(w, sign)
	switch {
	case !ok:
	case secret == "" || secret == "x-oauth-basic":
		c.hide(name, at)
	default:
		c.hide(secret, at+len(name)+len(sign))
	}
}

// hide adds a secret, with the quotes that may stand around it left in place.
func (c *command) hide(text string, at int) {
	from, to := 0, len(text)
	if to > 0 && isQuote(text[0]) {
		from, to = unquoted(text, 0, to)
	}
	text = text[from:trim(text, from, to)]
	if !masked(text) && !reference(text) {
		c.found.add(at+from, at+from+len(text))
	}
}
