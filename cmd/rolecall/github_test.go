package main

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// fakeGitHub answers at the wire for what a story lays out in a folder:
//
//	github start DIR     serves it and sets GITHUB_API
//	github requests      writes the requests since the last call to the file requests
//
// In DIR each OWNER/NAME is a repository: its files in workflows/ are those of
// .github/workflows on the default branch, repo.json is merged into the
// repository's description, states.json maps a workflow's path to its state,
// runs.json lists its scheduled runs, and answers.json maps what stands behind
// /repos/OWNER/NAME/ to an answer of its own. Without runs.json each workflow ran
// well when the fake was started. faults.json maps a path of the API, without the
// leading /api/v3, to a status that is answered instead, and answers.json beside
// it one to an answer.
type fakeGitHub struct {
	dir     string
	started time.Time

	mu       sync.Mutex
	requests []string
}

type object = map[string]any

func githubCommand(servers *sync.Map) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		switch {
		case len(args) == 2 && args[0] == "start":
			f := &fakeGitHub{dir: ts.MkAbs(args[1]), started: time.Now().UTC().Truncate(time.Second)}
			s := httptest.NewServer(f)
			ts.Defer(s.Close)
			ts.Setenv("GITHUB_API", s.URL)
			servers.Store(s.URL, f)
		case len(args) == 1 && args[0] == "requests":
			f, _ := servers.Load(ts.Getenv("GITHUB_API"))
			ts.Check(os.WriteFile(ts.MkAbs("requests"), []byte(f.(*fakeGitHub).asked()), 0o644))
		default:
			ts.Fatalf("usage: github start DIR | github requests")
		}
	}
}

func (f *fakeGitHub) asked() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	slices.Sort(f.requests)
	out := strings.Join(f.requests, "\n") + "\n"
	f.requests = nil
	return out
}

func (f *fakeGitHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := strings.TrimPrefix(r.URL.Path, "/api/v3")
	status, body := f.answer(p, r.URL.Query())
	data, _ := json.Marshal(body)
	if s, ok := body.(string); ok {
		data = []byte(s)
	}
	sum := sha1.Sum(data)
	etag := `"` + hex.EncodeToString(sum[:]) + `"`
	line := r.Method + " " + p
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if status == http.StatusOK {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			status, data = http.StatusNotModified, nil
		}
	}
	f.mu.Lock()
	f.requests = append(f.requests, fmt.Sprintf("%s %d", line, status))
	f.mu.Unlock()
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

func (f *fakeGitHub) answer(p string, query url.Values) (int, any) {
	faults := map[string]int{}
	f.read("faults.json", &faults)
	if status := faults[p]; status == http.StatusOK {
		return status, `{"total_count": 2, "workflows": [{"id": 1, "pa`
	} else if status != 0 {
		return status, object{"message": http.StatusText(status), "documentation_url": "https://docs.github.com/rest"}
	}
	answers := map[string]any{}
	f.read("answers.json", &answers)
	if a, ok := answers[p]; ok {
		return http.StatusOK, a
	}
	parts := strings.SplitN(strings.TrimPrefix(p, "/"), "/", 4)
	switch {
	case parts[0] == "orgs":
		return http.StatusOK, f.repos(parts[1])
	case parts[0] != "repos" || len(parts) < 3 || !f.has(path.Join(parts[1], parts[2])):
		return http.StatusNotFound, object{"message": "Not Found", "documentation_url": "https://docs.github.com/rest"}
	}
	repo, rest := path.Join(parts[1], parts[2]), ""
	if len(parts) == 4 {
		rest = parts[3]
	}
	return f.repo(repo, rest, query)
}

func (f *fakeGitHub) repo(repo, rest string, query url.Values) (int, any) {
	answers := map[string]any{}
	f.read(path.Join(repo, "answers.json"), &answers)
	switch a, ok := answers[rest]; {
	case ok:
		return http.StatusOK, a
	case rest == "":
		return http.StatusOK, f.description(repo)
	case rest == "contents/.github/workflows":
		return http.StatusOK, f.listing(repo)
	case rest == "actions/workflows":
		return http.StatusOK, f.registered(repo)
	case rest == "actions/runs":
		return http.StatusOK, f.runs(repo, query)
	case strings.HasPrefix(rest, "git/blobs/"):
		return f.blob(repo, strings.TrimPrefix(rest, "git/blobs/"))
	case strings.HasPrefix(rest, "commits"):
		return http.StatusOK, []any{object{
			"sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e", "author": object{"login": "octocat"},
			"commit": object{"author": object{"name": "Monalisa", "date": "2026-10-14T16:00:49Z"}, "committer": object{"name": "Monalisa", "date": "2026-10-14T16:00:49Z"}, "message": "later"},
		}}
	}
	return http.StatusNotFound, object{"message": "Not Found"}
}

func (f *fakeGitHub) read(name string, into any) {
	if data, err := os.ReadFile(filepath.Join(f.dir, name)); err == nil {
		if err := json.Unmarshal(data, into); err != nil {
			panic(name + ": " + err.Error())
		}
	}
}

func (f *fakeGitHub) has(repo string) bool {
	_, err := os.Stat(filepath.Join(f.dir, repo))
	return err == nil
}

func (f *fakeGitHub) repos(owner string) []any {
	names, _ := filepath.Glob(filepath.Join(f.dir, owner, "*"))
	out := []any{}
	for _, n := range names {
		out = append(out, f.description(path.Join(owner, filepath.Base(n))))
	}
	return out
}

func (f *fakeGitHub) description(repo string) any {
	owner, name := path.Split(repo)
	d := object{
		"id": 1296269, "name": name, "full_name": repo, "private": false, "fork": false, "archived": false, "disabled": false,
		"default_branch": "main", "owner": object{"login": strings.TrimSuffix(owner, "/"), "type": "Organization"},
		"permissions": object{"admin": false, "push": false, "pull": true},
	}
	f.read(path.Join(repo, "repo.json"), &d)
	return d
}

func (f *fakeGitHub) files(repo string) map[string][]byte {
	out := map[string][]byte{}
	names, _ := filepath.Glob(filepath.Join(f.dir, repo, "workflows", "*"))
	for _, n := range names {
		data, _ := os.ReadFile(n)
		out[filepath.Base(n)] = data
	}
	return out
}

func blobSHA(data []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
	return hex.EncodeToString(sum[:])
}

func (f *fakeGitHub) listing(repo string) any {
	out := []any{}
	files := f.files(repo)
	for _, name := range sortedKeys(files) {
		out = append(out, object{"type": "file", "name": name, "path": ".github/workflows/" + name, "sha": blobSHA(files[name]), "size": len(files[name])})
	}
	return out
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f *fakeGitHub) blob(repo, sha string) (int, any) {
	for _, data := range f.files(repo) {
		if blobSHA(data) == sha {
			return http.StatusOK, string(data) // as Accept: application/vnd.github.raw is answered
		}
	}
	return http.StatusNotFound, object{"message": "Not Found"}
}

// runs lists the scheduled runs, as many as are asked for.
func (f *fakeGitHub) runs(repo string, query url.Values) any {
	var runs []object
	if !f.has(path.Join(repo, "runs.json")) {
		for _, w := range f.registered(repo).(object)["workflows"].([]any) {
			runs = append(runs, object{"id": 1, "event": "schedule", "workflow_id": w.(object)["id"], "status": "completed", "conclusion": "success",
				"created_at": f.started, "run_started_at": f.started, "updated_at": f.started})
		}
	}
	f.read(path.Join(repo, "runs.json"), &runs)
	n, err := strconv.Atoi(query.Get("per_page"))
	if err != nil {
		n = 30
	}
	return object{"total_count": len(runs), "workflow_runs": append([]object{}, runs[:min(n, len(runs))]...)}
}

// registered lists the workflows with their states; a path in states.json that
// has no file is a registration that outlived it.
func (f *fakeGitHub) registered(repo string) any {
	states := map[string]string{}
	for name := range f.files(repo) {
		states[".github/workflows/"+name] = "active"
	}
	f.read(path.Join(repo, "states.json"), &states)
	out := []any{}
	for i, p := range sortedKeys(states) {
		out = append(out, object{"id": 161335 + i, "node_id": "W_x", "name": path.Base(p), "path": p, "state": states[p], "created_at": "2026-01-08T23:48:37.000-08:00", "updated_at": "2026-01-08T23:50:21.000-08:00"})
	}
	return object{"total_count": len(out), "workflows": out}
}
