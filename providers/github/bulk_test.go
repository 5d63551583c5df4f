package github

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// zoo has a repository of each sort, among them such as GraphQL tells badly.
func zoo() []*fakeRepo {
	out := fleet()
	add := func(name string, change func(*fakeRepo)) {
		m := &fakeRepo{name: "acme/svc-" + name, files: map[string]string{"n.yml": scheduled(name)}, workflows: []fakeWorkflow{{900, folder + "/n.yml", "active"}}}
		change(m)
		out = append(out, m)
	}
	add("archived", func(m *fakeRepo) { m.archived = true })
	add("disabled", func(m *fakeRepo) { m.disabled = true })
	add("fork", func(m *fakeRepo) { m.fork, m.workflows = true, nil })
	add("link", func(m *fakeRepo) { m.links = []string{"l.yml"} })
	add("closed", func(m *fakeRepo) { m.private, m.noContents = true, true })
	add("empty", func(m *fakeRepo) { m.private, m.empty = true, true })
	add("latin", func(m *fakeRepo) { m.files["n.yml"] = "# caf\xe9\n" + scheduled("latin") })
	add("utf16", func(m *fakeRepo) { m.files["n.yml"] = "\xff\xfeo\x00n\x00:\x00p\x00" })
	add("large", func(m *fakeRepo) { m.files["n.yml"] = scheduled("large") + strings.Repeat("# x\n", largeText/4) })
	add("torn", func(m *fakeRepo) { m.files["n.yml"] = "on: {schedule: [" })
	add("called", func(m *fakeRepo) {
		m.files["n.yml"] = "on: {schedule: [{cron: 17 5 * * *}]}\njobs: {a: {uses: ./.github/workflows/c.yml}}\n"
		m.files["c.yml"] = "on: workflow_call\njobs: {a: {runs-on: u, steps: [{run: x}]}}\n"
	})
	add("renamed", func(m *fakeRepo) { m.formerly = "acme/svc-older" })
	return out
}

var everything = cmp.Options{cmp.Comparer(bytes.Equal), cmp.AllowUnexported(specs.Value{}), cmp.Comparer(func(a, b specs.Spec) bool { return a.Hash() == b.Hash() }), cmpopts.IgnoreFields(providers.Entry{}, "Schedule")}

// The bulk reading gives what REST gives, with whatever is broken about it.
func TestBulkIsTheTwinOfREST(t *testing.T) {
	repos := []string{"acme/svc-*", "acme/other", "acme/svc-older", "acme/svc-nowhere"}
	look := func(cfg Config, cache string, change func(*fake)) providers.Observation {
		f := newFake(t, zoo()...)
		if change != nil {
			change(f)
		}
		cfg.Repos, cfg.Source, cfg.CacheDir, cfg.Runs, cfg.Each = repos, "ci", cache, true, parallel
		p, err := New(f.client(t, cache, "t0ken"), cfg)
		if err != nil {
			t.Fatal(err)
		}
		out := p.Observe(context.Background(), providers.Selection{Literals: true})
		if n := len(f.asked()) - 1; n != out.Requests { // the client follows the renamed one by itself
			t.Errorf("Requests = %d, the server counted %d", out.Requests, n)
		}
		out.Requests = 0
		return out
	}
	want := look(Config{}, "", nil)
	if len(want.Objects) < 12 || len(want.Gaps()) < 4 {
		t.Fatalf("the zoo is poor: %d objects, %v", len(want.Objects), areas(want))
	}
	spoil := func(write func(http.ResponseWriter, *http.Request)) func(*fake) {
		return func(f *fake) {
			f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/graphql" {
					write(w, r)
				}
				return r.URL.Path == "/graphql"
			}
		}
	}
	cases := map[string]func(*fake){
		"whole":            nil,
		"by halves":        func(f *fake) { f.mostAliases = 3 },
		"one at a time":    func(f *fake) { f.mostAliases = 1 },
		"none at all":      spoil(say(504, "", "")),
		"not there":        spoil(say(404, "", `{}`)),
		"only errors":      spoil(say(200, "Content-Type: application/json", `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`)),
		"too much":         spoil(say(200, "Content-Type: application/json", `{"data":null,"errors":[{"type":"RESOURCE_LIMITS_EXCEEDED","message":"x"}]}`)),
		"another shape":    spoil(say(200, "Content-Type: application/json", `{"data":{"r0":[1]}}`)),
		"a limit":          spoil(say(403, "Retry-After: 60\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1893456000", `{"message":"You have exceeded a secondary rate limit"}`)),
		"errors of a part": spoil(say(200, "Content-Type: application/json", `{"data":{"r0":{"nameWithOwner":"acme/other"}},"errors":[{"message":"odd"}]}`)),
		"members left out": spoil(say(200, "Content-Type: application/json", `{"data":{"r0":{"nameWithOwner":"acme/other","isPrivate":false,"isArchived":false,"isDisabled":false,"isFork":false,"folder":null}}}`)),
	}
	for name, change := range cases {
		for _, cache := range []string{"", t.TempDir()} {
			if d := cmp.Diff(want, look(Config{BulkFrom: 1}, cache, change), everything); d != "" {
				t.Errorf("%s, cache %v (-REST +bulk):\n%s", name, cache != "", d)
			}
		}
	}
}

// thousand is a fake of 1,000 repositories with ten workflows each, one of them
// scheduled; no two files are the same.
func thousand(n int) []*fakeRepo {
	var out []*fakeRepo
	for i := range n {
		m := &fakeRepo{name: fmt.Sprintf("acme/svc-%04d", i), files: map[string]string{}}
		for k := range 10 {
			name, text := fmt.Sprintf("w%d.yml", k), fmt.Sprintf("on: push\nname: %d of %d\n", k, i)
			if k == 0 {
				text = scheduled(fmt.Sprintf("r%04d", i))
			}
			m.files[name] = text
			m.workflows = append(m.workflows, fakeWorkflow{int64(i*10 + k + 1), folder + "/" + name, "active"})
		}
		m.runs = []object{run(int64(i*10+1), "success", "2026-11-01T05:20:00Z", "2026-11-01T05:30:00Z")}
		out = append(out, m)
	}
	return out
}

// What a fleet costs: REST requests that count against the limit, those that do
// not, and queries.
func TestRequestsOfAThousandRepositories(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	exact := []string{}
	for i := range 100 {
		exact = append(exact, fmt.Sprintf("acme/svc-%04d", i))
	}
	for name, repos := range map[string][]string{"a pattern": {"acme/svc-*"}, "by name": exact} {
		n := n
		if len(repos) > 1 {
			n = len(repos)
		}
		f := newFake(t, thousand(n)...)
		dir := t.TempDir()
		look := func(what string, rest, queries float64) {
			got := f.look(t, Config{Repos: repos, Runs: true, BulkFrom: 50, Each: parallelFew}, dir)
			if len(got.Objects) != n || len(got.Gaps()) > 0 || got.Objects[n-1].Runs().Executed.Last.IsZero() {
				t.Fatalf("%s, %s: %d objects, %d gaps", name, what, len(got.Objects), len(got.Gaps()))
			}
			counted, free, asked := 0, 0, 0
			for _, r := range f.asked() {
				switch {
				case strings.HasPrefix(r, "POST /graphql"):
					asked++
				case strings.HasSuffix(r, " 304"):
					free++
				default:
					counted++
				}
			}
			t.Logf("%s, %s: %d REST requests that count, %d that do not, %d queries for %d repositories", name, what, counted, free, asked, n)
			if float64(counted) > rest*float64(n) || float64(asked) > queries*float64(n)/1000 {
				t.Errorf("%s, %s: %d REST requests and %d queries, want at most %v and %v a repository", name, what, counted, asked, rest, queries/1000)
			}
		}
		look("cold", 2.05, 50)
		look("repeat, nothing ran", 0.05, 10)
		for i, m := range f.repos {
			m.runs = append(m.runs, run(int64(i*10+1), "success", "2026-11-02T05:20:00Z", "2026-11-02T05:30:00Z"))
		}
		look("repeat, all ran", 1.05, 10)
	}
}

func parallelFew(n int, f func(int)) {
	bound := make(chan struct{}, 8)
	parallel(n, func(i int) {
		bound <- struct{}{}
		defer func() { <-bound }()
		f(i)
	})
}

// A text is taken only under its own name, whatever GraphQL makes of it.
func TestBulkTextsAreProved(t *testing.T) {
	f := newFake(t, shop())
	f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/graphql" {
			return false
		}
		_, body := f.graphql(r)
		if data := body.(object)["data"].(object); data["b0"] != nil {
			say(200, "Content-Type: application/json", `{"data":{"b0":{"object":{"isTruncated":false,"text":"on: {schedule: [{cron: 1 1 * * *}]}\n"}}}}`)(w, r)
			return true
		}
		return false
	}
	got := f.look(t, Config{Repos: []string{"acme/shop"}, BulkFrom: 1}, t.TempDir())
	if len(got.Objects) != 1 || got.Objects[0].Marker().Role != "nightly" {
		t.Errorf("%+v", got.Objects)
	}
}

// Whatever stands in an answer, what is taken of it names whole files only.
func FuzzFolder(f *testing.F) {
	for _, m := range zoo() {
		data, err := json.Marshal(m.tree())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), m.name)
	}
	f.Add(`{"nameWithOwner":"a/b","root":{"__typename":"Tree"},"folder":{"__typename":"Tree","entries":[null,{"name":"\u0000"}]}}`, "a/b")
	f.Fuzz(func(t *testing.T, data, name string) {
		var a treeAnswer
		if json.Unmarshal([]byte(data), &a) != nil {
			return
		}
		found := a.folder(target{name: name})
		if found == nil {
			return
		}
		for _, x := range found.files {
			if x.GetType() == "file" && !objectName().MatchString(x.GetSHA()) || x.GetType() != "file" && x.GetType() != "dir" || x.GetName() == "" {
				t.Errorf("taken: %v", x)
			}
		}
	})
}
