package github

import "strings"

// What is asked of every text of every workflow is matched by hand, which takes
// a tenth of what a regular expression does. TestMatchers holds each against
// the expression that its comment gives.

func isDigit(c byte) bool  { return c-'0' < 10 }
func isLetter(c byte) bool { return c|0x20-'a' < 26 }

func isHex(c byte) bool { return isDigit(c) || c|0x20-'a' < 6 }

// all says that each byte of a text is of a kind.
func all(s string, is func(byte) bool) bool {
	for i := range len(s) {
		if !is(s[i]) {
			return false
		}
	}
	return true
}

// identifier is ^[A-Za-z_][A-Za-z0-9_-]{0,98}$
func identifier(s string) bool {
	return s != "" && len(s) <= 99 && !isDigit(s[0]) && s[0] != '-' &&
		all(s, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' || c == '-' })
}

// actionName is ^[^@/\\]+[/\\][^@]*[^@/\\][^@]*@[^@]+$
func actionName(s string) bool {
	name, version, _ := strings.Cut(s, "@")
	slash := strings.IndexAny(name, `/\`)
	return slash > 0 && strings.Trim(name[slash:], `/\`) != "" && version != "" && !strings.Contains(version, "@")
}

// calledHere is ^(\./|\$/)[^@]+$
func calledHere(s string) bool {
	return len(s) > 2 && (s[0] == '.' || s[0] == '$') && s[1] == '/' && !strings.Contains(s, "@")
}

// calledName is ^[^@/]{2,}/[^@/]+/[^@]+@[^@]+$ or ^[^@/.$]/[^@/]+/[^@]+@[^@]+$
func calledName(s string) bool {
	name, version, _ := strings.Cut(s, "@")
	owner, rest, _ := strings.Cut(name, "/")
	repo, file, _ := strings.Cut(rest, "/")
	return owner != "" && owner != "." && owner != "$" && repo != "" && file != "" && version != "" && !strings.Contains(version, "@")
}

// coreInt is ^[-+]?[0-9]+$
func coreInt(s string) bool {
	s = unsigned(s)
	return s != "" && all(s, isDigit)
}

func unsigned(s string) string {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:]
	}
	return s
}

// coreOct is ^0o[0-7]+$
func coreOct(s string) bool {
	return len(s) > 2 && s[:2] == "0o" && all(s[2:], func(c byte) bool { return c-'0' < 8 })
}

// coreHex is ^0x[0-9a-fA-F]+$
func coreHex(s string) bool { return len(s) > 2 && s[:2] == "0x" && all(s[2:], isHex) }

// coreFloat is ^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$
func coreFloat(s string) bool {
	s = unsigned(s)
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		if !coreInt(s[e+1:]) {
			return false
		}
		s = s[:e]
	}
	before, after, _ := strings.Cut(s, ".")
	return (before != "" || after != "") && all(before, isDigit) && all(after, isDigit)
}

// secretName is (?i)token|secret|passw|credential|api-?_?key|private-?_?key|auth
func secretName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 0x80: // two letters beyond ASCII fold into k and s
			return secretFold().MatchString(s)
		case secretAt(s[i:]):
			return true
		}
	}
	return false
}

func secretAt(s string) bool {
	switch s[0] | 0x20 {
	case 't':
		return begins(s, "token")
	case 's':
		return begins(s, "secret")
	case 'p':
		return begins(s, "passw") || begins(s, "private") && keyAt(s[7:])
	case 'c':
		return begins(s, "credential")
	case 'a':
		return begins(s, "auth") || begins(s, "api") && keyAt(s[3:])
	}
	return false
}

// keyAt is ^(?i)-?_?key
func keyAt(s string) bool {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "-"), "_")
	return begins(s, "key")
}

// begins compares with a word of small letters, without regard to case.
func begins(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if s[i]|0x20 != word[i] {
			return false
		}
	}
	return true
}

// harmless is ^(|true|false|[0-9]{1,5}|\$\{\{[^}'"]*\}\})$
func harmless(s string) bool {
	switch s {
	case "", "true", "false":
		return true
	}
	if len(s) <= 5 && all(s, isDigit) {
		return true
	}
	return len(s) >= 5 && s[:3] == "${{" && s[len(s)-2:] == "}}" && !strings.ContainsAny(s[3:len(s)-2], `}'"`)
}

// space are the characters of \s.
const space = "\t\n\f\r "

// markerLine gives the group of ^\s*#+\s*rolecall:\s*(.*?)\s*$
func markerLine(s string) (string, bool) {
	s = strings.TrimLeft(s, space)
	if s == "" || s[0] != '#' {
		return "", false
	}
	s, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimLeft(s, "#"), space), "rolecall:")
	s = strings.Trim(s, space)
	return s, ok && !strings.Contains(s, "\n")
}
