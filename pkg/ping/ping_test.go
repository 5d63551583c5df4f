package ping

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const secret = "5d1c9b7e-0000-4c1f-9c55-1f2e3d4c5b6a"

// monitor is a server that writes down what it is told.
type monitor struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
	// answer says what to do with a request; nil for 200.
	answer func(n int, w http.ResponseWriter, r *http.Request)
}

func newMonitor(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *monitor {
	t.Helper()
	m := &monitor{answer: answer}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Server.Close)
	return m
}

func (m *monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.seen = append(m.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	n := len(m.seen)
	m.mu.Unlock()
	if m.answer != nil {
		m.answer(n, w, r)
	}
}

func (m *monitor) told() []string { m.mu.Lock(); defer m.mu.Unlock(); return slices.Clone(m.seen) }

func sender(t *testing.T, u URLs) *Sender {
	t.Helper()
	s, err := New(u, "test")
	if err != nil {
		t.Fatal(err)
	}
	s.pause = time.Millisecond
	return s
}

func send(t *testing.T, s *Sender, p Ping) error {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	return s.Send(ctx, p, nil)
}

func TestWhereAPingGoes(t *testing.T) {
	const rid = "01234567-89ab-5def-8123-456789abcdef"
	for _, c := range []struct {
		urls URLs
		ping Ping
		want string
	}{
		{URLs{Base: "/" + secret}, Ping{Kind: Start, RID: rid}, "GET /" + secret + "/start?rid=" + rid},
		{URLs{Base: "/" + secret + "/"}, Ping{Kind: Start}, "GET /" + secret + "/start"},
		{URLs{Base: "/" + secret}, Ping{Kind: Success, RID: rid}, "GET /" + secret + "?rid=" + rid},
		{URLs{Base: "/" + secret}, Ping{Kind: Fail, Exit: 3, Body: []byte("log")}, "POST /" + secret + "/3 log"},
		{URLs{Base: "/" + secret}, Ping{Kind: Fail, Exit: 143}, "GET /" + secret + "/143"},
		{URLs{Base: "/" + secret}, Ping{Kind: Fail}, "GET /" + secret + "/fail"},
		{URLs{Base: "/" + secret}, Ping{Kind: Fail, Exit: 256}, "GET /" + secret + "/fail"},
		{URLs{Base: "/" + secret}, Ping{Kind: Fail, Exit: -1}, "GET /" + secret + "/fail"},
		{URLs{Base: "/" + secret}, Ping{Kind: Log, Body: []byte("skipped")}, "POST /" + secret + "/log skipped"},
		{URLs{Base: "/key/{role}?create=1"}, Ping{Kind: Start, Role: "backup", RID: rid}, "GET /key/backup/start?create=1&rid=" + rid},
		{URLs{Base: "/key/{role}?run={rid}"}, Ping{Kind: Success, Role: "backup", RID: rid}, "GET /key/backup?run=" + rid},
		{URLs{Start: "/p/k/{role}?state=run&series={rid}"}, Ping{Kind: Start, Role: "backup", RID: rid, Body: []byte("x")}, "GET /p/k/backup?state=run&series=" + rid},
		{URLs{Base: "/b", Fail: "/p?state=fail&status_code={exit}"}, Ping{Kind: Fail, Exit: 7, Body: []byte("x")}, "GET /p?state=fail&status_code=7"},
		{URLs{Base: "/b", Fail: "/f"}, Ping{Kind: Success}, "GET /b"},
		{URLs{Success: "/s"}, Ping{Kind: Start}, ""},
	} {
		m := newMonitor(t, nil)
		u := c.urls
		for _, p := range []*string{&u.Base, &u.Start, &u.Success, &u.Fail, &u.Log} {
			if *p != "" {
				*p = m.URL + *p
			}
		}
		if err := send(t, sender(t, u), c.ping); err != nil {
			t.Errorf("%+v: %v", c.ping, err)
		}
		if got := strings.Join(m.told(), "\n"); got != c.want {
			t.Errorf("%+v %+v:\n got %s\nwant %s", c.urls, c.ping, got, c.want)
		}
	}
}

func TestAnAddressIsRefusedWithoutBeingShown(t *testing.T) {
	for _, text := range []string{"hc-ping.com/" + secret, "ftp://host/" + secret, "https:///" + secret, "https://host/%zz" + secret,
		"http://[::1/" + secret, "https://host/\x00" + secret, "https://host/" + secret + "#x", "https://ho st/" + secret, " https://host/" + secret} {
		for _, u := range []URLs{{Base: text}, {Start: text}, {Success: text}, {Fail: text}, {Log: text}} {
			_, err := New(u, "")
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	if err := (URLs{Base: "https://host/{role}/{rid}/{exit}"}).Check(); err != nil {
		t.Error(err)
	}
}

// What cannot be told is said with the host alone, also where it comes from the
// library or the server.
func TestAFailureShowsNoAddress(t *testing.T) {
	refused := httptest.NewServer(nil)
	refused.Close()
	away := newMonitor(t, nil)
	for name, answer := range map[string]func(int, http.ResponseWriter, *http.Request){
		"404": func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) },
		"500": func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
		"another host": func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, strings.Replace(away.URL, "127.0.0.1", "localhost", 1)+"/"+secret, 307)
		},
		"a loop": func(_ int, w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), 307) },
		"no place": func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://[/"+secret)
			w.WriteHeader(307)
		},
		"hung up": func(_ int, w http.ResponseWriter, _ *http.Request) { c, _, _ := w.(http.Hijacker).Hijack(); c.Close() },
		"no HTTP": func(_ int, w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(c, secret+"\r\n\r\n")
			c.Close()
		},
		"long header":   func(_ int, w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat(secret, 3000)) },
		"odd user info": nil,
	} {
		m := newMonitor(t, answer)
		base := m.URL
		if answer == nil {
			base = strings.Replace(refused.URL, "://", "://user:"+secret+"@", 1)
		}
		err := send(t, sender(t, URLs{Base: base + "/" + secret + "?key=" + secret}), Ping{Kind: Fail, Exit: 1, Body: []byte("output")})
		if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := away.told(); len(got) != 0 {
		t.Errorf("another host was told %q", got)
	}
}

func TestTriesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		status []int
		want   int // requests
		ok     bool
	}{
		"once":            {[]int{200}, 1, true},
		"after a restart": {[]int{503, 200}, 2, true},
		"busy":            {[]int{429, 408, 200}, 3, true},
		"down":            {[]int{500, 500, 500, 200}, 3, false},
		"wrong":           {[]int{404, 200}, 1, false},
		"created":         {[]int{201}, 1, true},
	} {
		m := newMonitor(t, func(n int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status[n-1]) })
		err := send(t, sender(t, URLs{Base: m.URL + "/x"}), Ping{Kind: Fail, Exit: 1, Body: []byte("same each time")})
		if got := m.told(); len(got) != c.want || (err == nil) != c.ok || got[len(got)-1] != got[0] {
			t.Errorf("%s: %v, %q", name, err, got)
		}
	}
}

// A redirect on the same host is followed with the body.
func TestRedirectOnTheSameHost(t *testing.T) {
	m := newMonitor(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			http.Redirect(w, r, "/new", 308)
		}
	})
	err := send(t, sender(t, URLs{Base: m.URL + "/old"}), Ping{Kind: Fail, Exit: 1, Body: []byte("out")})
	if got := strings.Join(m.told(), ", "); err != nil || got != "POST /old/1 out, POST /new out" {
		t.Errorf("%v: %s", err, got)
	}
}

// A monitor that hangs is tried twice and then left, within the bound.
func TestAMonitorThatHangs(t *testing.T) {
	hang := make(chan struct{})
	m := newMonitor(t, func(_ int, _ http.ResponseWriter, r *http.Request) { <-hang })
	defer close(hang)
	ctx, stop := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer stop()
	err := sender(t, URLs{Base: m.URL}).Send(ctx, Ping{Kind: Success}, nil)
	if err == nil || ctx.Err() == nil && len(m.told()) != 2 {
		t.Errorf("%v after %q", err, m.told())
	}
}

// TestStartDoesNotOvertakeTheEnd holds the start back until the end wants to go.
func TestStartDoesNotOvertakeTheEnd(t *testing.T) {
	inStart, goOn := make(chan struct{}), make(chan struct{})
	m := newMonitor(t, func(n int, _ http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			close(inStart)
			<-goOn
		}
	})
	r := &Run{Sender: sender(t, URLs{Base: m.URL + "/x"}), Timeout: time.Minute, Warn: func(s string) { t.Error(s) }}
	r.Begin(Ping{Kind: Start})
	<-inStart
	done := r.End(Ping{Kind: Success}, func() []byte { return []byte("all is well") })
	if got := len(m.told()); got != 1 {
		t.Errorf("the end went out beside the start: %q", m.told())
	}
	close(goOn)
	<-done
	if got := strings.Join(m.told(), ", "); got != "GET /x/start, POST /x all is well" {
		t.Error(got)
	}
}

// A start that hangs is given up for the end, and no start is tried again behind
// it.
func TestAStartThatHangs(t *testing.T) {
	hang := make(chan struct{})
	m := newMonitor(t, func(n int, w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/start") {
			<-hang
		}
	})
	defer close(hang)
	r := &Run{Sender: sender(t, URLs{Base: m.URL + "/x"}), Timeout: 600 * time.Millisecond}
	r.Begin(Ping{Kind: Start})
	<-r.End(Ping{Kind: Fail, Exit: 9}, nil)
	if got := strings.Join(m.told(), ", "); !strings.HasSuffix(got, "GET /x/9") || strings.Count(got, "/x/9") != 1 {
		t.Error(got)
	}
}

func TestAnEndWithoutAStart(t *testing.T) {
	m := newMonitor(t, nil)
	r := &Run{Sender: sender(t, URLs{Base: m.URL + "/x"}), Timeout: time.Minute}
	<-r.End(Ping{Kind: Log, Body: []byte("skipped")}, nil)
	if got := strings.Join(m.told(), ", "); got != "POST /x/log skipped" {
		t.Error(got)
	}
}

func TestWarnsOfWhatWasNotTold(t *testing.T) {
	m := newMonitor(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	said := make(chan string, 2)
	r := &Run{Sender: sender(t, URLs{Base: m.URL + "/" + secret}), Timeout: time.Minute, Warn: func(s string) { said <- s }}
	r.Begin(Ping{Kind: Start})
	if got := <-said; !strings.Contains(got, "404") || strings.Contains(got, secret) {
		t.Error(got)
	}
	<-r.End(Ping{Kind: Success}, nil)
	if got := <-said; !strings.Contains(got, "404") || strings.Contains(got, secret) {
		t.Error(got)
	}
}

func TestRID(t *testing.T) {
	a, b := RID("backup/000001-aa"), RID("backup/000002-aa")
	if a == b || a != RID("backup/000001-aa") || len(a) != 36 || a[14] != '5' || !strings.ContainsRune("89ab", rune(a[19])) {
		t.Errorf("%s, %s", a, b)
	}
}

func TestAddressThatCannotBeReadLater(t *testing.T) {
	s := &Sender{URLs: URLs{Base: "http://[" + secret}}
	if err := s.Send(context.Background(), Ping{}, nil); err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
	if errors.Is(reason(context.Canceled), context.DeadlineExceeded) {
		t.Error("a cancelled try is one out of time")
	}
}

func FuzzURLs(f *testing.F) {
	for _, s := range []string{"https://hc-ping.com/" + secret, "http://[::1]:80/{role}?{rid}", "//x", "https://u:p@h/%2f{exit}", "\x00"} {
		f.Add(s, "backup", 3)
	}
	f.Fuzz(func(t *testing.T, text, role string, exit int) {
		u := URLs{Base: text}
		if err := u.Check(); err != nil || text == "" {
			return
		}
		for k := Start; k <= Log; k++ {
			to, _, err := u.target(Ping{Kind: k, Role: "backup", RID: RID(role), Exit: exit})
			if err != nil || to.Host == "" || to.Scheme != "http" && to.Scheme != "https" {
				t.Errorf("%q passes and then is %v, %v", text, to, err)
			}
		}
	})
}
