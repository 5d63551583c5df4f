package draft_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/draft"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/providers/github"
	"github.com/rolecall-dev/rolecall/providers/kubernetes"
	"github.com/rolecall-dev/rolecall/specs"
)

// world is a set of sources made of files.
type world struct {
	t       testing.TB
	dir     string
	sources []audit.Source
}

func newWorld(t testing.TB) *world { return &world{t: t, dir: t.TempDir()} }

func (w *world) file(name, text string) string {
	w.t.Helper()
	p := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return name
}

type provider interface {
	providers.Provider
	providers.Translator
}

func (w *world) add(name, kind string, p provider, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.sources = append(w.sources, audit.Source{Name: name, Kind: kind, Provider: p})
}

func (w *world) crontab(name string, d specs.Dialect, text, format, user string) {
	w.t.Helper()
	f := crontab.File{Path: w.file(name+".crontab", text), Format: format, User: user}
	p, err := crontab.New(crontab.NewHost("/", nil), crontab.Config{Source: name, Dialect: d, Base: w.dir, Files: []crontab.File{f}})
	w.add(name, "crontab", p, err)
}

func (w *world) manifests(name, text string) {
	w.t.Helper()
	p, err := kubernetes.NewManifests(kubernetes.ManifestConfig{Source: name, Base: w.dir, Patterns: []string{w.file(name+".yaml", text)}})
	w.add(name, "kubernetes", p, err)
}

func (w *world) workflows(name string, files map[string]string) {
	w.t.Helper()
	w.file(filepath.Join(name, ".git/HEAD"), "ref: refs/heads/main\n")
	for f, text := range files {
		w.file(filepath.Join(name, ".github/workflows", f), text)
	}
	p, err := github.NewCheckout(github.CheckoutConfig{Source: name, Base: w.dir, Dir: name})
	w.add(name, "github", p, err)
}

func (w *world) look() providers.World {
	var out providers.World
	for _, s := range w.sources {
		o := s.Provider.Observe(context.Background(), providers.Selection{Literals: true})
		for _, g := range o.Gaps() {
			w.t.Fatalf("the world has a gap: %+v", g)
		}
		out.Observations = append(out.Observations, o)
	}
	return out
}

func rules() draft.Rules {
	return draft.Rules{
		Fits: classify.Fits, Same: classify.Same, Mask: redact.Text, Mark: redact.Mark,
		Harmless: func(name, value string) bool { return redact.EnvValue(name, value) == value },
	}
}

// draft is what is written for the world, with workflows by path or by template.
func (w *world) draft(byPath bool) (providers.World, draft.Draft) {
	seen := w.look()
	in := draft.Input{Folder: "roles", Rules: rules()}
	for i, s := range w.sources {
		in.Sources = append(in.Sources, draft.Source{
			Observation: seen.Observations[i], Translate: s.Provider.(providers.Translator).Translate, Workflows: byPath,
		})
	}
	return seen, draft.Write(in)
}

// findings is what an audit right after the draft says beside unreviewed.
func (w *world) findings(seen providers.World, d draft.Draft) []string {
	w.t.Helper()
	l := w.parse(d)
	desired, err := audit.Desire(l, w.sources)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, d.Ledger)
	}
	in := classify.Input{Ledger: l, Desired: desired, World: seen, Rules: map[string]classify.Rule{}, Now: time.Unix(1e9, 0), Mask: redact.Text}
	for _, s := range w.sources {
		in.Rules[s.Name] = classify.Rule{}
	}
	var out []string
	for _, f := range classify.Judge(in).Findings {
		if f.Kind != report.Unreviewed {
			out = append(out, f.ID+": "+f.Message)
		}
	}
	return out
}

func (w *world) parse(d draft.Draft) ledger.Ledger {
	w.t.Helper()
	l, _, err := ledger.Parse("ledger.yaml", d.Ledger, func(rel string) ([]byte, error) {
		for _, f := range d.Templates {
			if f.Name == rel {
				return f.Data, nil
			}
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		w.t.Fatalf("%v\n%s", err, d.Ledger)
	}
	if len(l.Roles) != d.Roles {
		w.t.Fatalf("%d roles were written and %d are read", d.Roles, len(l.Roles))
	}
	return l
}

// Parts that are joined at random. Hostile ones are among them: what YAML, a
// glob, a comment or a key could trip over.
var (
	someSchedules = []string{"0 3 * * *", "*/5 * * * *", "0 0 31 2 *", "@daily", "17 4 1,15 * 5", "0 0 * * sun", "@reboot"}
	somePrograms  = []string{
		"/opt/shop/retry", "/opt/shop/retry --all", "php /srv/artisan schedule:run", "php /srv/artisan queue:prune", "cd /srv && ./run.sh",
		"echo 'it''s: a \"test\" # not a comment'", "rm -f /tmp/*", "rm -f /tmp/?", "rm -f /tmp/a", "true", "null", "- x", "? y", "!tag", "&a *a",
		"date +\\%F", "mail -s x root%line one%line two", "mysqldump -uroot -phunter2secret db > /dev/null", "curl https://u:s3cr3tpass@h/x",
		"echo ünïcödé 😀", "echo \x01\x1b[31mred", "echo \xff\xfe", "echo a\u2028b", "  spaced  ", "~", "{}", "[]", "yes", "0x10", "2026-01-01", ": :",
	}
)

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

func someCrontab(r *rand.Rand, system bool) string {
	var b strings.Builder
	for i := range r.IntN(12) {
		switch r.IntN(9) {
		case 0:
			fmt.Fprintf(&b, "# rolecall: role=marked-%d version=1.%d0\n", i, r.IntN(2))
		case 1:
			fmt.Fprintf(&b, "#Ansible: do the %d thing\n", i)
		case 2:
			b.WriteString(pick(r, []string{"PATH=/bin:/usr/bin\n", "SHELL=/bin/bash\n", "HOME=/srv\n", "TOKEN=abc\n", "\n"}))
		}
		user := ""
		if system {
			user = pick(r, []string{"root", "deploy"}) + " "
		}
		fmt.Fprintf(&b, "%s %s%s\n", pick(r, someSchedules), user, pick(r, somePrograms))
	}
	return b.String()
}

func someManifests(r *rand.Rand) string {
	var b strings.Builder
	for i := range r.IntN(6) {
		fmt.Fprintf(&b, "---\napiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: job-%d\n  namespace: %s\n", i, pick(r, []string{"a", "b"}))
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "  annotations: {rolecall/role: marked-k%d}\n", i)
		}
		fmt.Fprintf(&b, "spec:\n  schedule: %q\n  suspend: %t\n", pick(r, []string{"0 3 * * *", "@hourly", "0 0 31 2 *"}), r.IntN(3) == 0)
		if r.IntN(3) == 0 {
			b.WriteString("  timeZone: Europe/Berlin\n")
		}
		fmt.Fprintf(&b, "  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: %q, env: [{name: X, value: %q}]}]}}}}\n",
			"registry/x:1", pick(r, []string{"1", "true", "topsecret-value"}))
	}
	return b.String()
}

func someWorkflows(r *rand.Rand) map[string]string {
	out := map[string]string{}
	for i := range r.IntN(4) {
		var b strings.Builder
		if r.IntN(3) == 0 {
			fmt.Fprintf(&b, "# rolecall: role=marked-w%d\n", i)
		}
		b.WriteString("name: x\non:\n  push:\n  schedule:\n")
		for k := range 1 + r.IntN(3) {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&b, "    # rolecall: role=marked-e%d-%d\n", i, k)
			}
			fmt.Fprintf(&b, "    - cron: %q\n", fmt.Sprintf("%d 5 * * %d", k, r.IntN(2)))
		}
		b.WriteString("jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: 'make x'}]\n")
		out[fmt.Sprintf("flow-%d.yml", i)] = b.String()
	}
	return out
}

// An audit right after a draft finds nothing but pending reviews, over generated
// worlds; save what the draft itself warned of.
func TestRoundTrip(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 60
	}
	roles := 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 7))
		w := newWorld(t)
		w.crontab("web-1", specs.Debian, someCrontab(r, false), "user", pick(r, []string{"", "deploy"}))
		w.crontab("web-2", specs.Cronie, someCrontab(r, true), "system", "")
		w.manifests("prod", someManifests(r))
		w.workflows("actions", someWorkflows(r))
		seen, d := w.draft(r.IntN(2) == 0)
		roles += d.Roles
		found := w.findings(seen, d)
		if laid, err := ledger.FormatFile("ledger.yaml", d.Ledger); err != nil || string(laid) != string(d.Ledger) {
			t.Errorf("seed %d: the layout is not the usual one: %v\n%s\n---\n%s", seed, err, d.Ledger, laid)
		}
		warned := strings.Join(d.Warnings, "\n")
		for _, f := range found {
			id, _, _ := strings.Cut(f, ": ")
			kind, rest, _ := strings.Cut(id, ":")
			role, _, _ := strings.Cut(rest, "@")
			if kind == "unexpected" && strings.Contains(warned, rest) || strings.Contains(warned, "role "+role+":") {
				continue
			}
			t.Errorf("seed %d: %s\nwarned:\n%s\n%s", seed, f, warned, d.Ledger)
		}
		if _, again := w.draft(true); seed < 20 {
			if _, twice := w.draft(true); string(twice.Ledger) != string(again.Ledger) {
				t.Errorf("seed %d: two drafts of one world differ", seed)
			}
		}
		if strings.Contains(string(d.Ledger), "hunter2secret") || strings.Contains(string(d.Ledger), "s3cr3tpass") || strings.Contains(string(d.Ledger), "topsecret") {
			t.Errorf("seed %d: a secret is in the ledger:\n%s", seed, d.Ledger)
		}
		for _, f := range d.Templates {
			if strings.Contains(string(f.Data), "topsecret") {
				t.Errorf("seed %d: a secret is in %s", seed, f.Name)
			}
		}
	}
	if roles < 500 {
		t.Errorf("only %d roles were drafted, too few to prove much", roles)
	}
	t.Logf("%d roles", roles)
}
