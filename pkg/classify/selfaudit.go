package classify

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// selfAudit warns where the only roles that run an audit sit on one source, which
// holds other roles too: when its scheduler stops, nobody is left to say so. Two
// audits in two sources tell of each other. An object runs an audit where rolecall
// and audit are among its words: of a command, of a container's image and
// arguments, of a workflow's steps.
func (j *judge) selfAudit() {
	var audits []*object
	for _, o := range j.claims.objects {
		if o.role == "" || len(o.Inactive()) > 0 || !runsAudit(o.Spec.Body) {
			continue
		}
		if len(audits) > 0 && audits[0].Source() != o.Source() {
			return
		}
		audits = append(audits, o)
	}
	if len(audits) == 0 {
		return
	}
	o := audits[0]
	guards := slices.ContainsFunc(j.Ledger.Roles, func(r specs.Role) bool {
		return r.Key != o.role && slices.Contains(r.Sources, o.Source())
	})
	if guards {
		j.note("self-audit", o.Source(), fmt.Sprintf("role %s runs the audit in %s, whose other roles it looks after: if that scheduler stops, the audit stops with it and nobody says so; run it on another one as well, or have it watched from outside (rolecall rules, audit --ping)", o.role, o.Source()), o.Pos)
	}
}

// runsAudit says that among the texts of a body are the words rolecall, as a
// program, image or action, and audit.
func runsAudit(body specs.Packed) bool {
	if !slow.Only() && !(strings.Contains(string(body), "rolecall") && strings.Contains(string(body), "audit")) {
		return false // a text stands in the body as it is
	}
	program, audit := auditWords(body.Value())
	return program && audit
}

func auditWords(v specs.Value) (program, audit bool) {
	if v.Kind == specs.Text && !v.Secret {
		return wordsOfAudit(v.Text)
	}
	for _, m := range v.Members {
		p, a := auditWords(m.Value)
		program, audit = program || p, audit || a
	}
	return program, audit
}

func wordsOfAudit(text string) (program, audit bool) {
	if !strings.Contains(text, "rolecall") && !strings.Contains(text, "audit") {
		return false, false
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'();&|", r) }) {
		name, _, _ := strings.Cut(path.Base(w), "@")
		name, _, _ = strings.Cut(name, ":")
		program = program || name == "rolecall"
		audit = audit || w == "audit"
	}
	return program, audit
}
