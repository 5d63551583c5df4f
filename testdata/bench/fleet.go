package main

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fleet is a GitHub server of one's own with many repositories of ten workflows
// each, of which one is scheduled. It answers as much as an audit asks, and
// counts.
type fleet struct {
	*httptest.Server
	repos []fleetRepo

	mu      sync.Mutex
	day     int // how often all schedules have fired
	counted int // REST requests that GitHub counts
	free    int // answered with 304, which it does not
	queries int // GraphQL
	bytes   int // of answers
}

type fleetRepo struct {
	name  string
	files [10]string
	oids  [10]string
}

func newFleet(n int) *fleet {
	f := &fleet{day: 1}
	for i := range n {
		r := fleetRepo{name: fmt.Sprintf("svc-%04d", i)}
		for k := range r.files {
			r.files[k] = workflowText(i*10+k, k == 0)
			sum := sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(r.files[k]), r.files[k])))
			r.oids[k] = hex.EncodeToString(sum[:])
		}
		f.repos = append(f.repos, r)
	}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	return f
}

// reset forgets what was counted.
func (f *fleet) reset() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counted, f.free, f.queries, f.bytes = 0, 0, 0, 0
	return nil
}

// fire lets all schedules run once more.
func (f *fleet) fire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.day++
}

type object = map[string]any

func (f *fleet) serve(w http.ResponseWriter, r *http.Request) {
	status, body := http.StatusNotFound, any(object{"message": "Not Found"})
	path := strings.TrimPrefix(r.URL.Path, "/api/")
	graphql := path == "graphql"
	if graphql {
		status, body = http.StatusOK, f.answer(r)
	} else if found := f.rest(strings.TrimPrefix(path, "v3/"), r, w.Header()); found != nil {
		status, body = http.StatusOK, found
	}
	data, isText := body.([]byte)
	if !isText {
		data, _ = json.Marshal(body)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	sum := sha1.Sum(data)
	etag := `"` + hex.EncodeToString(sum[:]) + `"`
	same := !graphql && status == http.StatusOK && strings.TrimPrefix(r.Header.Get("If-None-Match"), "W/") == etag
	f.count(graphql, same, len(data))
	w.Header().Set("X-OAuth-Scopes", "repo")
	w.Header().Set("X-RateLimit-Limit", "5000")
	w.Header().Set("X-RateLimit-Remaining", "4999")
	w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(time.Now().Add(time.Hour).Unix(), 10))
	if same {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if !graphql {
		w.Header().Set("ETag", etag)
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

func (f *fleet) count(graphql, same bool, bytes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case graphql:
		f.queries++
	case same:
		f.free++
		return
	default:
		f.counted++
	}
	f.bytes += bytes
}

// rest answers the REST API; nil is a 404.
func (f *fleet) rest(path string, r *http.Request, head http.Header) any {
	parts := strings.Split(path, "/")
	switch {
	case path == "orgs/acme/repos":
		return f.page(r, head)
	case len(parts) < 3 || parts[0] != "repos" || parts[1] != "acme":
		return nil
	}
	i := f.find(parts[2])
	if i < 0 {
		return nil
	}
	m := &f.repos[i]
	switch rest := strings.Join(parts[3:], "/"); {
	case rest == "":
		return m.meta(i)
	case rest == "contents":
		return []any{object{"type": "file", "size": 3, "name": "README.md", "path": "README.md", "sha": m.oids[0]}}
	case rest == "contents/.github/workflows":
		return m.listing()
	case strings.HasPrefix(rest, "git/blobs/"):
		return m.blob(strings.TrimPrefix(rest, "git/blobs/"))
	case rest == "actions/workflows":
		return m.registered(i)
	case strings.HasPrefix(rest, "actions/") && strings.HasSuffix(rest, "runs"):
		return f.runs(i)
	}
	return nil
}

// page is one of the list of repositories.
func (f *fleet) page(r *http.Request, head http.Header) any {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	page = max(page, 1)
	const size = 100
	from, to := min((page-1)*size, len(f.repos)), min(page*size, len(f.repos))
	if to < len(f.repos) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(page+1))
		head.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, f.URL, r.URL.Path, q.Encode()))
	}
	out := []any{}
	for i := from; i < to; i++ {
		out = append(out, f.repos[i].meta(i))
	}
	return out
}

func (f *fleet) find(name string) int {
	digits, ok := strings.CutPrefix(name, "svc-")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || i >= len(f.repos) {
		return -1
	}
	return i
}

func (m *fleetRepo) meta(i int) any {
	return object{
		"id": 1000 + i, "name": m.name, "full_name": "acme/" + m.name, "private": false, "owner": object{"login": "acme", "type": "Organization"},
		"fork": false, "default_branch": "main", "archived": false, "disabled": false, "visibility": "public", "pushed_at": "2026-01-02T03:04:05Z",
		"permissions": object{"admin": false, "push": false, "pull": true},
	}
}

func fileName(k int) string { return fmt.Sprintf("part-%d.yml", k) }

func (m *fleetRepo) listing() any {
	out := []any{}
	for k, text := range m.files {
		out = append(out, object{"type": "file", "size": len(text), "name": fileName(k), "path": ".github/workflows/" + fileName(k), "sha": m.oids[k]})
	}
	return out
}

func (m *fleetRepo) blob(oid string) any {
	for k := range m.oids {
		if m.oids[k] == oid {
			return []byte(m.files[k])
		}
	}
	return nil
}

func (m *fleetRepo) registered(i int) any {
	all := []any{}
	for k := range m.files {
		all = append(all, object{
			"id": i*10 + k + 1, "node_id": "W_x", "name": "Part", "path": ".github/workflows/" + fileName(k), "state": "active",
			"created_at": "2021-03-17T10:33:32Z", "updated_at": "2022-05-12T14:42:08Z",
		})
	}
	return object{"total_count": len(all), "workflows": all}
}

// runs are those of the one scheduled workflow, the newest first.
func (f *fleet) runs(i int) any {
	f.mu.Lock()
	day := f.day
	f.mu.Unlock()
	all := []any{}
	for d := range min(day, 3) {
		at := time.Date(2026, 11, 1, 5, 20, 0, 0, time.UTC).AddDate(0, 0, day-d)
		all = append(all, object{
			"id": i*1000 + day - d, "workflow_id": i*10 + 1, "path": ".github/workflows/" + fileName(0), "event": "schedule", "status": "completed", "conclusion": "success",
			"head_branch": "main", "created_at": at, "run_started_at": at, "updated_at": at.Add(10 * time.Minute), "run_attempt": 1,
		})
	}
	return object{"total_count": len(all), "workflow_runs": all}
}

var (
	treeOf = regexp.MustCompile(`(?m)^(r\d+): repository\(owner: "acme", name: "([^"]+)"\)`)
	textOf = regexp.MustCompile(`(?m)^(b\d+): repository\(owner: "acme", name: "([^"]+)"\) \{ object\(oid: "([0-9a-f]+)"\)`)
)

// answer answers a GraphQL query for folders and texts, an alias a line.
func (f *fleet) answer(r *http.Request) any {
	var q struct{ Query string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		return object{"errors": []any{object{"message": err.Error()}}}
	}
	data := object{}
	for _, m := range treeOf.FindAllStringSubmatch(q.Query, -1) {
		if i := f.find(m[2]); i >= 0 {
			data[m[1]] = f.repos[i].tree()
		}
	}
	for _, m := range textOf.FindAllStringSubmatch(q.Query, -1) {
		if i := f.find(m[2]); i >= 0 {
			text, _ := f.repos[i].blob(m[3]).([]byte)
			data[m[1]] = object{"object": object{"isTruncated": false, "text": string(text)}}
		}
	}
	if len(data) == 0 {
		return object{"errors": []any{object{"message": "no such query"}}}
	}
	return object{"data": data}
}

func (m *fleetRepo) tree() any {
	entries := []any{}
	for k, text := range m.files {
		entries = append(entries, object{"name": fileName(k), "type": "blob", "mode": 0o100644, "oid": m.oids[k], "object": object{"byteSize": len(text)}})
	}
	return object{
		"nameWithOwner": "acme/" + m.name, "isPrivate": false, "isArchived": false, "isDisabled": false, "isFork": false, "pushedAt": "2026-01-02T03:04:05Z",
		"root": object{"__typename": "Tree"}, "folder": object{"__typename": "Tree", "entries": entries},
	}
}
