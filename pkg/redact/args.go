package redact

import (
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
	prog program
	prev string
}

// secret is where in an argument a secret begins that only its flag or program
// gives away.
func (w *argWalk) secret(arg string) (int, bool) {
	from, is := w.from(arg)
	if p, ok := programOf(arg); ok && !is {
		w.prog = p
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
	if arg == "" || arg[0] == '-' || reference(arg) || plainWord(arg) || len(w.prev) < 2 || w.prev[0] != '-' {
		return 0, false
	}
	if !prompts(w.prev) && sensitive(w.prev) || w.prog.takesNext(w.prev) {
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
