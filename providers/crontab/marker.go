package crontab

import (
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// label is what a comment says about the entry below it.
type label struct {
	marker  providers.Marker
	foreign bool   // written by another tool
	text    string // of a foreign comment: its name, and which tool's it is
	strange string // a word of our own marker that has no meaning
}

// foreignPrefixes are the comments that other tools put above their entries:
// Ansible's cron module, Puppet's cron type, and the plain one.
var foreignPrefixes = []string{"Ansible:", "Puppet Name:", "Name:"}

// parseLabel reads a comment line. The marker is # rolecall: role=KEY
// version=V, with blanks as people like.
func parseLabel(comment string, pos specs.Pos) (label, bool) {
	text := strings.Trim(strings.TrimLeft(strings.TrimLeft(comment, blanks), "#"), cBlanks)
	if rest, ok := strings.CutPrefix(text, "rolecall:"); ok {
		return ownLabel(rest, pos), true
	}
	for _, prefix := range foreignPrefixes {
		if name, ok := strings.CutPrefix(text, prefix); ok {
			return foreignLabel(prefix, strings.Trim(name, cBlanks), pos), true
		}
	}
	return label{}, false
}

func ownLabel(text string, pos specs.Pos) label {
	l := label{marker: providers.Marker{Pos: pos}}
	named := false
	role := ""
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && strings.ContainsRune(cBlanks, r) }) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "role":
			role, named = value, true
		case "version":
			l.marker.Version = value
		default:
			l.strange = word
		}
	}
	switch {
	case specs.ValidRoleKey(role):
		l.marker.Role = role
	case named && role != "":
		l.marker.Invalid = role
	default:
		l.marker.Invalid = "rolecall:" + text
	}
	return l
}

// foreignLabel takes another tool's name as the role if it can be a key. Free
// text, which people write there too, is no marker.
func foreignLabel(prefix, name string, pos specs.Pos) label {
	l := label{foreign: true, text: prefix + " " + name}
	if specs.ValidRoleKey(name) {
		l.marker = providers.Marker{Role: name, Pos: pos}
	}
	return l
}
