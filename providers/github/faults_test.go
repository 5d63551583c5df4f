package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
)

// hitch is one way in which an answer goes wrong.
type hitch struct {
	name  string
	write func(w http.ResponseWriter, r *http.Request)
	said  string // in the reason of some gap
	limit bool   // nothing is asked after it
}

func say(status int, headers, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range strings.Split(headers, "\n") {
			if k, v, ok := strings.Cut(h, ": "); ok {
				w.Header().Set(k, v)
			}
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

const date = "Date: Fri, 27 Nov 2026 10:00:00 GMT\n"

var hitches = []hitch{
	{"500", say(500, "", `{"message":"Server Error"}`), "GitHub failed (500: Server Error)", false},
	{"502 as HTML", say(502, "Content-Type: text/html", "<html>Unicorn!</html>"), "GitHub failed (502)", false},
	{"401", say(401, "", `{"message":"Bad credentials"}`), "refuses the token (401: Bad credentials)", false},
	{"403", say(403, "X-Accepted-GitHub-Permissions: contents=read", `{"message":"Resource not accessible by personal access token"}`), "it asks for contents=read", false},
	{"403 for single sign-on", say(403, "X-GitHub-SSO: required; url=https://github.com/orgs/acme/sso?authorization_request=SECRET", `{"message":"Resource protected by organization SAML enforcement"}`), "single sign-on", false},
	{"451", say(451, "", `{"message":"Repository access blocked","block":{"reason":"dmca"}}`), "legal reasons", false},
	{"418", say(418, "", ""), "unexpected answer (418)", false},
	{"202", say(202, "", `{}`), "still preparing", false},
	{"primary limit", say(403, "X-RateLimit-Remaining: 0\nX-RateLimit-Limit: 60\nX-RateLimit-Reset: 1795780800", `{"message":"API rate limit exceeded for 198.51.100.7."}`), "limit of 60 requests an hour is used up until 2026-11-27T12:00:00Z", true},
	{"primary limit as 429", say(429, "X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1795780800", `{"message":"API rate limit exceeded"}`), "until 2026-11-27T12:00:00Z", true},
	{"secondary limit", say(403, date+"Retry-After: 90", `{"message":"You have exceeded a secondary rate limit","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`), "secondary limit is reached: too many requests in a short time until 2026-11-27T10:01:30Z", true},
	{"secondary limit by its message", say(403, date+"gh-limited-by: search-elapsed-time-shared-grouped", `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again"}`), "secondary limit", true},
	{"secondary limit by a 429 with a date", say(429, date+"Retry-After: Fri, 27 Nov 2026 10:00:08 GMT", `{"message":"slow down"}`), "until 2026-11-27T10:00:08Z", true},
	{"429 alone", say(429, "", ""), "secondary limit", true},
	{"304 unasked", say(304, "", ""), "unexpected answer (304)", false},
	{"empty answer", say(200, "Content-Type: application/json", ""), "", false},
	{"HTML for 200", say(200, "Content-Type: text/html", "<html>log in</html>"), "", false},
	{"another shape", say(200, "Content-Type: application/json\nETag: \"e\"", `{"hello":"world"}`), "", false},
	{"null", say(200, "Content-Type: application/json", `null`), "", false},
	{"a text", say(200, "Content-Type: application/json", `"x"`), "", false},
	{"broken off", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[{"name":"nightly.yml","type":"fi`)
	}, "broke off", false},
	{"cut short without a sign", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[{"name":"nightly.yml","type":"fi`)
	}, "", false},
	{"connection closed", func(w http.ResponseWriter, r *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			c.Close()
		}
	}, "no answer from GitHub", false},
	{"no answer in time", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not answer in time", false},
	{"redirect in a circle", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.RequestURI(), 301) }, "", false},
}

// world is what the fault tests look at: lists of several pages, an exact
// repository beside patterns, and one of each kind.
func world(t *testing.T) (*fake, Config) {
	f := newFake(t, append(fleet()[3:], shop())...)
	f.repos[len(f.repos)-1].name = "beta/shop"
	f.pageSize = 2
	return f, Config{Source: "ci", Repos: []string{"acme/svc-*", "beta/shop"}, Runs: true}
}

func observe(t *testing.T, f *fake, cfg Config) providers.Observation {
	t.Helper()
	p, err := New(f.client(t, cfg.CacheDir, "t0ken"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p.Observe(context.Background(), providers.Selection{})
}

// Each request fails in turn in each way. What is not found then must never be
// in a part that counts as read, no answer may be lost without a gap, and a
// second look without the fault finds everything again.
func TestEveryRequestFailsInTurn(t *testing.T) {
	f, cfg := world(t)
	whole := observe(t, f, cfg)
	requests := len(f.asked())
	if len(whole.Objects) != 3 || len(whole.Gaps()) > 0 {
		t.Fatalf("%d objects, %v", len(whole.Objects), areas(whole))
	}
	for _, h := range hitches {
		t.Run(h.name, func(t *testing.T) {
			for at := range requests {
				testHitch(t, h, at, whole)
			}
		})
	}
}

func testHitch(t *testing.T, h hitch, at int, whole providers.Observation) {
	t.Helper()
	f, cfg := world(t)
	if h.said == "" || h.name == "broken off" { // what might be kept and outlive the fault
		cfg.CacheDir = t.TempDir()
	}
	var spoiled atomic.Pointer[string]
	late := &impatient{base: f.Client().Transport, waiting: map[string][]context.CancelFunc{}}
	f.spoil = func(n int, w http.ResponseWriter, r *http.Request) bool {
		uri := r.URL.RequestURI()
		if n == at {
			spoiled.Store(&uri)
		}
		if s := spoiled.Load(); s == nil || *s != uri {
			return false
		}
		late.giveUp(uri)
		h.write(w, r)
		return true
	}
	client := f.client(t, cfg.CacheDir, "t0ken")
	if h.name == "no answer in time" {
		client = withTransport(f, t, cfg.CacheDir, late)
	}
	p, _ := New(client, cfg)
	got := p.Observe(context.Background(), providers.Selection{})
	if spoiled.Load() == nil {
		t.Fatalf("request %d was never made", at)
	}
	failing := *spoiled.Load()
	checkNothingLost(t, failing, whole, got)
	// One that is given up early may not have come to the server.
	if h.name != "no answer in time" && got.Requests > len(f.requestsSoFar()) {
		t.Errorf("%s: %d requests said, %d made", failing, got.Requests, len(f.requestsSoFar()))
	}
	if gaps := reasons(got); len(gaps) == 0 {
		t.Errorf("%s: no gap", failing)
	} else if !strings.Contains(strings.Join(gaps, "\n"), h.said) {
		t.Errorf("%s: reasons %q, want one with %q", failing, gaps, h.said)
	} else if strings.Contains(strings.Join(gaps, "\n"), "t0ken") || strings.Contains(strings.Join(gaps, "\n"), "SECRET") {
		t.Errorf("%s: a secret stands in %q", failing, gaps)
	}
	if h.limit {
		if n := len(f.requestsSoFar()); n != at+1 {
			t.Errorf("%s: %d requests after a limit was said", failing, n-at-1)
		}
	}
	if cfg.CacheDir == "" {
		return
	}
	f.spoil = nil
	again := observe(t, f, cfg)
	if len(again.Gaps()) > 0 || len(again.Objects) != len(whole.Objects) {
		t.Errorf("%s: the fault outlived itself: %v", failing, areas(again))
	}
}

// checkNothingLost holds a look against a whole one: an object that is not
// there must be in a part that was not read, or of an owner whose list was not.
func checkNothingLost(t *testing.T, failing string, whole, got providers.Observation) {
	t.Helper()
	state := map[string]providers.AreaState{}
	for _, a := range got.Areas {
		state[a.Part] = a.State
		if a.Gap() != (a.Reason != "") {
			t.Errorf("%s: area %+v", failing, a)
		}
	}
	have := map[string]bool{}
	for _, o := range got.Objects {
		have[o.ID] = true
	}
	for _, o := range whole.Objects {
		if have[o.ID] {
			continue
		}
		s, looked := state[o.Part()]
		if looked && s == providers.Read || !looked && (state["owner/acme"] == providers.Read || strings.HasPrefix(o.Part(), "repo/beta/")) {
			t.Errorf("%s: %s is not there, and %s counts as read: %v", failing, o.ID, o.Part(), areas(got))
		}
	}
	for _, a := range got.Areas {
		if !a.Gap() && strings.Contains(failing, strings.TrimPrefix(a.Part, "repo/")+"/") && !strings.Contains(failing, "/actions/runs") {
			t.Errorf("%s: %s counts as read", failing, a.Part)
		}
	}
	for _, o := range got.Objects {
		unread := o.Runs() != nil && o.Runs().Executed.State == providers.Unreadable && o.Runs().Succeeded.State == providers.Unreadable
		if strings.Contains(failing, o.Attr("repo")+"/actions/") && !unread {
			t.Errorf("%s: the runs of %s count as read: %+v", failing, o.ID, o.Runs())
		}
	}
}

// reasons are why areas and runs were not read.
func reasons(o providers.Observation) []string {
	var out []string
	for _, a := range o.Gaps() {
		out = append(out, a.Reason)
	}
	for _, x := range o.Objects {
		if x.Runs() != nil && x.Runs().Executed.State == providers.Unreadable {
			out = append(out, x.Runs().Executed.Reason)
		}
	}
	return out
}

// A 404 in the place of each answer: a repository is not visible, a folder may
// be gone only where something else of the repository is seen.
func TestEveryRequestIsNotFound(t *testing.T) {
	f, cfg := world(t)
	whole := observe(t, f, cfg)
	for at := range len(f.asked()) {
		f, cfg := world(t)
		failing := ""
		f.spoil = func(n int, w http.ResponseWriter, r *http.Request) bool {
			if n != at {
				return false
			}
			failing = r.URL.RequestURI()
			say(404, "", `{"message":"Not Found"}`)(w, r)
			return true
		}
		got := observe(t, f, cfg)
		if strings.HasSuffix(failing, "/contents/.github/workflows") {
			continue // that is how an absent folder looks
		}
		if len(reasons(got)) == 0 {
			t.Errorf("%s: no gap", failing)
		}
		if !strings.HasPrefix(failing, "/orgs/") {
			checkNothingLost(t, failing, whole, got)
		}
	}
}

// After a limit nothing else is asked, and each repository says when it ends.
func TestLimitReachesTheRest(t *testing.T) {
	f := newFake(t, fleet()...)
	f.spoil = func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n < 3 {
			return false
		}
		say(403, "X-RateLimit-Remaining: 0\nX-RateLimit-Limit: 5000\nX-RateLimit-Reset: 1795780800", `{}`)(w, r)
		return true
	}
	got := f.look(t, Config{Repos: []string{"acme/svc-*"}}, "")
	if n := len(f.asked()); n != 4 {
		t.Errorf("%d requests, want 4", n)
	}
	want := []string{"owner/acme read", "repo/acme/svc-0 partial"}
	for _, r := range []string{"1", "2", "3", "4", "none"} {
		want = append(want, "repo/acme/svc-"+r+" failed")
	}
	if d := cmp.Diff(want, areas(got)); d != "" {
		t.Error(d)
	}
	for _, r := range reasons(got) {
		if !strings.Contains(r, "until 2026-11-27T12:00:00Z") {
			t.Errorf("reason %q does not say when", r)
		}
	}
}

func TestInterrupted(t *testing.T) {
	f := newFake(t, fleet()...)
	ctx, cancel := context.WithCancel(context.Background())
	f.spoil = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 4 {
			cancel()
		}
		return false
	}
	p, _ := New(f.client(t, "", "t0ken"), Config{Source: "ci", Repos: []string{"acme/svc-*"}})
	got := p.Observe(ctx, providers.Selection{})
	if len(got.Areas) != 7 || len(got.Gaps()) < 5 {
		t.Error(areas(got))
	}
}

// The variable that is named is the one whose token the server was sent.
func TestRefusedTokenNamesItsVariable(t *testing.T) {
	refuse := roundTripper(func(r *http.Request) (*http.Response, error) {
		body := io.NopCloser(strings.NewReader(`{"message":"Bad credentials"}`))
		return &http.Response{StatusCode: http.StatusUnauthorized, Header: http.Header{}, Body: body, Request: r}, nil
	})
	github := gh.NewClient(&http.Client{Transport: refuse})
	own, err := gh.NewClient(&http.Client{Transport: refuse}).WithEnterpriseURLs("https://github.example.com", "https://github.example.com")
	if err != nil {
		t.Fatal(err)
	}
	for want, client := range map[string]*gh.Client{"; set GH_TOKEN to": github, "; set GH_ENTERPRISE_TOKEN to": own} {
		for _, repo := range []string{"acme/shop", "acme/*"} {
			p, err := New(client, Config{Source: "ci", Repos: []string{repo}})
			if err != nil {
				t.Fatal(err)
			}
			if said := reasons(p.Observe(context.Background(), providers.Selection{})); len(said) != 1 || !strings.Contains(said[0], want) {
				t.Errorf("%s: %q, want %q", repo, said, want)
			}
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
