package github

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	gh "github.com/google/go-github/v62/github"
)

// fake is GitHub at the wire, as far as the provider asks it. The shapes are
// those of the REST description 2022-11-28, with the members that recorded
// answers have beside those that are read.
type fake struct {
	*httptest.Server
	repos    []*fakeRepo
	org      bool // the owner is an organisation
	scopes   string
	pageSize int // of every list, whatever is asked for
	// more are answers by path: a body, or a status alone.
	more map[string]any
	// mostAliases is how much GraphQL answers at once; 0 is all.
	mostAliases int
	// spoil may answer a request in place of the fake. n counts from 0.
	spoil func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []string // "GET /path?query", and " 304" behind those that were answered so
}

type fakeRepo struct {
	name                              string // owner/name
	formerly                          string
	private, archived, disabled, fork bool
	noContents                        bool // the token may not read the contents
	empty                             bool // no commit yet
	actionsOff                        bool
	files                             map[string]string // of .github/workflows
	links                             []string          // names of symbolic links there
	workflows                         []fakeWorkflow
	runs                              []map[string]any
}

type fakeWorkflow struct {
	id          int64
	path, state string
}

func newFake(t *testing.T, repos ...*fakeRepo) *fake {
	f := &fake{repos: repos, org: true, scopes: "repo", pageSize: 100}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(f.Close)
	return f
}

// client asks the fake as wire.go's client asks GitHub.
func (f *fake) client(t *testing.T, cacheDir, token string) *gh.Client {
	t.Helper()
	base, err := url.Parse(f.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	c := gh.NewClient(&http.Client{Transport: NewTransport(f.Client().Transport, cacheDir)})
	if token != "" {
		c = c.WithAuthToken(token)
	}
	c.BaseURL = base
	return c
}

// asked are the requests so far, which are then forgotten.
func (f *fake) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.requests
	f.requests = nil
	slices.Sort(out)
	return out
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	n := len(f.requests)
	f.requests = append(f.requests, r.Method+" "+r.URL.RequestURI())
	f.mu.Unlock()
	w.Header().Set("X-OAuth-Scopes", f.scopes)
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", "4999")
	w.Header().Set("X-RateLimit-Reset", "1893456000")
	if f.spoil != nil && f.spoil(n, w, r) {
		return
	}
	status, body := f.answer(w, r)
	text, raw := body.(rawText)
	data := []byte(text)
	if !raw {
		data, _ = json.Marshal(body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	sum := sha1.Sum(data)
	etag := `W/"` + hex.EncodeToString(sum[:]) + `"`
	if status == 200 {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			f.mu.Lock()
			f.requests[n] += " 304"
			f.mu.Unlock()
			w.WriteHeader(304)
			return
		}
	}
	w.WriteHeader(status)
	w.Write(data)
}

type rawText string

type object = map[string]any

func notFound() (int, any) {
	return 404, object{"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"}
}

func (f *fake) answer(w http.ResponseWriter, r *http.Request) (int, any) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if body, ok := f.more[r.URL.Path]; ok {
		if status, alone := body.(int); alone {
			return status, object{"message": http.StatusText(status)}
		}
		return 200, body
	}
	switch {
	case r.URL.Path == "/graphql" && r.Method == http.MethodPost:
		return f.graphql(r)
	case parts[0] == "orgs" && f.org, parts[0] == "users" && !f.org, parts[0] == "organizations":
		return f.listRepos(w, r, func(m *fakeRepo) bool { return parts[0] != "users" || !m.private })
	case r.URL.Path == "/user/repos" && r.Header.Get("Authorization") != "":
		return f.listRepos(w, r, func(*fakeRepo) bool { return true })
	case r.URL.Path == "/user/repos":
		return 401, object{"message": "Requires authentication"}
	case parts[0] != "repos" || len(parts) < 3:
		return notFound()
	}
	name, rest := parts[1]+"/"+parts[2], strings.Join(parts[3:], "/")
	for _, m := range f.repos {
		switch {
		case strings.EqualFold(m.name, name):
			return f.repo(w, r, m, rest)
		case m.formerly == name:
			w.Header().Set("Location", strings.Replace(f.URL+r.URL.RequestURI(), name, m.name, 1))
			return 301, object{"message": "Moved Permanently"}
		}
	}
	return notFound()
}

func (f *fake) listRepos(w http.ResponseWriter, r *http.Request, shown func(*fakeRepo) bool) (int, any) {
	all := []any{}
	for i, m := range f.repos {
		if shown(m) {
			all = append(all, m.meta(i))
		}
	}
	path := r.URL.Path
	if strings.HasPrefix(path, "/orgs/") {
		path = "/organizations/107424/repos"
	}
	return 200, f.page(w, r, path, all)
}

// page cuts a list and links to the pages beside it.
func (f *fake) page(w http.ResponseWriter, r *http.Request, path string, all []any) []any {
	page := max(atoi(r.URL.Query().Get("page")), 1)
	from := min((page-1)*f.pageSize, len(all))
	to := min(from+f.pageSize, len(all))
	if to < len(all) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(page+1))
		next := f.URL + path + "?" + q.Encode()
		q.Set("page", strconv.Itoa((len(all)+f.pageSize-1)/f.pageSize))
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next", <%s>; rel="last"`, next, f.URL+path+"?"+q.Encode()))
	}
	return all[from:to]
}

func atoi(s string) int { n, _ := strconv.Atoi(s); return n }

func (m *fakeRepo) meta(id int) any {
	owner, name, _ := strings.Cut(m.name, "/")
	return object{
		"id": 1000 + id, "node_id": "R_x", "name": name, "full_name": m.name, "private": m.private,
		"owner": object{"login": owner, "type": "Organization"}, "fork": m.fork, "default_branch": "main",
		"archived": m.archived, "disabled": m.disabled, "visibility": "public", "pushed_at": "2026-01-02T03:04:05Z",
		"permissions": object{"admin": false, "push": false, "pull": true},
	}
}

func blobName(text string) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00%s", len(text), text)
	return hex.EncodeToString(h.Sum(nil))
}

func (f *fake) repo(w http.ResponseWriter, r *http.Request, m *fakeRepo, rest string) (int, any) {
	sha, isBlob := strings.CutPrefix(rest, "git/blobs/")
	switch {
	case rest == "":
		return 200, m.meta(slices.Index(f.repos, m))
	case m.empty && strings.HasPrefix(rest, "contents"):
		return 404, object{"message": "This repository is empty."}
	case m.noContents && !strings.HasPrefix(rest, "actions"):
		return notFound()
	case rest == "contents":
		return 200, []any{object{"type": "file", "size": 3, "name": "README.md", "path": "README.md", "sha": blobName("hi\n")}}
	case rest == "contents/.github/workflows" && m.files != nil:
		return 200, m.listing()
	case isBlob:
		for _, text := range m.files {
			if blobName(text) == sha {
				return 200, rawText(text)
			}
		}
	case m.actionsOff && strings.HasPrefix(rest, "actions/workflows"):
		return 403, object{"message": "GitHub Actions has been disabled for this repository."}
	case rest == "actions/workflows":
		all := []any{}
		for _, x := range m.workflows {
			all = append(all, object{"id": x.id, "node_id": "W_x", "name": x.path, "path": x.path, "state": x.state,
				"created_at": "2021-03-17T10:33:32.000+01:00", "updated_at": "2022-05-12T14:42:08.000+02:00",
				"html_url": "https://github.com/" + m.name + "/blob/main/" + x.path})
		}
		return 200, object{"total_count": len(all), "workflows": f.page(w, r, r.URL.Path, all)}
	case strings.HasPrefix(rest, "actions/") && strings.HasSuffix(rest, "/runs") || rest == "actions/runs":
		return 200, m.listRuns(rest, r.URL.Query())
	case rest == "actions/permissions":
		return 200, object{"enabled": !m.actionsOff, "allowed_actions": "all"}
	}
	return notFound()
}

// listRuns lists the runs of the repository or of a workflow, those that are
// asked for, the newest first.
func (m *fakeRepo) listRuns(rest string, query url.Values) any {
	runs := []object{}
	for _, run := range m.runs {
		own := rest == "actions/runs" || rest == fmt.Sprintf("actions/workflows/%v/runs", run["workflow_id"])
		event, status := query.Get("event"), query.Get("status")
		if own && (event == "" || event == run["event"]) && (status == "" || status == run["status"] || status == run["conclusion"]) {
			runs = append(runs, run)
		}
	}
	slices.SortStableFunc(runs, func(a, b object) int { return strings.Compare(b["created_at"].(string), a["created_at"].(string)) })
	return object{"total_count": len(runs), "workflow_runs": runs[:min(len(runs), max(1, atoi(query.Get("per_page"))))]}
}

func (m *fakeRepo) listing() []any {
	out := []any{}
	for name, text := range m.files {
		out = append(out, object{"type": "file", "size": len(text), "name": name, "path": folder + "/" + name, "sha": blobName(text),
			"git_url": "https://api.github.com/x", "_links": object{"self": "https://api.github.com/x"}})
	}
	for _, name := range m.links {
		out = append(out, object{"type": "symlink", "size": 7, "name": name, "path": folder + "/" + name, "sha": blobName(name)})
	}
	slices.SortFunc(out, func(a, b any) int {
		return strings.Compare(a.(object)["name"].(string), b.(object)["name"].(string))
	})
	return out
}

// run is a scheduled run as the list of runs has it.
func run(workflow int64, conclusion, started, updated string) object {
	return object{"id": 2313468274, "name": "x", "head_branch": "main", "path": ".github/workflows/x.yml@main", "event": "schedule",
		"status": "completed", "conclusion": conclusion, "workflow_id": workflow, "run_attempt": 1,
		"created_at": started, "run_started_at": started, "updated_at": updated}
}
