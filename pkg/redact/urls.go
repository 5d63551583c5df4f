package redact

import (
	"slices"
	"strings"
)

// userSchemes are URL schemes in which a user without a password is a name, and
// not a token.
var userSchemes = []string{"ssh", "sftp", "scp", "rsync", "git+ssh", "svn+ssh", "ftp", "smb", "cifs", "postgres", "postgresql", "mysql", "mariadb", "mongodb", "mongodb+srv", "ldap", "ldaps", "imap", "imaps", "smtp", "smtps", "amqp", "amqps", "mailto"}

// longestURL is how far, in bytes, a URL is searched for the end of its user.
const longestURL = 4 << 10

// inURLs finds the password of a URL's user, or the user where it is a token.
func inURLs(s string, found *spans) {
	for at := 0; ; {
		i := strings.Index(s[at:], "://")
		if i < 0 {
			return
		}
		at += i + len("://")
		if v, ok := userInfo(s, at, schemeBefore(s, at-len("://"))); ok {
			found.add(v.from, v.to)
		}
	}
}

func schemeBefore(s string, end int) string {
	from := end
	for from > 0 && (isName(s[from-1]) || s[from-1] == '+') {
		from--
	}
	return strings.ToLower(s[from:end])
}

// userInfo finds the user part of the URL whose authority begins at a place. A
// password may hold the characters that should have been escaped in it.
func userInfo(s string, at int, scheme string) (span, bool) {
	rest := s[at:min(len(s), at+longestURL)]
	rest = rest[:indexAny(rest, spaces)]
	end := strings.LastIndexByte(rest[:indexAny(rest, "/?#"+quotes)], '@')
	if end < 0 {
		if !rawPassword(rest) {
			return span{}, false
		}
		end = strings.LastIndexByte(rest, '@')
	}
	return secretOfUser(at, rest[:end], scheme)
}

// rawPassword says that what looks like a host and its port is rather a user and
// a password with a slash in it.
func rawPassword(rest string) bool {
	colon := strings.IndexByte(rest, ':')
	if colon < 0 || colon > indexAny(rest, "/?#"+quotes) || strings.IndexByte(rest[colon:], '@') < 0 {
		return false
	}
	after := strings.TrimLeft(rest[colon+1:], "0123456789")
	return after != "" && after[0] != '/' && !isQuote(after[0])
}

func secretOfUser(at int, user, scheme string) (span, bool) {
	name, password, ok := strings.Cut(user, ":")
	all := span{at, at + len(name)}
	switch {
	case ok && password != "" && password != "x-oauth-basic":
		return span{at + len(name) + 1, at + len(user)}, !masked(password) && !reference(password)
	case name == "" || masked(name) || reference(name):
		return span{}, false
	case ok:
		return all, true
	}
	known := slices.Contains(userSchemes, scheme) || name == "git" || name == "anonymous"
	return all, !known
}
