package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/kubetest"
)

// plan makes a suite and its loads.
type plan struct {
	name, says string
	make       func(*bench) (*suite, error)
}

// suites are all there are, in the order in which they run.
var suites = []plan{
	{"version", "how long nothing takes", (*bench).version},
	{"expression", "reading one schedule", (*bench).expression},
	{"crontab", "a million crontab entries", (*bench).crontab},
	{"manifests", "10,000 manifests, half of them CronJobs", (*bench).mixed},
	{"unrelated", "10,000 manifests without a CronJob", (*bench).unrelated},
	{"many", "40,000 manifests, half of them CronJobs", (*bench).many},
	{"workflows", "2,500 workflows, all scheduled", func(b *bench) (*suite, error) { return b.checkout(1) }},
	{"seldom", "2,500 workflows, one in ten scheduled", func(b *bench) (*suite, error) { return b.checkout(10) }},
	{"ledger", "reading a ledger of 10,000 roles", (*bench).roles},
	{"kubernetes", "10,000 CronJobs in an API server", (*bench).live},
	{"github", "1,000 repositories with ten workflows each", (*bench).fleet},
	{"growth", "1,000, 10,000, 100,000 objects and more", (*bench).growth},
}

// holds says how many objects look must have found, and that nothing was missed.
func holds(n int) func(string) error {
	return func(stdout string) error {
		if want := fmt.Sprintf("objects %d gaps 0 ", n); !strings.HasPrefix(stdout, want) {
			return fmt.Errorf("it says %q, want %q", strings.TrimSpace(stdout), want)
		}
		return nil
	}
}

// lists says how many lines there must be below the heading.
func lists(n int) func(string) error {
	return func(stdout string) error {
		if got := strings.Count(stdout, "\n") - 1; got != n {
			return fmt.Errorf("it lists %d objects, want %d", got, n)
		}
		return nil
	}
}

func (b *bench) read(dir string) *row {
	return &row{id: "read", who: "floor", argv: []string{b.our("floor"), "read", dir}}
}

// look is the provider alone, list is the whole command.
func (b *bench) look(kind, path string, n int) *row {
	return &row{id: "look", who: "us", argv: []string{b.our("look"), kind, path}, check: holds(n)}
}

func (b *bench) list(n int, args ...string) *row {
	return &row{id: "rolecall list", who: "us", argv: append([]string{b.our("rolecall"), "list", "-o", "csv"}, args...), check: lists(n)}
}

func (b *bench) version() (*suite, error) {
	size, err := os.Stat(b.our("rolecall"))
	if err != nil {
		return nil, err
	}
	mib := float64(size.Size()) / (1 << 20)
	return &suite{
		rounds: 11,
		rows: []*row{
			{id: "true", who: "floor", argv: []string{"true"}},
			{id: "rolecall version", who: "us", argv: []string{b.our("rolecall"), "version"}},
			{id: "rolecall --help", who: "us", argv: []string{b.our("rolecall"), "--help"}},
			b.kubectl("kubectl version", "version", "--client"),
		},
		bounds: []bound{
			most(wall, "rolecall version", 0.25, "kubectl version"),
			most(cpu, "rolecall version", 0.25, "kubectl version"),
			{says: "stripped binary ≤ 20 MB (20,000,000 bytes)", limit: 20, value: func(results) (float64, []float64, error) { return mib * (1 << 20) / 1e6, nil, nil }},
		},
	}, nil
}

func (b *bench) crontab() (*suite, error) {
	n := b.scaled(1_000_000)
	dir, err := b.crontabs(n)
	if err != nil {
		return nil, err
	}
	// Masking secrets and writing a row take several times as long as looking, so
	// that a tenth is enough.
	few, err := b.crontabs(n / 10)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(b.dir, "crontab.yaml")
	text := fmt.Sprintf("sources:\n  - name: web-1\n    crontab: {dialect: debian, files: [{path: %q, format: user}]}\n", few)
	if err := write(config, text); err != nil {
		return nil, err
	}
	list := b.list(n/10, "--offline", "--config", config)
	list.id = "rolecall list, a tenth"
	return &suite{
		rows: []*row{
			b.read(dir),
			b.look("crontab", dir, n),
			list,
			{id: "robfig's parser", who: "peer", argv: []string{b.our("floor"), "robfig", dir}, check: func(out string) error {
				if strings.TrimSpace(out) != fmt.Sprint(n) {
					return fmt.Errorf("it parsed %s of %d", strings.TrimSpace(out), n)
				}
				return nil
			}},
		},
		bounds: []bound{
			most(wall, "look", 12, "read"), most(cpu, "look", 12, "read"),
			faster(wall, "look", 3, "robfig's parser"), faster(cpu, "look", 3, "robfig's parser"),
			keeps("look", 400),
		},
	}, nil
}

// keeps is a bound on what stays of one object.
func keeps(id string, limit float64) bound {
	return bound{says: fmt.Sprintf("kept by %s ≤ %v B an object", id, limit), limit: limit, value: func(all results) (float64, []float64, error) {
		return all[id].kept, nil, nil
	}}
}

func (b *bench) mixed() (*suite, error) {
	n := b.scaled(10_000)
	dir, err := b.manifests(n, 50)
	if err != nil {
		return nil, err
	}
	kubeconform, err := b.kubeconform(dir)
	if err != nil {
		return nil, err
	}
	return &suite{
		rows: []*row{b.read(dir), b.look("manifests", dir, n/2), b.list(n/2, "--manifests", "prod="+dir), kubeconform},
		bounds: []bound{
			faster(wall, "look", 2.5, "kubeconform"), faster(wall, "rolecall list", 2.5, "kubeconform"), faster(cpu, "rolecall list", 2.5, "kubeconform"),
		},
	}, nil
}

// kubeconform checks by the schemas of the control plane, where there is one.
func (b *bench) kubeconform(dir string) (*row, error) {
	r := &row{id: "kubeconform", who: "peer"}
	path := b.tool("KUBECONFORM", "kubeconform")
	if path == "" {
		r.absent = "kubeconform is not installed (go install github.com/yannh/kubeconform/cmd/kubeconform@latest)"
		return r, nil
	}
	schemas, err := b.once("schemas", func(to string) error {
		c, err := b.cluster()
		if err != nil {
			return err
		}
		return c.schemas(to)
	})
	if errors.Is(err, kubetest.ErrAbsent) {
		r.absent = "its schemas come from the control plane: " + err.Error()
		return r, nil
	}
	r.argv = []string{path, "-n", "8", "-summary", "-schema-location", schemas + "/{{.ResourceKind}}.json", dir}
	r.check = func(out string) error {
		if !strings.Contains(out, "Invalid: 0, Errors: 0, Skipped: 0") {
			return fmt.Errorf("it says %.300s", out)
		}
		return nil
	}
	return r, err
}

func (b *bench) unrelated() (*suite, error) {
	n := b.scaled(10_000)
	dir, err := b.manifests(n, 0)
	if err != nil {
		return nil, err
	}
	return &suite{
		rows:   []*row{b.read(dir), b.look("manifests", dir, 0), b.list(0, "--manifests", "prod="+dir)},
		bounds: []bound{most(wall, "look", 1.5, "read"), most(cpu, "look", 1.5, "read")},
	}, nil
}

func (b *bench) many() (*suite, error) {
	n := b.scaled(40_000)
	dir, err := b.manifests(n, 50)
	if err != nil {
		return nil, err
	}
	return &suite{
		rows:   []*row{b.read(dir), b.look("manifests", dir, n/2), b.list(n/2, "--manifests", "prod="+dir)},
		bounds: []bound{below(peak, "look", 32, "MiB"), below(peak, "rolecall list", 32, "MiB")},
	}, nil
}

// checkout has workflows of which every so many is scheduled.
func (b *bench) checkout(every int) (*suite, error) {
	n := b.scaled(2500)
	dir, err := b.workflows(n, every)
	if err != nil {
		return nil, err
	}
	peer := &row{id: "actionlint", who: "peer", absent: "actionlint is not installed (go install github.com/rhysd/actionlint/cmd/actionlint@latest)"}
	if path := b.tool("ACTIONLINT", "actionlint"); path != "" {
		peer.absent, peer.argv = "", []string{path, "-shellcheck=", "-pyflakes="}
		for i := range n {
			peer.argv = append(peer.argv, fmt.Sprintf("%s/.github/workflows/part-%d.yml", dir, i))
		}
	}
	scheduled := (n + every - 1) / every
	limit := map[int]float64{1: 2, 10: 6}[every]
	return &suite{
		rows: []*row{b.read(dir), b.look("workflows", dir, scheduled), b.list(scheduled, "--workflows", "actions="+dir), peer},
		bounds: []bound{
			faster(wall, "look", limit, "actionlint"), faster(wall, "rolecall list", limit, "actionlint"), faster(cpu, "rolecall list", limit, "actionlint"),
		},
	}, nil
}

func (b *bench) roles() (*suite, error) {
	dir, err := b.ledger(b.scaled(10_000))
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "rolecall.yaml")
	if err := write(config, "sources: [{name: prod, kubernetes: {context: admin}}]\n"); err != nil {
		return nil, err
	}
	return &suite{rows: []*row{
		b.read(dir),
		{id: "rolecall ledger check", who: "us", argv: []string{b.our("rolecall"), "ledger", "check", "--config", config, "--ledger", filepath.Join(dir, "ledger.yaml")}},
	}}, nil
}

func (b *bench) live() (*suite, error) {
	c, err := b.cluster()
	if err != nil {
		return nil, err
	}
	n := b.scaled(10_000)
	if err := c.fill(n); err != nil {
		return nil, err
	}
	dir, err := b.ledger(n)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "live.yaml")
	if err := write(config, "ledger: ledger.yaml\nsources: [{name: prod, kubernetes: {context: admin}}]\n"); err != nil {
		return nil, err
	}
	kubeconfig := c.Kubeconfig(kubetest.Admin)
	curl := func(id string, args ...string) *row {
		r := &row{id: id, who: "floor", absent: "curl is not installed"}
		if path := b.tool("CURL", "curl"); path != "" {
			tls := c.config.TLSClientConfig
			r.absent, r.argv = "", append([]string{path, "-sSf", "--cacert", tls.CAFile, "--cert", tls.CertFile, "--key", tls.KeyFile}, args...)
		}
		return r
	}
	list := c.config.Host + "/apis/batch/v1/cronjobs"
	binary := "Accept: application/vnd.kubernetes.protobuf"
	s := &suite{
		rows: []*row{
			curl("curl protobuf", "-H", binary, list),
			curl("curl protobuf, compressed", "--compressed", "-H", binary, list),
			b.look("kubernetes", kubeconfig, n),
			b.list(n, "--kubeconfig", kubeconfig, "-A"),
			{
				id: "rolecall audit", who: "us", argv: []string{b.our("rolecall"), "audit", "--kubeconfig", kubeconfig, "--config", config},
				check: func(out string) error {
					if want := fmt.Sprintf("clean: %d roles are as the ledger states; 1 part and %d objects read", n, n); !strings.HasPrefix(out, want) {
						return fmt.Errorf("it does not say %q but %.600s", want, out)
					}
					return nil
				},
			},
			b.kubectl("kubectl -o json", "--kubeconfig", kubeconfig, "get", "cronjobs", "-A", "-o", "json"),
			b.kubectl("kubectl table", "--kubeconfig", kubeconfig, "get", "cronjobs", "-A"),
			b.kubectl("kubectl --raw", "--kubeconfig", kubeconfig, "get", "--raw", "/apis/batch/v1/cronjobs"),
		},
		bounds: []bound{
			most(cpu, "look", 3, "curl protobuf"), faster(wall, "look", 12, "kubectl -o json"), faster(wall, "look", 4, "kubectl table"), below(peak, "look", 64, "MiB"),
			most(cpu, "rolecall list", 3, "curl protobuf"), faster(wall, "rolecall list", 12, "kubectl -o json"), below(peak, "rolecall list", 64, "MiB"),
			most(wall, "rolecall audit", 2.5, "curl protobuf"), below(peak, "rolecall audit", 128, "MiB"),
		},
	}
	for _, r := range s.rows {
		r.counted = map[string]string{kubeconfig: c.counted, c.config.Host: c.forward.url()}
		r.mark = c.mark
		r.count = func() (int, int, string, error) { requests, bytes, err := c.since(); return requests, bytes, "", err }
	}
	return s, nil
}

func (b *bench) fleet() (*suite, error) {
	n := b.scaled(1000)
	f := newFleet(n)
	b.atEnd = append(b.atEnd, f.Close)
	config := filepath.Join(b.dir, "github.yaml")
	if err := write(config, "sources: [{name: actions, github: {repos: [\"acme/svc-*\"]}}]\n"); err != nil {
		return nil, err
	}
	counts := map[string][2]int{}
	one := func(id, cache string, before func() error, env ...string) *row {
		r := b.list(n, "--config", config)
		r.id, r.env = id, append(env, "GH_HOST="+f.URL, "GH_ENTERPRISE_TOKEN=none", "XDG_CACHE_HOME="+filepath.Join(b.dir, cache))
		r.mark, r.before = f.reset, before
		r.count = func() (int, int, string, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			counts[id] = [2]int{f.counted, f.queries}
			return f.counted + f.free + f.queries, f.bytes, fmt.Sprintf("%d REST requests count, %d do not (304), %d queries", f.counted, f.free, f.queries), nil
		}
		return r
	}
	forget := func(cache string) func() error {
		return func() error { return os.RemoveAll(filepath.Join(b.dir, cache)) }
	}
	fire := func() error { f.fire(); return nil }
	atMost := func(id string, rest float64) bound {
		return bound{says: fmt.Sprintf("%s: REST requests that count ≤ %v a repository", id, rest), limit: rest, value: func(results) (float64, []float64, error) {
			return float64(counts[id][0]) / float64(n), nil, nil
		}}
	}
	return &suite{
		rows: []*row{
			one("cold", "fleet", forget("fleet")),
			one("again, nothing ran", "fleet", nil),
			one("again, all ran", "fleet", fire),
			one("cold, ROLECALL_SLOW=1", "slow", forget("slow"), "ROLECALL_SLOW=1"),
		},
		bounds: []bound{
			atMost("cold", 2.05), atMost("again, nothing ran", 0.05), atMost("again, all ran", 1.05),
			{says: "cold: queries ≤ 50", limit: 50, value: func(results) (float64, []float64, error) { return float64(counts["cold"][1]), nil, nil }},
		},
	}, nil
}
