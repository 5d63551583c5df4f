package prometheus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
)

// maxAnswer bounds an answer. 200 samples with their labels take some 100 KB.
const maxAnswer = 32 << 20

var errTooMuch = errors.New("the answer is larger than 32 MB; let the query give one sample")

// transport adds what proves who asks, counts, and bounds what comes back.
type transport struct {
	cfg   Config
	host  string
	count *atomic.Int64
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.count.Add(1)
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "rolecall")
	switch {
	case r.URL.Host != t.host:
	case t.cfg.Token != "":
		r.Header.Set("Authorization", "Bearer "+t.cfg.Token)
	case t.cfg.User != "":
		r.SetBasicAuth(t.cfg.User, t.cfg.Password)
	}
	resp, err := cmp.Or[http.RoundTripper](t.cfg.Transport, http.DefaultTransport).RoundTrip(r)
	if err == nil {
		resp.Body = &bounded{ReadCloser: resp.Body, left: maxAnswer}
	}
	return resp, err
}

type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// noRedirect follows none: a POST would lose its query, and a secret its server.
func noRedirect(r *http.Request, _ []*http.Request) error {
	to := url.URL{Scheme: r.URL.Scheme, Host: r.URL.Host, Path: r.URL.Path}
	return fmt.Errorf("it sends on to %s; put the address of the server itself in prometheus.url", &to)
}
