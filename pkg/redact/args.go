package redact

import (
	"path"
	"slices"
	"strings"
)

// Args masks a list of arguments: a secret in any of them, and an argument that
// is the secret of the flag before it, as in "--password", "x".
func Args(args []string) []string {
	out := make([]string, len(args))
	var w argWalk
	for i, a := range args {
		out[i] = Text(a)
		if from, ok := w.secret(a); ok && out[i] == a {
			out[i] = a[:from] + Mask
		}
	}
	return out
}

// argWalk knows the program and the flag before an argument.
type argWalk struct {
	prog  program
	words positionals
	name  string // the first word that is no flag and no variable
	bare  bool   // the list begins with a flag: the program stands elsewhere
	prev  string
}

// secret is where in an argument a secret begins that only its flag or program
// gives away.
func (w *argWalk) secret(arg string) (int, bool) {
	from, is := w.from(arg)
	if p, ok := programOf(arg); ok && !is {
		w.prog, w.words = p, positionals{}
	}
	w.bare = w.bare || w.name == "" && arg != "" && arg[0] == '-'
	if w.name == "" && !w.bare && !strings.Contains(arg, "=") {
		w.name = arg
	}
	if w.prog.only != "" && arg == w.prog.only {
		w.prog.only = ""
	}
	w.prev = arg
	return from, is && !masked(arg[from:])
}

func (w *argWalk) from(arg string) (int, bool) {
	if from, ok := w.prog.attached(arg); ok {
		return from, true
	}
	if w.prog.positionals && w.words.secret(arg) {
		return 0, !reference(arg)
	}
	if arg == "" || arg[0] == '-' || reference(arg) || plainWord(arg) || len(w.prev) < 2 || w.prev[0] != '-' {
		return 0, false
	}
	if isKeyFlag(w.prev) && harmlessKey(arg) {
		return 0, false
	}
	if !prompts(w.prev) && sensitive(w.prev) {
		return 0, !filePath(arg)
	}
	if w.prog.takesNext(w.prev) || w.prev == "-p" && w.ownP(arg) {
		return 0, true
	}
	for f, sign := range w.prog.user {
		if w.prev == f || len(f) == 2 && lastOfCluster(w.prev, f[1]) {
			name, _, ok := strings.Cut(arg, sign)
			return min(len(name)+len(sign), len(arg)), ok
		}
	}
	return 0, false
}

// ownP says that what follows -p is a secret, for a program that is not known: of
// an image, where the list does not name it, anything but a port and a path, else
// only what looks like a secret.
func (w *argWalk) ownP(arg string) bool {
	switch {
	case w.prog.known || plainOfP(arg):
		return false
	case w.bare:
		return true
	}
	return looksSecret(arg) && !slices.ContainsFunc(plainP, func(n string) bool { return likeName(n, path.Base(w.name)) })
}
