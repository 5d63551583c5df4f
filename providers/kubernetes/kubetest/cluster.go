package kubetest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// Part is what a cluster can have beside storage and API server.
type Part int

// The parts. Node needs Controllers.
const (
	Controllers Part = iota // those that make Jobs from CronJobs, and all that these need
	Node                    // takes every pod and ends it as its annotations ask
)

// Users that a cluster knows. Admin may do all; the others have no rights but
// what a test binds to them.
const (
	Admin = "admin"
	Alice = "alice"
	Bob   = "bob"
)

// Cluster is a running control plane.
type Cluster struct {
	dir    string
	binary string
	pki    *pki
	tokens map[string]string
	api    string // host:port
	db     string
	etcd   *process
	server *process
	others []*process
	http   *http.Client // as admin
}

// Start runs a control plane for one test. Without the binary it skips the
// test, or fails it where real parts are required.
func Start(t testing.TB, parts ...Part) *Cluster {
	t.Helper()
	c, err := Launch(parts...)
	if err != nil {
		Absent(t, err)
	}
	t.Cleanup(c.Stop)
	return c
}

// Launch runs a control plane that the caller must Stop. Without the binary the
// error is ErrAbsent.
func Launch(parts ...Part) (*Cluster, error) {
	binary, err := Binary()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "kubetest-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, binary: binary, tokens: map[string]string{Alice: secret(), Bob: secret()}}
	if err := c.launch(parts); err != nil {
		c.Stop()
		return nil, fmt.Errorf("start a control plane: %w", err)
	}
	return c, nil
}

func (c *Cluster) launch(parts []Part) error {
	if err := c.writeFiles(); err != nil {
		return err
	}
	if err := c.startEtcd(); err != nil {
		return err
	}
	if err := c.StartServer(); err != nil {
		return err
	}
	if slices.Contains(parts, Controllers) {
		if err := c.startControllers(); err != nil {
			return err
		}
	}
	if slices.Contains(parts, Node) {
		return c.startNode()
	}
	return nil
}

// Stop ends the cluster and removes its files.
func (c *Cluster) Stop() {
	for _, p := range append(slices.Clone(c.others), c.server, c.etcd) {
		if p != nil {
			p.kill()
		}
	}
	_ = os.RemoveAll(c.dir)
}

// KillServer ends the API server at once, as a crash does. What it has stored
// stays; StartServer brings it back.
func (c *Cluster) KillServer() { c.server.kill() }

// StartServer runs the API server, with more flags, and waits until it is
// ready.
func (c *Cluster) StartServer(flags ...string) error {
	args := append([]string{
		"--etcd-servers=http://" + c.db,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + port(c.api),
		// A loopback address is no valid endpoint, and the default reconciler would say so for ever.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--tls-cert-file=" + c.pki.path("apiserver.crt"), "--tls-private-key-file=" + c.pki.path("apiserver.key"),
		"--client-ca-file=" + c.pki.path("ca.crt"), "--token-auth-file=" + c.path("tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.pki.path("sa.pub"), "--service-account-signing-key-file=" + c.pki.path("sa.key"),
		"--authorization-mode=Node,RBAC",
		// As kubeadm and the clouds set it.
		"--allow-privileged=true",
		// A request is in the log before its answer is sent.
		"--audit-policy-file=" + c.path("audit-policy.yaml"), "--audit-log-path=" + c.path("audit.log"), "--audit-log-mode=blocking",
	}, flags...)
	p, err := startProcess(c.binary, c.dir, "kube-apiserver", args...)
	if err != nil {
		return err
	}
	c.server = p
	return until(2*time.Minute, "wait for the API server", func() (bool, string, error) {
		_, err := c.Do(http.MethodGet, "/readyz", nil)
		return err == nil, fmt.Sprint(err), p.alive()
	})
}

func (c *Cluster) startEtcd() error {
	client, peer := "http://"+c.db, "http://"+freePort()
	p, err := startProcess(c.binary, c.dir, "etcd", "--name=kubetest", "--data-dir="+c.path("etcd"),
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=kubetest="+peer,
		"--unsafe-no-fsync")
	c.etcd = p
	return err
}

// controllers are those that a CronJob's life needs, with the ones that are
// easily forgotten: pods are refused without the default service account and
// the CA bundle, the roles view and edit are empty without aggregation, and a
// new node keeps its not-ready taint without the node's life cycle.
const controllers = "cronjob-controller,job-controller,ttl-after-finished-controller," +
	"namespace-controller,garbage-collector-controller,pod-garbage-collector-controller," +
	"serviceaccount-controller,serviceaccount-token-controller,root-ca-certificate-publisher-controller," +
	"clusterrole-aggregation-controller,node-lifecycle-controller"

func (c *Cluster) startControllers() error {
	p, err := startProcess(c.binary, c.dir, "kube-controller-manager",
		"--kubeconfig="+c.path("controllers.kubeconfig"),
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+c.pki.path("sa.key"), "--root-ca-file="+c.pki.path("ca.crt"),
		"--leader-elect=false", "--secure-port=0", "--controllers="+controllers)
	if err != nil {
		return err
	}
	c.others = append(c.others, p)
	for _, sign := range []string{"/api/v1/namespaces/default/serviceaccounts/default", "/api/v1/namespaces/default/configmaps/kube-root-ca.crt"} {
		if err := c.untilHolds(p, sign, `"metadata"`); err != nil {
			return err
		}
	}
	return c.untilHolds(p, "/apis/rbac.authorization.k8s.io/v1/clusterroles/view", `"cronjobs"`)
}

func (c *Cluster) startNode() error {
	p, err := startProcess(c.binary, c.dir, "kubelet", "--kubeconfig="+c.path("node.kubeconfig"), "--node=sim-1")
	if err != nil {
		return err
	}
	c.others = append(c.others, p)
	return until(time.Minute, "wait for the node", func() (bool, string, error) {
		body, err := c.Do(http.MethodGet, "/api/v1/nodes/sim-1", nil)
		ready := err == nil && strings.Contains(string(body), `"Simulated"`) && !strings.Contains(string(body), "not-ready")
		return ready, fmt.Sprint(err), p.alive()
	})
}

func (c *Cluster) untilHolds(p *process, path, text string) error {
	return until(time.Minute, "wait for "+path, func() (bool, string, error) {
		body, err := c.Do(http.MethodGet, path, nil)
		return err == nil && strings.Contains(string(body), text), fmt.Sprint(err), p.alive()
	})
}

func (c *Cluster) path(name string) string { return filepath.Join(c.dir, name) }

// Config is how a client connects as a user.
func (c *Cluster) Config(user string) *rest.Config {
	cfg := &rest.Config{Host: "https://" + c.api, QPS: -1, TLSClientConfig: rest.TLSClientConfig{CAFile: c.pki.path("ca.crt")}}
	if token, ok := c.tokens[user]; ok {
		cfg.BearerToken = token
		return cfg
	}
	cfg.CertFile, cfg.KeyFile = c.pki.path(user+".crt"), c.pki.path(user+".key")
	return cfg
}

// Kubeconfig is a file with a context for each user, that of one being current.
func (c *Cluster) Kubeconfig(user string) string { return c.path(user + ".kubeconfig") }

// freePort is an address on loopback that nothing listens on.
func freePort() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "127.0.0.1:0"
	}
	defer l.Close()
	return l.Addr().String()
}

func port(address string) string {
	_, p, _ := net.SplitHostPort(address)
	return p
}

func secret() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
