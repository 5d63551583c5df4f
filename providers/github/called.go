package github

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// A job can call a workflow of the same repository, which GitHub reads at the
// same commit: what that one does is then part of what the caller does, and
// stands in its body under called. A workflow of another repository and an
// action are compared by their reference. So is an action of the same
// repository: ./path leads into whatever the job has checked out by then, like a
// script that it runs.

// bodyCalled is the key of the body under which called workflows stand.
const bodyCalled = "called"

// maxNested bounds how deep one call leads to another (reference: reusing
// workflow configurations).
const maxNested = 10

// opener reads a workflow file of the repository. Its error wraps
// fs.ErrNotExist only where the file is known not to be there.
type opener func(name string) ([]byte, error)

// calls are the files of the same repository that a body's jobs call, sorted.
func calls(body specs.Value) []string {
	var out []string
	for _, job := range body.Get("jobs").Members {
		if name, ok := calledFile(job.Value.Get("uses").Text); ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// calledFile is the path of a workflow that a reference to the same repository
// names.
func calledFile(uses string) (string, bool) {
	name, here := strings.CutPrefix(uses, "./")
	if !here {
		name, here = strings.CutPrefix(uses, "$/")
	}
	return name, here && path.Dir(name) == folder && isWorkflow(name) && !strings.Contains(name, "@")
}

// resolve adds to a workflow what those that it calls do. An error says that
// one could not be read, so that it is not known.
func (w *workflow) resolve(open opener) error {
	found := map[string]specs.Value{}
	if err := w.follow(calls(w.body), open, found, 1); err != nil || len(found) == 0 {
		return err
	}
	var members []specs.Member
	for name, v := range found {
		members = append(members, specs.Member{Key: name, Value: v})
	}
	w.body = specs.NewMap(append(slices.Clone(w.body.Members), specs.Member{Key: bodyCalled, Value: specs.NewMap(members...)})...)
	return nil
}

func (w *workflow) follow(names []string, open opener, found map[string]specs.Value, depth int) error {
	for _, name := range names {
		if _, done := found[name]; done {
			continue
		}
		if depth > maxNested {
			w.refuseCall(name, fmt.Sprintf("more than %d calls lead to it", maxNested))
			return nil
		}
		data, err := open(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			w.refuseCall(name, "it is not there")
			return nil
		case err != nil:
			return fmt.Errorf("%s, which it calls: %w", plain(name), err)
		}
		called, err := readWorkflow(data, name)
		switch {
		case err != nil:
			w.refuseCall(name, err.Error())
			return nil
		case called.call.Kind == specs.Absent:
			w.refuseCall(name, "it has no trigger workflow_call")
			return nil
		case called.refused != "":
			w.refuseCall(name, called.refused)
			return nil
		}
		found[name] = specs.NewMap(append(slices.Clone(called.body.Members), specs.Member{Key: "workflow_call", Value: interfaceOf(called.call)})...)
		if err := w.follow(calls(called.body), open, found, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *workflow) refuseCall(name, why string) {
	if w.refused == "" {
		w.refused = fmt.Sprintf("it calls %s: %s", plain(name), why)
	}
}

// interfaceOf is on.workflow_call without the descriptions, which are for
// people.
func interfaceOf(call specs.Value) specs.Value {
	return dropEmpty(mapMembers(typed(call), func(_ string, kind specs.Value) specs.Value {
		return dropEmpty(mapMembers(kind, func(_ string, one specs.Value) specs.Value {
			return rules{"description": nothing, "required": defaulted(specs.NewBool(false))}.apply(one)
		}))
	}))
}
