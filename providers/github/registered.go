package github

import (
	"context"
	"errors"
	"strconv"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

var actionsOff = lazy.Expression(`(?i)actions (has|have) been disabled|actions (is|are) (disabled|not enabled)`)

// registrations are the workflows that GitHub knows, by path. Of two with one
// path the later counts. It is false where nothing was learned.
func (r *repository) registrations() (map[string]*gh.Workflow, bool) {
	out := map[string]*gh.Workflow{}
	err := r.pages(func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
		ws, resp, err := r.client.Actions.ListWorkflows(ctx, r.owner, r.name, &opts)
		if err == nil && (ws == nil || ws.TotalCount == nil) {
			err = emptyAnswer("list of workflows")
		}
		if err != nil {
			return resp, err
		}
		for _, w := range ws.Workflows {
			if old := out[w.GetPath()]; old == nil || old.GetID() < w.GetID() {
				out[w.GetPath()] = w
			}
		}
		return resp, nil
	})
	if err == nil {
		return out, true
	}
	if t := r.explain(err); !t.limit && actionsOff().MatchString(t.reason) {
		r.inactive("actions-disabled", "GitHub Actions is switched off for the repository", "switch Actions on in the repository's settings")
		return nil, false
	}
	r.gap("the workflows' states", err)
	return nil, false
}

// states are GitHub's words for a workflow that is switched off, and what to do
// about each (REST reference, workflow state).
var states = map[string]providers.Inactive{
	"disabled_manually":   {Detail: "someone has disabled the workflow", Next: "find out who and why, then: gh workflow enable"},
	"disabled_inactivity": {Detail: "GitHub has disabled the workflow since the repository had no activity for 60 days", Next: "enable it again: gh workflow enable; a commit now and then keeps it on"},
	"disabled_fork":       {Detail: "the repository is a fork, in which scheduled workflows are off until someone enables them", Next: "enable it in the fork's Actions tab, or run it in the original"},
	"deleted":             {Detail: "GitHub has the workflow as deleted, though its file is there", Next: "change the file in a commit, so that GitHub registers it again"},
}

// apply joins an object with GitHub's registration of its workflow. A state
// that is neither active nor known is off as well, under its own name.
func apply(o *providers.Object, w *gh.Workflow) {
	more := o.Extra()
	more.UID, more.Created = strconv.FormatInt(w.GetID(), 10), w.GetCreatedAt().Time
	if w.GetState() == "active" {
		return
	}
	in, ok := states[w.GetState()]
	if !ok {
		in = providers.Inactive{Detail: "GitHub gives the workflow's state as " + w.GetState(), Next: "look at the workflow in the Actions tab"}
	}
	in.Code = w.GetState()
	if in.Code == "" {
		in.Code = "not-active"
	}
	more.Inactive = append(more.Inactive, in)
}

// permissions asks whether Actions is on. Not being told is a note, since the
// question is beyond what the audit needs.
func (r *repository) permissions() {
	var perms *gh.ActionsPermissionsRepository
	_, err := r.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		perms, resp, err = r.client.Repositories.GetActionsPermissions(ctx, r.owner, r.name)
		if err == nil && (perms == nil || perms.Enabled == nil) {
			err = emptyAnswer("state of Actions")
		}
		return resp, err
	})
	var t *trouble
	switch {
	case errors.As(err, &t) && t.state == providers.Denied:
		r.note("not-checked", "whether Actions is switched on for "+r.target.name+" is not shown to this token; it needs to read administration")
	case err != nil:
		r.gap("whether Actions is on", err)
	case !perms.GetEnabled():
		r.inactive("actions-disabled", "GitHub Actions is switched off for the repository", "switch Actions on in the repository's settings")
	}
}
