package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// cluster is a control plane with CronJobs, and a second way to it on which
// bytes are counted.
type cluster struct {
	*kubetest.Cluster
	config  *rest.Config
	forward *forwarder
	counted string // a kubeconfig by the second way
	before  int    // requests up to the last mark
}

// cluster starts the control plane, once. It is kubetest.ErrAbsent where that has
// not been built.
func (b *bench) cluster() (*cluster, error) {
	if b.kube != nil {
		return b.kube, nil
	}
	control, err := kubetest.Launch()
	if err != nil {
		return nil, err
	}
	b.atEnd = append(b.atEnd, control.Stop)
	c := &cluster{Cluster: control, config: control.Config(kubetest.Admin)}
	if c.forward, err = forward(strings.TrimPrefix(c.config.Host, "https://")); err != nil {
		return nil, err
	}
	b.atEnd = append(b.atEnd, func() { c.forward.listener.Close() })
	data, err := os.ReadFile(control.Kubeconfig(kubetest.Admin))
	if err != nil {
		return nil, err
	}
	c.counted = filepath.Join(b.dir, "kubeconfig-counted")
	b.kube = c
	return c, os.WriteFile(c.counted, []byte(strings.ReplaceAll(string(data), c.config.Host, c.forward.url())), 0o600)
}

// fill makes the CronJobs.
func (c *cluster) fill(n int) error {
	for i := range min(n, namespaces) {
		body := fmt.Sprintf(`{"metadata":{"name":"team-%03d"}}`, i)
		if _, err := c.Do(http.MethodPost, "/api/v1/namespaces", []byte(body)); err != nil {
			return err
		}
	}
	var failed atomic.Value
	var wg sync.WaitGroup
	work := make(chan int)
	for range 8 {
		wg.Go(func() {
			for i := range work {
				if err := c.add(i); err != nil {
					failed.Store(err)
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	err, _ := failed.Load().(error)
	return err
}

func (c *cluster) add(i int) error {
	cj, err := cronJob(i)
	if err != nil {
		return err
	}
	body, err := json.Marshal(cj)
	if err != nil {
		return err
	}
	_, err = c.Do(http.MethodPost, "/apis/batch/v1/namespaces/"+cj.Namespace+"/cronjobs?fieldManager=deployer", body)
	return err
}

// mark begins to count.
func (c *cluster) mark() error {
	c.forward.bytes.Store(0)
	all, err := c.Requests()
	c.before = len(all)
	return err
}

// since is what was asked of the server since the mark, and how many bytes went
// to and fro by the second way.
func (c *cluster) since() (requests, bytes int, err error) {
	all, err := c.Requests()
	if err != nil {
		return 0, 0, err
	}
	for _, r := range all[c.before:] {
		if !strings.HasPrefix(r.User.Name, "system:") {
			requests++
		}
	}
	return requests, int(c.forward.bytes.Load()), nil
}

// schemas writes those of the kinds in load_files.go in the form that
// kubeconform reads, from the server's own description.
func (c *cluster) schemas(dir string) error {
	for kind, path := range map[string]string{
		"io.k8s.api.batch.v1.CronJob": "apis/batch/v1", "io.k8s.api.apps.v1.Deployment": "apis/apps/v1", "io.k8s.api.core.v1.Service": "api/v1",
	} {
		answer, err := c.Do(http.MethodGet, "/openapi/v3/"+path, nil)
		if err != nil {
			return err
		}
		var doc struct {
			Components struct {
				Schemas map[string]json.RawMessage `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(answer), "#/components/schemas/", "#/definitions/")), &doc); err != nil {
			return err
		}
		text, err := json.Marshal(map[string]any{"$ref": "#/definitions/" + kind, "definitions": doc.Components.Schemas})
		if err != nil {
			return err
		}
		name := strings.ToLower(kind[strings.LastIndex(kind, ".")+1:]) + ".json"
		if err := write(filepath.Join(dir, name), string(text)); err != nil {
			return err
		}
	}
	return nil
}

// forwarder passes connections on and counts what goes to and fro.
type forwarder struct {
	listener net.Listener
	to       string
	bytes    atomic.Int64
}

func forward(to string) (*forwarder, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &forwarder{listener: l, to: to}
	go f.serve()
	return f, nil
}

func (f *forwarder) url() string { return "https://" + f.listener.Addr().String() }

func (f *forwarder) serve() {
	for {
		from, err := f.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		to, err := net.Dial("tcp", f.to)
		if err != nil {
			from.Close()
			continue
		}
		go f.pass(to, from)
		go f.pass(from, to)
	}
}

func (f *forwarder) pass(to, from net.Conn) {
	defer to.Close()
	_, _ = io.Copy(io.MultiWriter(to, (*tally)(&f.bytes)), from)
}

type tally atomic.Int64

func (t *tally) Write(p []byte) (int, error) {
	(*atomic.Int64)(t).Add(int64(len(p)))
	return len(p), nil
}
