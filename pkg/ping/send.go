package ping

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Ping is one message.
type Ping struct {
	Kind Kind
	Role string
	RID  string // a UUID; empty for none
	Exit int    // of a Fail, 1 to 255; else it is one without a number
	Body []byte // kept by the monitor; left out where the address was stated as it is
}

// DefaultTimeout bounds the sending of one end of a run.
const DefaultTimeout = 10 * time.Second

const (
	tries      = 3
	firstPause = 250 * time.Millisecond
	redirects  = 3
	answerSize = 16 << 10 // of an answer that is read
)

// Sender sends pings to one monitor.
type Sender struct {
	URLs   URLs
	Agent  string // User-Agent
	client *http.Client
	pause  time.Duration // before the second try; four times as long before the next
}

// New makes a Sender. Proxies are those that HTTPS_PROXY, HTTP_PROXY and NO_PROXY
// name.
func New(u URLs, agent string) (*Sender, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	dial := &net.Dialer{Timeout: 5 * time.Second}
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: dial.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 5 * time.Second, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
	return &Sender{URLs: u, Agent: agent, client: &http.Client{Transport: t, CheckRedirect: sameHost}, pause: firstPause}, nil
}

// sameHost keeps a run's output and the monitor's address from going to another
// host, or in the clear.
func sameHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > redirects:
		return fmt.Errorf("it redirects more than %d times", redirects)
	case next.URL.Host != first.Host:
		return fmt.Errorf("it redirects to another host, %s; if that is right, name it in the address", next.URL.Hostname())
	case next.URL.Scheme != first.Scheme && next.URL.Scheme != "https":
		return errors.New("it redirects to an address that is not encrypted")
	}
	return nil
}

// Send sends one ping, and again for a while where the monitor does not answer,
// until ctx ends. more, where it is not nil, says whether another try is wanted.
// The error names the host and nothing else of the address.
func (s *Sender) Send(ctx context.Context, p Ping, more func() bool) error {
	to, plain, err := s.URLs.target(p)
	if err != nil || to == nil {
		return err
	}
	pause := s.pause
	for n := 1; ; n++ {
		again, err := s.try(ctx, to, plain, p.Body, n)
		if err == nil {
			return nil
		}
		if !again || n == tries || ctx.Err() != nil || more != nil && !more() {
			return fmt.Errorf("the monitor at %s was not told: %s", to.Hostname(), hide(err.Error(), to))
		}
		if !wait(ctx, pause) {
			return fmt.Errorf("the monitor at %s was not told in time: %s", to.Hostname(), hide(err.Error(), to))
		}
		pause *= 4
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// try sends once. A first try leaves half of the time for a second, since a
// request can hang where the next one would not.
func (s *Sender) try(ctx context.Context, to *url.URL, plain bool, body []byte, n int) (again bool, err error) {
	if end, ok := ctx.Deadline(); ok && n == 1 {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, time.Until(end)/2)
		defer stop()
	}
	req, err := s.request(ctx, to, plain, body)
	if err != nil {
		return false, err
	}
	res, err := s.client.Do(req)
	if err != nil {
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err // which does not hold the address
		}
		return res == nil, reason(err)
	}
	defer res.Body.Close()
	io.Copy(io.Discard, io.LimitReader(res.Body, answerSize))
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return false, nil
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return true, fmt.Errorf("it answers %d", code)
	default:
		return false, fmt.Errorf("it answers %d; is the address right?", code)
	}
}

func reason(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("it did not answer in time")
	}
	return err
}

// request is a POST where there is a body to be kept, else a GET: not every
// monitor takes both.
func (s *Sender) request(ctx context.Context, to *url.URL, plain bool, body []byte) (*http.Request, error) {
	method := http.MethodPost
	if plain || len(body) == 0 {
		method, body = http.MethodGet, nil
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address cannot be used")
	}
	req.Header.Set("User-Agent", s.Agent)
	req.Header.Set("Cache-Control", "no-cache")
	if len(body) > 0 {
		req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	return req, nil
}

// hide takes out of an error whatever it holds of an address.
func hide(text string, u *url.URL) string {
	const mask = "…"
	parts := []string{u.String(), u.RequestURI(), u.RawQuery}
	if u.User != nil {
		password, _ := u.User.Password()
		parts = append(parts, u.User.String(), password)
	}
	parts = append(parts, strings.Split(u.Path, "/")...)
	for _, values := range u.Query() {
		parts = append(parts, values...)
	}
	for _, p := range parts {
		if len(p) >= 6 {
			text = strings.ReplaceAll(text, p, mask)
		}
	}
	return text
}
