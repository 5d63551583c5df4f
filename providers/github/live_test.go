package github

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func scheduled(role string) string {
	return "# rolecall: role=" + role + " version=1\non:\n  schedule:\n    - cron: 17 5 * * *\njobs: {a: {runs-on: u, steps: [{run: " + role + "}]}}\n"
}

// shop is a repository with one scheduled and one other workflow.
func shop() *fakeRepo {
	return &fakeRepo{name: "acme/shop",
		files: map[string]string{"nightly.yml": scheduled("nightly"), "push.yaml": "on: push\n", "README.md": "schedule"},
		workflows: []fakeWorkflow{
			{6817859, ".github/workflows/nightly.yml", "active"}, {6817860, ".github/workflows/push.yaml", "active"},
			{6817861, "dynamic/dependabot/dependabot-updates", "active"}},
		runs: []object{
			run(6817859, "failure", "2026-11-02T05:07:00Z", "2026-11-02T05:09:00Z"),
			run(6817859, "success", "2026-11-01T05:06:00Z", "2026-11-01T05:08:00Z"),
			run(1, "success", "2026-11-03T05:06:00Z", "2026-11-03T05:08:00Z")}}
}

func (f *fake) look(t *testing.T, cfg Config, cacheDir string) providers.Observation {
	t.Helper()
	cfg.Source, cfg.CacheDir = "ci", cacheDir
	p, err := New(f.client(t, cacheDir, "t0ken"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	got := p.Observe(context.Background(), providers.Selection{})
	if asked := len(f.requestsSoFar()); got.Requests != asked {
		t.Errorf("Requests = %d, the server counted %d", got.Requests, asked)
	}
	return got
}

func (f *fake) requestsSoFar() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

func TestLive(t *testing.T) {
	f := newFake(t, shop())
	got := f.look(t, Config{Repos: []string{"acme/shop"}, Runs: true}, "")
	if d := cmp.Diff([]string{"repo/acme/shop read"}, areas(got)); d != "" {
		t.Error(d)
	}
	if len(got.Objects) != 1 {
		t.Fatalf("%d objects", len(got.Objects))
	}
	o := got.Objects[0]
	want := providers.Object{
		ID: "github:ci/acme/shop/.github/workflows/nightly.yml", Origin: &providers.Origin{Source: "ci", Provider: "github", Part: "repo/acme/shop"},
		Pos:    specs.Pos{File: "acme/shop/.github/workflows/nightly.yml", Line: 3},
		Marked: &providers.Marker{Role: "nightly", Version: "1", Pos: specs.Pos{File: "acme/shop/.github/workflows/nightly.yml", Line: 1}},
		Attrs:  providers.AttrsOf(map[string]string{"repo": "acme/shop", "workflow": ".github/workflows/nightly.yml", "cron": "17 5 * * *", "pushed_at": "2026-01-02T03:04:05Z"}),
		More: &providers.More{UID: "6817859",
			Created: time.Date(2021, 3, 17, 9, 33, 32, 0, time.UTC),
			Runs: &providers.Evidence{
				Executed:  providers.Trace{State: providers.Known, Last: time.Date(2026, 11, 2, 5, 7, 0, 0, time.UTC), From: "runs of the event schedule"},
				Succeeded: providers.Trace{State: providers.Known, Last: time.Date(2026, 11, 1, 5, 8, 0, 0, time.UTC), From: "runs of the event schedule"},
				Since:     time.Date(2021, 3, 17, 9, 33, 32, 0, time.UTC),
				Failed:    &providers.Failure{ID: "2313468274", At: time.Date(2026, 11, 2, 5, 9, 0, 0, time.UTC), Why: "it failed"},
			}},
	}
	if o.Spec.Hash() != specOf(t, scheduled("nightly")).Hash() || len(o.Entries()) != 1 {
		t.Errorf("spec %s", o.Spec.Canonical())
	}
	o.Spec, o.Extra().Entries = specs.Spec{}, nil
	if d := cmp.Diff(want, o, cmp.AllowUnexported(specs.Value{}), cmp.Comparer(func(a, b specs.Spec) bool { return a.Hash() == b.Hash() })); d != "" {
		t.Errorf("object (-want +got):\n%s", d)
	}
}

// An exact repository costs three requests and its blobs; a repeat costs
// nothing but 304s.
func TestRequestsOfAnExactRepository(t *testing.T) {
	f := newFake(t, shop())
	dir := t.TempDir()
	nightlyBlob := "GET /repos/acme/shop/git/blobs/" + blobName(scheduled("nightly"))
	pushBlob := "GET /repos/acme/shop/git/blobs/" + blobName("on: push\n")
	base := []string{"GET /repos/acme/shop", "GET /repos/acme/shop/actions/workflows?per_page=100", "GET /repos/acme/shop/contents/.github/workflows"}
	f.look(t, Config{Repos: []string{"acme/shop"}}, dir)
	if d := cmp.Diff(sorted(base, nightlyBlob, pushBlob), f.asked()); d != "" {
		t.Errorf("cold (-want +got):\n%s", d)
	}
	got := f.look(t, Config{Repos: []string{"acme/shop"}}, dir)
	if d := cmp.Diff([]string{base[0] + " 304", base[1] + " 304", base[2] + " 304"}, f.asked()); d != "" {
		t.Errorf("repeat (-want +got):\n%s", d)
	}
	if len(got.Objects) != 1 || len(got.Gaps()) > 0 {
		t.Errorf("%+v", got)
	}
	f.repos[0].files["nightly.yml"] = scheduled("nightly2")
	got = f.look(t, Config{Repos: []string{"acme/shop"}}, dir)
	want := []string{base[0] + " 304", base[1] + " 304", base[2], "GET /repos/acme/shop/git/blobs/" + blobName(scheduled("nightly2"))}
	if d := cmp.Diff(want, f.asked()); d != "" {
		t.Errorf("one file changed (-want +got):\n%s", d)
	}
	if got.Objects[0].Marker().Role != "nightly2" {
		t.Error("the old file was read")
	}
}

func sorted(list []string, more ...string) []string {
	out := append(slices.Clone(list), more...)
	slices.Sort(out)
	return out
}

// fleet is an owner with repositories of each sort.
func fleet() []*fakeRepo {
	var out []*fakeRepo
	for i := range 5 {
		name := fmt.Sprintf("svc-%d", i)
		out = append(out, &fakeRepo{name: "acme/" + name, private: i%2 == 0, files: map[string]string{"n.yml": scheduled(name)},
			workflows: []fakeWorkflow{{int64(i + 1), ".github/workflows/n.yml", "active"}, {int64(i + 100), ".github/workflows/o.yml", "disabled_manually"}}})
	}
	return append(out, &fakeRepo{name: "acme/svc-none", private: true}, &fakeRepo{name: "acme/other", files: map[string]string{"n.yml": scheduled("other")}})
}

func TestPattern(t *testing.T) {
	f := newFake(t, fleet()...)
	f.pageSize = 2
	dir := t.TempDir()
	got := f.look(t, Config{Repos: []string{"acme/SVC-*", "acme/svc-1"}, Each: parallel}, dir)
	want := []string{"owner/acme read"}
	for i := range 5 {
		want = append(want, fmt.Sprintf("repo/acme/svc-%d read", i))
	}
	if d := cmp.Diff(append(want, "repo/acme/svc-none read"), areas(got)); d != "" {
		t.Error(d)
	}
	if len(got.Objects) != 5 {
		t.Errorf("%d objects, want 5", len(got.Objects))
	}
	count := map[string]int{}
	for _, r := range f.asked() {
		if strings.HasPrefix(r, "GET /repos/") && !strings.Contains(r, "/git/blobs/") && !strings.Contains(r, "&page=") {
			count[strings.Split(r, "/")[3]]++
		}
	}
	for name, n := range count {
		if n > 3 {
			t.Errorf("%d requests for %s, want at most 3", n, name)
		}
	}
	f.look(t, Config{Repos: []string{"acme/svc-*"}, Each: parallel}, dir)
	for _, r := range f.asked() {
		if !strings.HasSuffix(r, " 304") && !strings.HasSuffix(r, "svc-none/contents/.github/workflows") {
			t.Errorf("a repeat cost quota: %s", r)
		}
	}
}

func parallel(n int, f func(int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func TestPatternOfAUser(t *testing.T) {
	for _, tt := range []struct {
		name, token string
		objects     int
		notes       int
	}{{"with a token", "t0ken", 5, 0}, {"without", "", 2, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, fleet()...)
			f.org, f.pageSize = false, 2
			p, _ := New(f.client(t, "", tt.token), Config{Source: "ci", Repos: []string{"acme/svc-*"}, Permissions: true})
			got := p.Observe(context.Background(), providers.Selection{})
			if len(got.Objects) != tt.objects || len(got.Gaps()) > 0 || len(got.Notes) != tt.notes {
				t.Errorf("%d objects, %v, %v", len(got.Objects), areas(got), got.Notes)
			}
		})
	}
}

func TestPatternWithoutAMatch(t *testing.T) {
	f := newFake(t, fleet()...)
	got := f.look(t, Config{Repos: []string{"acme/lib-*", "acme/other"}}, "")
	if d := cmp.Diff([]string{"glob/acme/lib-* absent", "owner/acme read", "repo/acme/other read"}, areas(got)); d != "" {
		t.Error(d)
	}
}

// A token whose reach is not known to be whole gets a note beside a pattern.
func TestPatternUnderANarrowToken(t *testing.T) {
	f := newFake(t, fleet()...)
	f.scopes = "read:org, public_repo"
	got := f.look(t, Config{Repos: []string{"acme/svc-*"}, Permissions: true}, "")
	if len(got.Notes) != 1 || got.Notes[0].Code != "not-checked" || !strings.Contains(got.Notes[0].Message, "only some repositories") {
		t.Error(got.Notes)
	}
}

func inactiveCodes(o providers.Observation) []string {
	out := []string{}
	for _, x := range o.Objects {
		for _, in := range x.Inactive() {
			out = append(out, in.Code)
			if in.Detail == "" || in.Next == "" {
				out = append(out, "WITHOUT DETAIL")
			}
		}
	}
	return out
}

func TestStates(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*fakeRepo)
		want   []string
		notes  []string
	}{
		{"active", func(m *fakeRepo) {}, []string{}, nil},
		{"disabled by hand", func(m *fakeRepo) { m.workflows[0].state = "disabled_manually" }, []string{"disabled_manually"}, nil},
		{"disabled by inactivity", func(m *fakeRepo) { m.workflows[0].state = "disabled_inactivity" }, []string{"disabled_inactivity"}, nil},
		{"disabled in a fork", func(m *fakeRepo) { m.workflows[0].state = "disabled_fork" }, []string{"disabled_fork"}, nil},
		{"deleted", func(m *fakeRepo) { m.workflows[0].state = "deleted" }, []string{"deleted"}, nil},
		{"a state to come", func(m *fakeRepo) { m.workflows[0].state = "disabled_by_policy" }, []string{"disabled_by_policy"}, nil},
		{"archived", func(m *fakeRepo) { m.archived = true }, []string{"archived"}, nil},
		{"disabled by GitHub", func(m *fakeRepo) { m.disabled = true }, []string{"actions-disabled"}, nil},
		{"Actions off", func(m *fakeRepo) { m.actionsOff = true }, []string{"actions-disabled"}, nil},
		{"not registered", func(m *fakeRepo) { m.workflows = m.workflows[1:] }, []string{}, []string{"not registered"}},
		{"not registered in a fork", func(m *fakeRepo) { m.workflows, m.fork = nil, true }, []string{"disabled_fork"}, nil},
		{"registered again", func(m *fakeRepo) {
			m.workflows = append(m.workflows, fakeWorkflow{1, ".github/workflows/nightly.yml", "deleted"})
		}, []string{}, nil},
		{"registered elsewhere", func(m *fakeRepo) {
			m.workflows = append(m.workflows, fakeWorkflow{9, ".github/workflows/gone.yml", "active"})
		}, []string{}, []string{"not on its default branch, where alone schedules count: .github/workflows/gone.yml"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, shop())
			f.pageSize = 2
			tt.change(f.repos[0])
			got := f.look(t, Config{Repos: []string{"acme/shop"}, Permissions: !f.repos[0].actionsOff}, "")
			if d := cmp.Diff(tt.want, inactiveCodes(got)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]string{"repo/acme/shop read"}, areas(got)); d != "" {
				t.Error(d)
			}
			var notes []string
			for _, n := range got.Notes {
				notes = append(notes, n.Message)
			}
			if len(notes) != len(tt.notes) || len(notes) > 0 && !strings.Contains(notes[0], tt.notes[0]) {
				t.Errorf("notes %q, want %q", notes, tt.notes)
			}
		})
	}
}

// Where Actions is off and the workflows are shown all the same, only the
// permissions tell.
func TestPermissions(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		status     int
		codes      []string
		state      string
		notes      int
	}{
		{"off", `{"enabled":false}`, 200, []string{"actions-disabled"}, "read", 0},
		{"on", `{"enabled":true}`, 200, []string{}, "read", 0},
		{"not shown", `{"message":"Resource not accessible by personal access token"}`, 403, []string{}, "read", 1},
		{"failed", ``, 500, []string{}, "partial", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t, shop())
			f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/permissions") {
					return false
				}
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
				return true
			}
			got := f.look(t, Config{Repos: []string{"acme/shop"}, Permissions: true}, "")
			if d := cmp.Diff(tt.codes, inactiveCodes(got)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff([]string{"repo/acme/shop " + tt.state}, areas(got)); d != "" || len(got.Notes) != tt.notes {
				t.Error(d, got.Notes)
			}
		})
	}
}

// That a repository has no workflows is said only where its contents can be
// read.
func TestNoWorkflows(t *testing.T) {
	for _, tt := range []struct {
		name string
		repo fakeRepo
		want string
	}{
		{"public", fakeRepo{}, "read"},
		{"private", fakeRepo{private: true}, "read"},
		{"private, contents closed", fakeRepo{private: true, noContents: true}, "denied"},
		{"private without a commit", fakeRepo{private: true, empty: true}, "read"},
		{"no workflow among the files", fakeRepo{files: map[string]string{"x.yml.disabled": scheduled("x")}}, "read"},
		{"a link", fakeRepo{files: map[string]string{}, links: []string{"x.yml", "y.txt"}}, "partial"},
		{"not YAML", fakeRepo{files: map[string]string{"x.yml": "on: {schedule: ["}}, "partial"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.repo.name = "acme/shop"
			f := newFake(t, &tt.repo)
			got := f.look(t, Config{Repos: []string{"acme/shop"}}, "")
			if d := cmp.Diff([]string{"repo/acme/shop " + tt.want}, areas(got)); d != "" || len(got.Objects) > 0 {
				t.Error(d, got.Objects)
			}
			if got.Requests > 3 {
				t.Errorf("%d requests", got.Requests)
			}
		})
	}
}

func TestInvisibleRepository(t *testing.T) {
	f := newFake(t)
	got := f.look(t, Config{Repos: []string{"acme/shop"}}, "")
	if d := cmp.Diff([]string{"repo/acme/shop denied"}, areas(got)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(got.Areas[0].Reason, "not visible to this token") {
		t.Error(got.Areas[0].Reason)
	}
}

func TestRenamedRepository(t *testing.T) {
	f := newFake(t, shop())
	f.repos[0].formerly = "acme/store"
	p, _ := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/store"}, Permissions: true})
	got := p.Observe(context.Background(), providers.Selection{})
	if d := cmp.Diff([]string{"repo/acme/store read"}, areas(got)); d != "" || len(got.Objects) != 1 {
		t.Fatal(d, got.Objects)
	}
	if got.Objects[0].ID != "github:ci/acme/store/.github/workflows/nightly.yml" || got.Notes[0].Code != "stale-ref" {
		t.Error(got.Objects[0].ID, got.Notes)
	}
	p, _ = New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/store", "acme/*"}})
	if got = p.Observe(context.Background(), providers.Selection{}); len(got.Objects) != 1 {
		t.Errorf("%d objects of one workflow", len(got.Objects))
	}
}

func TestFolderCutAtItsLimit(t *testing.T) {
	m := &fakeRepo{name: "acme/shop", files: map[string]string{"a.yml": scheduled("a")}}
	for i := range listingLimit - 1 {
		m.files[fmt.Sprintf("note-%04d.txt", i)] = ""
	}
	f := newFake(t, m)
	got := f.look(t, Config{Repos: []string{"acme/shop"}}, "")
	if d := cmp.Diff([]string{"repo/acme/shop partial"}, areas(got)); d != "" || len(got.Objects) != 1 {
		t.Error(d)
	}
}

func TestSelection(t *testing.T) {
	f := newFake(t, fleet()...)
	p, _ := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/svc-*"}})
	got := p.Observe(context.Background(), providers.Selection{Parts: []string{"repo/acme/svc-3", "repo/acme/other"}, Literals: true})
	if d := cmp.Diff([]string{"repo/acme/svc-3 read"}, areas(got)); d != "" || string(got.Objects[0].Literal()) != scheduled("svc-3") {
		t.Error(d)
	}
}

func TestLiveTemplate(t *testing.T) {
	dir := plant(t, map[string]string{".github/workflows/n.yml": scheduled("nightly"), "out": ""})
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "away.yml")); err != nil {
		t.Fatal(err)
	}
	f := newFake(t)
	p, _ := New(f.client(t, "", ""), Config{Source: "ci", Repos: []string{"acme/shop"}, TemplateDir: dir})
	st := specs.Statement{Schedule: []string{"0 5 * * *"}, Workflow: ".github/workflows/n.yml"}
	d, err := p.Translate(st)
	if err != nil || !slices.Contains(d.Stated, "jobs") {
		t.Fatal(d.Stated, err)
	}
	for _, name := range []string{"../x.yml", "/etc/hostname", "away.yml", "gone.yml", ".github"} {
		st.Workflow = name
		if _, err := p.Translate(st); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	f := newFake(t)
	for _, cfg := range []Config{{Repos: []string{"a/b"}}, {Source: "ci"}, {Source: "ci", Repos: []string{"shop"}}, {Source: "ci", Repos: []string{"*/shop"}}, {Source: "ci", Repos: []string{"a/b/c"}}} {
		if _, err := New(f.client(t, "", ""), cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
	if _, err := New(nil, Config{Source: "ci", Repos: []string{"a/b"}}); err == nil {
		t.Error("no client was taken")
	}
}
