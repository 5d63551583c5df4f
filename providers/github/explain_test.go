package github

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rolecall-dev/rolecall/providers"
)

// blamedOn answers a blame in which one commit made the whole file and others
// made single lines of it.
func blamedOn(lines map[int]string) any {
	ranges := []any{object{"startingLine": 1, "endingLine": 2, "commit": byCommit("root 2020-01-01T00:00:00Z")}}
	for line, of := range lines {
		ranges = append(ranges, object{"startingLine": line, "endingLine": line, "commit": byCommit(of)})
	}
	return object{"data": object{"repository": object{"object": object{"blame": object{"ranges": ranges}}}}}
}

func byCommit(of string) object {
	login, at, _ := strings.Cut(of, " ")
	author := object{"name": "The " + login, "user": nil}
	if login != "unlinked" {
		author["user"] = object{"login": login}
	}
	return object{"oid": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "committedDate": at, "author": author}
}

func explained(t *testing.T, change func(*fake), runs []object) []string {
	t.Helper()
	m := shop()
	m.runs = runs
	f := newFake(t, m)
	f.more = map[string]any{
		"/graphql":                             blamedOn(map[int]string{4: "octocat 2026-10-20T10:00:00Z"}),
		"/users/octocat":                       object{"login": "octocat", "type": "User"},
		"/orgs/acme/members/octocat":           204,
		"/repos/acme/shop/actions/runs/9/jobs": object{"total_count": 0, "jobs": []any{}},
	}
	change(f)
	p, err := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/shop"}, Runs: true})
	if err != nil {
		t.Fatal(err)
	}
	got := p.Observe(context.Background(), providers.Selection{})
	f.asked()
	said := p.Explain(context.Background(), got.Objects[0])
	if n := len(f.asked()); n > 6 {
		t.Errorf("%d requests", n)
	}
	return said
}

func TestExplain(t *testing.T) {
	old := run(nightlyID, "success", "2026-10-01T05:20:00Z", "2026-10-01T05:30:00Z")
	fresh := run(nightlyID, "success", "2026-11-01T05:20:00Z", "2026-11-01T05:30:00Z")
	broken := with(run(nightlyID, "failure", "2026-11-02T05:20:00Z", "2026-11-02T05:30:00Z"), object{"id": 9})
	going := with(run(nightlyID, "", "2026-11-02T05:20:00Z", "2026-11-02T05:20:00Z"), object{"id": 9, "status": "in_progress", "conclusion": nil})
	const changed = "its schedule was changed last at 2026-10-20T10:00:00Z by octocat (commit 6dcb09b5b578)"
	jobs := func(list ...any) func(*fake) {
		return func(f *fake) {
			f.more["/repos/acme/shop/actions/runs/9/jobs"] = object{"total_count": len(list), "jobs": list}
		}
	}
	for _, tt := range []struct {
		name   string
		runs   []object
		change func(*fake)
		want   []string // each in one of as many sentences
	}{
		{"it ran before the last change only", []object{old}, func(*fake) {}, []string{changed + ", and it has not run since then"}},
		{"it never ran", nil, func(*fake) {}, []string{"default branch, main, alone", changed + ", and it has not run since then"}},
		{"it ran since", []object{fresh}, func(*fake) {}, []string{changed + ", and it has run since then"}},
		{"the commit of another line does not count", []object{fresh}, func(f *fake) {
			f.more["/graphql"] = blamedOn(map[int]string{4: "octocat 2026-10-20T10:00:00Z", 5: "later 2026-10-30T10:00:00Z"})
		}, []string{changed}},
		{"the account is gone", []object{old}, func(f *fake) { f.more["/users/octocat"] = 404 }, []string{changed, "the account octocat is gone, suspended or hidden"}},
		{"the account is suspended", []object{old}, func(f *fake) {
			f.more["/users/octocat"] = object{"login": "octocat", "type": "User", "suspended_at": "2026-10-25T00:00:00Z"}
		}, []string{changed, "the account octocat is suspended"}},
		{"the account cannot be asked for", []object{old}, func(f *fake) { f.more["/users/octocat"] = 500 }, []string{changed, "whether the account octocat still exists is not known: GitHub failed (500"}},
		{"no member", []object{old}, func(f *fake) { f.more["/orgs/acme/members/octocat"] = 404 }, []string{changed, "octocat is not a member of acme; GitHub switches"}},
		{"membership is not shown", []object{old}, func(f *fake) {
			f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/orgs/acme/members/octocat" {
					http.Redirect(w, r, "/orgs/acme/public_members/octocat", http.StatusFound)
				}
				return r.URL.Path == "/orgs/acme/members/octocat"
			}
			f.more["/orgs/acme/public_members/octocat"] = 404
		}, []string{changed, "is not shown to this token"}},
		{"a public member", []object{old}, func(f *fake) {
			f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/orgs/acme/members/octocat" {
					http.Redirect(w, r, "/orgs/acme/public_members/octocat", http.StatusFound)
				}
				return r.URL.Path == "/orgs/acme/members/octocat"
			}
			f.more["/orgs/acme/public_members/octocat"] = 204
		}, []string{changed}},
		{"an app is no member and needs not be", []object{old}, func(f *fake) {
			f.more["/users/octocat"] = object{"login": "octocat", "type": "Bot"}
			f.more["/orgs/acme/members/octocat"] = 404
		}, []string{changed}},
		{"a commit of no account", []object{old}, func(f *fake) { f.more["/graphql"] = blamedOn(map[int]string{4: "unlinked 2026-10-20T10:00:00Z"}) },
			[]string{"by The unlinked", "with no account"}},
		{"without GraphQL the last commit of the file", []object{old}, func(f *fake) {
			f.more["/graphql"] = 404
			f.more["/repos/acme/shop/commits"] = []any{object{"sha": "aa11", "author": object{"login": "octocat"}, "commit": object{"committer": object{"date": "2026-10-22T00:00:00Z"}}}}
		}, []string{"its file was changed last at 2026-10-22T00:00:00Z by octocat (commit aa11)"}},
		{"nothing may be seen", []object{old}, func(f *fake) {
			f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/graphql" || strings.HasSuffix(r.URL.Path, "/commits") {
					say(403, "", "{}")(w, r)
					return true
				}
				return false
			}
		}, []string{"who changed it last is not known: GitHub denies access"}},
		{"odd answers", []object{old}, func(f *fake) {
			f.more["/graphql"], f.more["/repos/acme/shop/commits"] = object{"data": nil}, []any{nil}
		}, []string{"someone unnamed", "no account"}},
		{"a fork", []object{old}, func(f *fake) { f.repos[0].fork = true }, []string{"acme/shop is a fork", changed}},
		{"at the full hour", []object{old}, func(f *fake) {
			f.repos[0].files["nightly.yml"] = strings.Replace(scheduled("nightly"), "17 5", "0 5", 1)
		}, []string{changed, "due at minute 0"}},
		{"at the full hour, and it came", []object{fresh, broken}, func(f *fake) {
			f.repos[0].files["nightly.yml"] = strings.Replace(scheduled("nightly"), "17 5", "0 5", 1)
		}, []string{changed, "no job"}},
		{"failed before any job", []object{fresh, broken}, func(*fake) {}, []string{changed, "run 9 has no job: GitHub refused it"}},
		{"a job failed", []object{fresh, broken}, jobs(
			object{"name": "lint", "status": "completed", "conclusion": "success"},
			object{"name": "build", "status": "completed", "conclusion": "failure", "steps": []any{
				object{"name": "checkout", "status": "completed", "conclusion": "success"}, object{"name": "make", "status": "completed", "conclusion": "failure"}}},
		), []string{changed, "run 9, job build ended as failure at the step make"}},
		{"jobs without end", []object{fresh, broken}, jobs(object{"name": "a", "status": "completed", "conclusion": "failure"}, object{"name": "b", "status": "completed", "conclusion": "failure"},
			object{"name": "c", "status": "completed", "conclusion": "failure"}, object{"name": "d", "status": "completed", "conclusion": "failure"}, object{"name": "e", "status": "completed", "conclusion": "failure"}),
			[]string{changed, "job a", "job b", "job c", "and so on, of 5 jobs: gh run view 9"}},
		{"waits for a runner", []object{fresh, going}, jobs(object{"name": "gpu", "status": "queued", "labels": []any{"self-hosted", "gpu"}}),
			[]string{changed, "job gpu waits for a runner with the labels self-hosted, gpu"}},
		{"at work", []object{fresh, going}, jobs(object{"name": "x", "status": "in_progress", "steps": []any{object{"name": "download", "status": "in_progress"}}}, object{"name": "y", "status": "waiting"}),
			[]string{changed, "job x is under way at the step download", "job y is waiting"}},
		{"the jobs cannot be seen", []object{fresh, broken}, func(f *fake) { f.more["/repos/acme/shop/actions/runs/9/jobs"] = 500 }, []string{changed, "the jobs of run 9 is not known"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := explained(t, tt.change, tt.runs)
			if len(got) != len(tt.want) {
				t.Fatalf("%d sentences, want %d: %q", len(got), len(tt.want), got)
			}
			for i, w := range tt.want {
				if !strings.Contains(got[i], w) {
					t.Errorf("sentence %d is %q, want %q in it", i, got[i], w)
				}
			}
		})
	}
}

// Once GitHub says that a limit is reached, nothing more is asked.
func TestExplainStopsAtALimit(t *testing.T) {
	f := newFake(t, shop())
	p, _ := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/shop"}})
	f.spoil = func(_ int, w http.ResponseWriter, r *http.Request) bool { say(429, "", "")(w, r); return true }
	said := p.Explain(context.Background(), providers.Object{Attrs: providers.AttrsOf(map[string]string{"repo": "acme/shop", "workflow": ".github/workflows/nightly.yml"})})
	if n := len(f.asked()); n != 1 || len(said) != 2 || !strings.Contains(said[1], "secondary limit") {
		t.Errorf("%d requests, %q", n, said)
	}
}

func TestGraphQLPath(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.github.com/":             "https://api.github.com/graphql",
		"https://github.example.com/api/v3/":  "https://github.example.com/api/graphql",
		"https://api.acme.ghe.com/":           "https://api.acme.ghe.com/graphql",
		"https://example.com/proxied/api/v3/": "https://example.com/proxied/api/graphql",
	} {
		c := newFake(t).client(t, "", "")
		u, err := c.BaseURL.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		c.BaseURL = u
		if d := cmp.Diff(want, graphqlPath(c)); d != "" {
			t.Error(d)
		}
	}
}
