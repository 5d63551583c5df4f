package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// listingLimit is how many entries GitHub gives of a folder; it cuts a longer
// one without saying so (REST reference, repository contents).
const listingLimit = 1000

// repository is a look at one repository.
type repository struct {
	asker
	cfg      Config
	want     wanted
	blobs    *store
	literals bool
	target   target
	ahead    *folderOf // what was read of it ahead; nil if nothing was
	meta     *gh.Repository
	owner    string // by which it is asked for: a renamed one by its new name
	name     string
	out      reading
	twice    bool            // it is looked at under its new name as well
	files    map[string]bool // the paths of workflow files on the default branch
	texts    map[string][]byte
	gaps     []string
}

func (p *Provider) repository(ctx context.Context, g *gate, t target, literals bool) *repository {
	return &repository{asker: asker{ctx: ctx, client: p.client, gate: g}, cfg: p.cfg, want: p.want, blobs: p.blobs, literals: literals, target: t, meta: t.meta}
}

// observe reads what there is, as far as it goes. The area is read only if
// nothing was missed.
func (r *repository) observe() reading {
	r.out.area = providers.Area{Part: r.target.part(), State: providers.Read}
	files, err := r.open()
	if err != nil {
		t := r.explain(err)
		r.out.area.State, r.out.area.Reason = t.state, t.reason
		return r.out
	}
	r.files, r.texts = map[string]bool{}, map[string][]byte{}
	for _, f := range files {
		name := path.Join(folder, f.GetName())
		r.files[name] = true
		if data, ok := r.fetch(f, name); ok {
			r.texts[name] = data
		}
	}
	for _, f := range files {
		r.file(path.Join(folder, f.GetName()))
	}
	if len(r.out.objects) > 0 {
		r.describe()
	}
	if len(r.gaps) > 0 {
		r.out.area.State = providers.Partial
		r.out.area.Reason = strings.Join(r.gaps, "; ")
	}
	return r.out
}

// gap says that something could not be read.
func (r *repository) gap(what string, err error) {
	r.gaps = append(r.gaps, what+": "+r.explain(err).reason)
}

func (r *repository) note(code, message string) {
	r.out.notes = append(r.out.notes, providers.Note{Code: code, Message: message})
}

// open finds the repository and lists its workflow files.
func (r *repository) open() ([]*gh.RepositoryContent, error) {
	r.owner, r.name, _ = strings.Cut(r.target.name, "/")
	if r.ahead != nil {
		if r.meta == nil {
			r.meta = r.ahead.meta
		}
		return r.ahead.files, nil
	}
	if r.meta == nil {
		if err := r.find(); err != nil {
			return nil, err
		}
	}
	if r.twice {
		return nil, nil
	}
	var listed []*gh.RepositoryContent
	var single *gh.RepositoryContent
	_, err := r.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		single, listed, resp, err = r.client.Repositories.GetContents(ctx, r.owner, r.name, folder, nil)
		return resp, err
	})
	switch t := (*trouble)(nil); {
	case errors.As(err, &t) && t.status == http.StatusNotFound:
		return nil, r.proveEmpty(err)
	case err != nil:
		return nil, err
	case single.GetType() == "file":
		return nil, nil
	case listed == nil:
		return nil, emptyAnswer("listing of " + folder)
	case len(listed) >= listingLimit:
		r.gaps = append(r.gaps, fmt.Sprintf("GitHub lists only the first %d entries of %s; move workflows that are not needed away", listingLimit, folder))
	}
	return listed, nil
}

// find asks for a repository that no listing has shown. A renamed one answers
// under its new name.
func (r *repository) find() error {
	var m *gh.Repository
	_, err := r.ask(func(ctx context.Context) (resp *gh.Response, err error) {
		m, resp, err = r.client.Repositories.Get(ctx, r.owner, r.name)
		return resp, err
	})
	if err != nil {
		return err
	}
	full := m.GetFullName()
	if !validRepo(full) {
		return emptyAnswer("repository")
	}
	if !strings.EqualFold(full, r.target.name) {
		r.note("stale-ref", fmt.Sprintf("the repository %s is now called %s; write the new name in the config", r.target.name, full))
		r.twice = r.want.covers(full)
		r.owner, r.name, _ = strings.Cut(full, "/")
	}
	r.meta = m
	return nil
}

var emptyRepository = lazy.Expression(`(?i)repository is empty`)

// proveEmpty tells a repository without workflows from one whose contents the
// token may not read: GitHub answers both with 404. A public one may be read by
// anyone; of another the root must be readable.
func (r *repository) proveEmpty(notFound error) error {
	if r.meta.Private != nil && !r.meta.GetPrivate() {
		return nil
	}
	var root json.RawMessage
	_, err := r.ask(func(ctx context.Context) (*gh.Response, error) {
		req, err := r.client.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/contents", r.owner, r.name), nil)
		if err != nil {
			return nil, err
		}
		resp, err := r.client.Do(ctx, req, &root)
		var answer *gh.ErrorResponse
		if errors.As(err, &answer) && emptyRepository().MatchString(answer.Message) {
			root, err = json.RawMessage("[]"), nil
		}
		return resp, err
	})
	var t *trouble
	if errors.As(err, &t) && t.status == http.StatusNotFound {
		return &trouble{state: providers.Denied, status: t.status, reason: "the repository is visible to this token and its contents are not (404); give the token read access to contents"}
	}
	if err != nil {
		return err
	}
	var entries []json.RawMessage
	if json.Unmarshal(root, &entries) != nil || entries == nil {
		return emptyAnswer("listing of the repository")
	}
	return nil
}

// fetch reads one entry of the folder.
func (r *repository) fetch(f *gh.RepositoryContent, name string) ([]byte, bool) {
	switch {
	case !isWorkflow(f.GetName()) || f.GetType() == "dir" || f.GetType() == "submodule":
		return nil, false
	case f.GetType() != "file":
		r.gaps = append(r.gaps, fmt.Sprintf("%s is a %s and was not followed; make it a file", name, f.GetType()))
		return nil, false
	case f.GetSize() > maxFile:
		r.gaps = append(r.gaps, fmt.Sprintf("%s is larger than %d MiB and was not read", name, maxFile>>20))
		return nil, false
	}
	data, err := r.blob(f.GetSHA())
	if err != nil {
		r.gap(name, err)
	}
	return data, err == nil
}

// file translates a text of the folder.
func (r *repository) file(name string) {
	data, ok := r.texts[name]
	if !ok {
		return
	}
	part := r.target.part()
	got := new(scratch).readText(data, place{r.cfg.Source, r.target.name, name, part, r.target.name + "/" + name}, providers.Area{Part: part, State: providers.Read}, r.literals, r.called)
	if got.area.Gap() {
		r.gaps = append(r.gaps, got.area.Reason)
	}
	r.out.objects = append(r.out.objects, got.objects...)
	r.out.notes = append(r.out.notes, got.notes...)
}

// called is the text of a workflow that another one calls: of those that were
// read anyway, since they lie in the same folder.
func (r *repository) called(name string) ([]byte, error) {
	data, ok := r.texts[name]
	switch {
	case ok:
		return data, nil
	case r.files[name] || len(r.files) >= listingLimit:
		return nil, errors.New("it was not read")
	}
	return nil, fs.ErrNotExist
}

// describe adds to the objects what is not in the file: whether the workflow is
// switched on, and when it ran.
func (r *repository) describe() {
	switch {
	case r.meta.GetArchived():
		r.inactive("archived", "the repository is archived", "unarchive the repository, or take the role out of the ledger")
		return
	case r.meta.GetDisabled():
		r.inactive("actions-disabled", "GitHub has disabled the repository", "ask GitHub's support why")
		return
	}
	registered, ok := r.registrations()
	if !ok {
		if len(r.gaps) > 0 && r.asksRuns() {
			r.unreadable("the workflows' states, by which their runs are asked for, were not read: " + r.gaps[len(r.gaps)-1])
		}
		return
	}
	for i := range r.out.objects {
		o := &r.out.objects[i]
		if w := registered[o.Attr("workflow")]; w != nil {
			apply(o, w)
		} else {
			r.unregistered(o)
		}
	}
	r.pushed()
	r.elsewhere(registered)
	if r.cfg.Permissions {
		r.permissions()
	}
	if r.asksRuns() {
		r.runs(registered)
	}
}

// pushed tells of a public repository when it last changed: GitHub switches the
// schedules of a quiet one off.
func (r *repository) pushed() {
	if r.meta.Private == nil || r.meta.GetPrivate() || r.meta.PushedAt == nil {
		return
	}
	for i := range r.out.objects {
		if o := &r.out.objects[i]; len(o.Inactive()) == 0 {
			o.SetAttr("pushed_at", r.meta.GetPushedAt().UTC().Format(time.RFC3339))
		}
	}
}

func (r *repository) inactive(code, detail, next string) {
	for i := range r.out.objects {
		r.out.objects[i].Extra().Inactive = append(r.out.objects[i].Inactive(), providers.Inactive{Code: code, Detail: detail, Next: next})
	}
}

// unregistered meets a file that GitHub does not know as a workflow yet. In a
// fork that is how scheduled workflows stand until someone switches them on.
func (r *repository) unregistered(o *providers.Object) {
	if r.meta.GetFork() {
		o.Extra().Inactive = append(o.Inactive(), providers.Inactive{Code: "disabled_fork", Detail: "the repository is a fork, and GitHub has not registered the workflow", Next: "switch workflows on in the fork's Actions tab, or run it in the original"})
		return
	}
	r.note("not-checked", fmt.Sprintf("%s of %s is not registered by GitHub, so its state is not known: the file is new, or GitHub could not read it", o.Attr("workflow"), r.target.name))
}

// elsewhere hints at registrations without a file on the default branch: the
// file was deleted, or stands only on another branch, where no schedule counts.
func (r *repository) elsewhere(registered map[string]*gh.Workflow) {
	var names []string
	for p, w := range registered {
		if !r.files[p] && w.GetState() == "active" && strings.HasPrefix(p, folder+"/") {
			names = append(names, p)
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	r.note("suspicious-schedule", fmt.Sprintf("%s registers workflows that are not on its default branch, where alone schedules count: %s", r.target.name, strings.Join(names, ", ")))
}
