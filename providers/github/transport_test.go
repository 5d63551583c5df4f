package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	gh "github.com/google/go-github/v62/github"
)

func withTransport(f *fake, t *testing.T, cacheDir string, base http.RoundTripper) *gh.Client {
	t.Helper()
	c := gh.NewClient(&http.Client{Transport: NewTransport(base, cacheDir)})
	c.BaseURL = f.client(t, "", "").BaseURL
	return c.WithAuthToken("t0ken")
}

// impatient runs out of patience with a request when the test says so, and not
// by a clock, which other requests would not keep on a busy machine.
type impatient struct {
	base    http.RoundTripper
	mu      sync.Mutex
	waiting map[string][]context.CancelFunc
}

func (i *impatient) giveUp(uri string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, cancel := range i.waiting[uri] {
		cancel()
	}
}

func (i *impatient) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	uri := req.URL.RequestURI()
	i.mu.Lock()
	i.waiting[uri] = append(i.waiting[uri], cancel)
	i.mu.Unlock()
	resp, err := i.base.RoundTrip(req.WithContext(ctx))
	if ctx.Err() != nil && req.Context().Err() == nil {
		if err == nil {
			resp.Body.Close()
		}
		return nil, context.DeadlineExceeded
	}
	return resp, err
}

// echo answers with a counter and an ETag that stays.
func echo(t *testing.T, headers string) (*httptest.Server, *atomic.Int32) {
	n := new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-RateLimit-Remaining", "77")
		for _, h := range strings.Split(headers, "\n") {
			if k, v, ok := strings.Cut(h, ": "); ok {
				w.Header().Set(k, v)
			}
		}
		if r.Header.Get("If-None-Match") == `"e"` {
			w.WriteHeader(304)
			return
		}
		fmt.Fprintf(w, `{"n":%d}`, n.Add(1))
	}))
	t.Cleanup(s.Close)
	return s, n
}

func get(t *testing.T, tr http.RoundTripper, url, token string) (string, http.Header) {
	t.Helper()
	req, _ := http.NewRequest("GET", url, nil)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, body), resp.Header
}

func TestAnswersAreKept(t *testing.T) {
	s, _ := echo(t, "Link: <x>; rel=\"next\"")
	dir := t.TempDir()
	first, _ := get(t, NewTransport(nil, dir), s.URL, "a")
	second, h := get(t, NewTransport(nil, dir), s.URL, "a")
	if first != `200 {"n":1}` || second != first {
		t.Error(first, second)
	}
	if h.Get("Link") == "" || h.Get("X-RateLimit-Remaining") != "77" || h.Get("X-From-Cache") == "" {
		t.Error(h)
	}
	if other, _ := get(t, NewTransport(nil, dir), s.URL, "b"); other != `200 {"n":2}` {
		t.Error("another token was given", other)
	}
	if path, _ := get(t, NewTransport(nil, dir), s.URL+"/x?page=2", "a"); path != `200 {"n":3}` {
		t.Error("another address was given", path)
	}
	if none, _ := get(t, NewTransport(nil, ""), s.URL, "a"); none != `200 {"n":4}` {
		t.Error("without a folder something was kept", none)
	}
	filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		data, _ := os.ReadFile(p)
		if strings.Contains(string(data), "Bearer") || info.Mode().Perm()&0o077 != 0 && p != dir {
			t.Errorf("%s: %v %s", p, info.Mode(), data)
		}
		return nil
	})
}

// A kept answer that was spoiled is asked for again, whatever was done to it.
func TestSpoiledAnswers(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"cut":         func(b []byte) []byte { return b[:len(b)-1] },
		"cut to head": func(b []byte) []byte { return b[:10] },
		"empty":       func([]byte) []byte { return nil },
		"changed":     func(b []byte) []byte { b[len(b)-2] ^= 1; return b },
		"longer":      func(b []byte) []byte { return append(b, ' ') },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := echo(t, "")
			dir := t.TempDir()
			get(t, NewTransport(nil, dir), s.URL, "a")
			files, _ := filepath.Glob(filepath.Join(dir, "answers", "*"))
			if len(files) != 1 {
				t.Fatal(files)
			}
			data, _ := os.ReadFile(files[0])
			os.WriteFile(files[0], spoil(data), 0o600)
			if got, _ := get(t, NewTransport(nil, dir), s.URL, "a"); got != `200 {"n":2}` {
				t.Error(got)
			}
			if got, _ := get(t, NewTransport(nil, dir), s.URL, "a"); got != `200 {"n":2}` {
				t.Error("not kept anew", got)
			}
		})
	}
}

// A spoiled blob is asked for again, and a wrong one is not taken.
func TestSpoiledBlobs(t *testing.T) {
	f := newFake(t, shop())
	dir := t.TempDir()
	f.look(t, Config{Repos: []string{"acme/shop"}}, dir)
	name := filepath.Join(dir, "blobs", blobName(scheduled("nightly")))
	if err := os.WriteFile(name, []byte("on: push\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.asked()
	got := f.look(t, Config{Repos: []string{"acme/shop"}}, dir)
	if len(got.Objects) != 1 || len(got.Gaps()) > 0 || got.Requests != 4 {
		t.Error(got.Requests, areas(got))
	}
}

func TestStoreIsBounded(t *testing.T) {
	s := &store{dir: t.TempDir(), limit: 25}
	for i, name := range []string{"old", "mid", "new"} {
		p := filepath.Join(s.dir, name)
		os.WriteFile(p, make([]byte, 10), 0o600)
		at := time.Unix(int64(1000+i), 0)
		os.Chtimes(p, at, at)
	}
	s.put("more", make([]byte, 10))
	left, _ := os.ReadDir(s.dir)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{"mid", "more", "new"}, names); d != "" {
		t.Error(d)
	}
}

func TestStoreWithoutAPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, nil, 0o600)
	f := newFake(t, shop())
	got := f.look(t, Config{Repos: []string{"acme/shop"}}, filepath.Join(file, "below"))
	if len(got.Objects) != 1 || len(got.Gaps()) > 0 {
		t.Error(areas(got))
	}
}

func TestPatience(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request)
		pauses []time.Duration
		ends   string
	}{
		{"limit with a short pause", say(429, "Retry-After: 7", ""), []time.Duration{7 * time.Second, 7 * time.Second}, "429 "},
		{"limit with a date", say(403, date+"Retry-After: Fri, 27 Nov 2026 10:00:05 GMT", ""), []time.Duration{5 * time.Second, 5 * time.Second}, "403 "},
		{"limit with a long pause", say(429, "Retry-After: 3600", ""), nil, "429 "},
		{"limit without a time", say(403, "", ""), nil, "403 "},
		{"bad gateway", say(502, "", "x"), []time.Duration{time.Second, 2 * time.Second}, "502 x"},
		{"internal error", say(500, "", ""), nil, "500 "},
		{"absent", say(404, "", ""), nil, "404 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(tt.answer))
			defer s.Close()
			var pauses []time.Duration
			tr := NewTransport(nil, "", WithPatience(time.Minute, func(_ context.Context, d time.Duration) error {
				pauses = append(pauses, d)
				return nil
			}))
			if got, _ := get(t, tr, s.URL, "a"); got != tt.ends {
				t.Error(got)
			}
			if d := cmp.Diff(tt.pauses, pauses); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestPatienceEnds(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(say(502, "", "")))
	defer s.Close()
	stop := errors.New("interrupted")
	tr := NewTransport(nil, "", WithPatience(time.Minute, func(context.Context, time.Duration) error { return stop }))
	if _, err := (&http.Client{Transport: tr}).Get(s.URL); !errors.Is(err, stop) {
		t.Error(err)
	}
}

// The token goes to the host that was asked and to no other.
func TestRedirectsKeepTheToken(t *testing.T) {
	seen := make(chan string, 4)
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		if r.URL.Path == "/1" {
			http.Redirect(w, r, "/2", 302)
		}
	}))
	defer away.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		http.Redirect(w, r, away.URL+"/1", 302)
	}))
	defer home.Close()
	c := gh.NewClient(&http.Client{Transport: NewTransport(nil, t.TempDir())}).WithAuthToken("t0ken")
	resp, err := c.Client().Get(home.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if a, b, d := <-seen, <-seen, <-seen; a != "Bearer t0ken" || b != "" || d != "" {
		t.Errorf("%q %q %q", a, b, d)
	}
}

// Never do more requests than the pace allows begin in any span, and one that was
// given up keeps its place.
func TestPace(t *testing.T) {
	clock := time.Unix(1000, 0)
	p := &pace{begun: make([]time.Time, 3), span: time.Minute, now: func() time.Time { return clock }}
	var begun []time.Time
	p.wait = func(_ context.Context, d time.Duration) error {
		begun = append(begun, clock.Add(d))
		return nil
	}
	for range 11 {
		before := len(begun)
		if err := p.keep(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(begun) == before {
			begun = append(begun, clock)
		}
		clock = clock.Add(time.Second)
	}
	for i := 3; i < len(begun); i++ {
		if gap := begun[i].Sub(begun[i-3]); gap < time.Minute {
			t.Errorf("requests %d to %d begin within %v", i-3, i, gap)
		}
	}
	if last := begun[10].Sub(begun[0]); last > 3*time.Minute+2*time.Second {
		t.Errorf("the last begins after %v", last)
	}
	p.wait = func(context.Context, time.Duration) error { return context.Canceled }
	if err := p.keep(context.Background()); err != context.Canceled {
		t.Error(err)
	}
}

// A large answer is kept compressed, and comes back as it was.
func TestLargeAnswersArePacked(t *testing.T) {
	body := "[" + strings.Repeat(`{"repository":"the same again"},`, 10000) + "{}]"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"e"`)
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("If-None-Match") == `"e"` {
			w.WriteHeader(304)
			return
		}
		io.WriteString(w, body)
	}))
	defer s.Close()
	dir := t.TempDir()
	for i := range 2 {
		got, h := get(t, NewTransport(nil, dir), s.URL, "a")
		if got != "200 "+body || (h.Get("X-From-Cache") != "") != (i == 1) {
			t.Errorf("look %d: %d bytes, %v", i, len(got), h)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "answers", "*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	data, _ := os.ReadFile(files[0])
	if len(data)*10 > len(body) {
		t.Errorf("%d bytes are kept of %d", len(data), len(body))
	}
	for _, spoilt := range [][]byte{data[:len(data)-9], append(bytes.Clone(data[:len(data)-20]), make([]byte, 20)...)} {
		os.WriteFile(files[0], spoilt, 0o600)
		if got, h := get(t, NewTransport(nil, dir), s.URL, "a"); got != "200 "+body || h.Get("X-From-Cache") != "" {
			t.Errorf("a spoiled answer was given: %d bytes", len(got))
		}
	}
}

// Two processes that keep and read in one folder, which is over its limit, never
// see half of a text.
func TestStoreOfTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	texts := map[string][]byte{}
	for i := range 20 {
		data := bytes.Repeat([]byte{byte('a' + i)}, 50_000)
		texts[blobName(string(data))] = data
	}
	parallel(8, func(int) {
		for range 5 {
			s := &store{dir: dir, limit: 300_000}
			for name, data := range texts {
				if got, ok := s.get(name); ok && !isBlob(name, got) {
					t.Errorf("%d bytes of %d", len(got), len(data))
				}
				s.put(name, data)
			}
		}
	})
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(left) > 0 {
		t.Error("left behind:", left, err)
	}
}
