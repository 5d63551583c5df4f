package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

const (
	answerLimit = 256 << 20 // bytes of the folder of answers
	answerSize  = 16 << 20  // bytes of one answer that is kept
	packFrom    = 16 << 10  // bytes from which on an answer is compressed
	maxTries    = 3
)

// TransportOption changes what NewTransport makes.
type TransportOption func(*transport)

// WithPatience lets the transport ask again: after the time that GitHub names
// where a limit is reached, if that is no longer than longest, and after one
// and two seconds where a server or the network failed. wait pauses, or returns
// early with the context's error. A client's own Timeout holds over the pauses.
func WithPatience(longest time.Duration, wait func(context.Context, time.Duration) error) TransportOption {
	return func(t *transport) { t.longest, t.wait = longest, wait }
}

// WithPace lets no more than n requests begin in any span of time, those that
// are answered by a 304 among them. now must be a clock that goes; wait is that of
// WithPatience.
func WithPace(n int, span time.Duration, now func() time.Time, wait func(context.Context, time.Duration) error) TransportOption {
	return func(t *transport) { t.pace = &pace{begun: make([]time.Time, n), span: span, now: now, wait: wait} }
}

// NewTransport makes a transport for a client of GitHub's API over another one.
// It keeps answers that have an ETag below cacheDir, asks for them on the
// condition that they have changed, and gives the kept one where GitHub says 304,
// which costs no quota. An answer is kept for the token that it was given to and
// never shown to another; the token itself is not kept. An empty cacheDir keeps
// nothing. A redirect to another host is followed without the token.
func NewTransport(base http.RoundTripper, cacheDir string, opts ...TransportOption) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	t := &transport{base: base, answers: &store{limit: answerLimit}}
	if cacheDir != "" {
		t.answers.dir = filepath.Join(cacheDir, "answers")
	}
	for _, o := range opts {
		o(t)
	}
	return t
}

type transport struct {
	base    http.RoundTripper
	answers *store
	longest time.Duration
	wait    func(context.Context, time.Duration) error
	pace    *pace // nil: as fast as it goes
}

// RoundTrip makes one request, from the cache where GitHub allows it.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	req = keepToken(req)
	if err := t.pace.keep(req.Context()); err != nil {
		return nil, err
	}
	if req.Method != http.MethodGet || req.Header.Get("If-None-Match") != "" || req.Header.Get("Range") != "" {
		return t.base.RoundTrip(req)
	}
	name := answerName(req)
	kept, ok := t.load(name)
	if ok {
		req = req.Clone(req.Context())
		req.Header.Set("If-None-Match", kept.ETag)
	}
	resp, err := t.patient(req)
	switch {
	case err != nil:
		return nil, err
	case ok && resp.StatusCode == http.StatusNotModified:
		return kept.replay(req, resp), nil
	case resp.StatusCode == http.StatusOK && resp.Header.Get("ETag") != "" && t.answers.dir != "":
		return t.keep(name, resp), nil
	}
	return resp, nil
}

// keepToken takes the token out of a request that a redirect sends to another
// host: a client with a token sets it on every request, whatever its host.
func keepToken(req *http.Request) *http.Request {
	first := req
	for first.Response != nil && first.Response.Request != nil {
		first = first.Response.Request
	}
	if first.URL.Host == req.URL.Host && (first.URL.Scheme == req.URL.Scheme || req.URL.Scheme == "https") {
		return req
	}
	out := req.Clone(req.Context())
	out.Header.Del("Authorization")
	return out
}

// patient asks again where that can help and was allowed.
func (t *transport) patient(req *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		resp, err := t.base.RoundTrip(req)
		pause, again := t.pause(resp, err, try)
		if !again || req.Context().Err() != nil {
			return resp, err
		}
		if resp != nil {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
			resp.Body.Close()
		}
		if err := t.wait(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

func (t *transport) pause(resp *http.Response, err error, try int) (time.Duration, bool) {
	if t.wait == nil || try >= maxTries {
		return 0, false
	}
	short := time.Duration(try) * time.Second
	if err != nil {
		return short, !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	switch resp.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return short, true
	case http.StatusForbidden, http.StatusTooManyRequests:
		if after := retryAfter(resp); after != nil && *after <= t.longest {
			return *after, true
		}
	}
	return 0, false
}

// answer is a kept answer: this head as a line of JSON, then the body.
type answer struct {
	Name   string      `json:"name"`
	ETag   string      `json:"etag"`
	Header http.Header `json:"header"`
	Sum    string      `json:"sha256"` // of the body
	Packed bool        `json:"gzip"`   // the body is compressed: a page of runs is to a thirtieth
	body   []byte
}

// answerName tells requests apart that may have different answers: by address,
// form and the hash of the token.
func answerName(req *http.Request) string {
	h := sha256.New()
	for _, part := range []string{req.URL.String(), req.Header.Get("Accept"), req.Header.Get("X-GitHub-Api-Version"), req.Header.Get("Authorization")} {
		sum := sha256.Sum256([]byte("rolecall answer\x00" + part))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// load gives a kept answer that is as it was written.
func (t *transport) load(name string) (answer, bool) {
	data, ok := t.answers.get(name)
	if !ok {
		return answer{}, false
	}
	head, body, found := bytes.Cut(data, []byte("\n"))
	var a answer
	ok = found && json.Unmarshal(head, &a) == nil
	if ok && a.Packed {
		body, ok = unpacked(body)
	}
	if !ok || a.Name != name || a.ETag == "" || a.Sum != sumOf(body) {
		t.answers.remove(name)
		return answer{}, false
	}
	a.body = body
	return a, true
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// keptHeaders have a meaning for the answer as a whole; the others are of one
// exchange.
var keptHeaders = []string{"Content-Type", "Link", "X-OAuth-Scopes"}

// keep writes an answer down if it came whole and is JSON, and gives it on. What
// broke off breaks off for the reader too.
func (t *transport) keep(name string, resp *http.Response) *http.Response {
	body, err := io.ReadAll(io.LimitReader(resp.Body, answerSize+1))
	rest := resp.Body
	if err != nil {
		resp.Body = readCloser{io.MultiReader(bytes.NewReader(body), broken{err}), rest}
		return resp
	}
	if len(body) > answerSize {
		resp.Body = readCloser{io.MultiReader(bytes.NewReader(body), rest), rest}
		return resp
	}
	rest.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if !strings.Contains(resp.Header.Get("Content-Type"), "json") || !json.Valid(body) {
		return resp
	}
	a := answer{Name: name, ETag: resp.Header.Get("ETag"), Header: http.Header{}, Sum: sumOf(body)}
	for _, h := range keptHeaders {
		if v := resp.Header.Values(h); len(v) > 0 {
			a.Header[http.CanonicalHeaderKey(h)] = v
		}
	}
	kept := body
	if len(body) > packFrom {
		kept, a.Packed = packed(body), true
	}
	if head, err := json.Marshal(a); err == nil {
		t.answers.put(name, append(append(head, '\n'), kept...))
	}
	return resp
}

// packed is a text compressed, which cannot fail in memory.
func packed(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}

func unpacked(data []byte) ([]byte, bool) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	out, err := io.ReadAll(io.LimitReader(r, answerSize+1))
	return out, err == nil && len(out) <= answerSize
}

// replay is the kept answer in place of a 304, with the limits that the 304
// tells.
func (a answer) replay(req *http.Request, now *http.Response) *http.Response {
	now.Body.Close()
	header := now.Header.Clone()
	for k, v := range a.Header {
		header[k] = v
	}
	header.Del("Content-Length")
	header.Set("X-From-Cache", "1")
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK,
		Proto: now.Proto, ProtoMajor: now.ProtoMajor, ProtoMinor: now.ProtoMinor,
		Header: header, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

type readCloser struct {
	io.Reader
	io.Closer
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
