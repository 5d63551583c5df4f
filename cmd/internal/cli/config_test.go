package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"
	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

var updateConfig = flag.Bool("update", false, "write the golden files anew")

const configFolder = "../../../testdata/config"

// beyondConfigSchema are the faults that no schema can see: they lie between
// two places of the file, or in a table that is not part of it.
var beyondConfigSchema = []string{
	"name-twice.yaml",               // two sources of one name
	"zone-not-in-the-database.yaml", // the zones that there are
}

func configFiles(t *testing.T, kind string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(configFolder, kind, "*.yaml"))
	if err != nil || len(out) == 0 {
		t.Fatalf("no files of the kind %s: %v", kind, err)
	}
	return out
}

func parseConfigFile(t *testing.T, file string) (Config, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return ParseConfig(filepath.Base(file), data)
}

func TestGoodConfigs(t *testing.T) {
	for _, file := range configFiles(t, "ok") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if _, err := parseConfigFile(t, file); err != nil {
				t.Errorf("parser:\n%v", err)
			}
			if err := configSchemaVerdict(t, file); err != nil {
				t.Errorf("schema:\n%v", err)
			}
		})
	}
}

func TestBadConfigs(t *testing.T) {
	for _, file := range configFiles(t, "err") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, err := parseConfigFile(t, file)
			if err == nil {
				t.Fatal("the parser takes it")
			}
			goldenConfig(t, strings.TrimSuffix(file, ".yaml")+".out", err.Error()+"\n")
			beyond := slices.Contains(beyondConfigSchema, filepath.Base(file))
			if err := configSchemaVerdict(t, file); (err == nil) != beyond {
				t.Errorf("schema says %v; is it known to be beyond the schema: %v", err, beyond)
			}
		})
	}
}

func goldenConfig(t *testing.T, file, got string) {
	t.Helper()
	if *updateConfig {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// configSchemaVerdict is what an editor says of a file.
func configSchemaVerdict(t *testing.T, file string) error {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return err
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		return errors.New("more than one document")
	}
	asJSON, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	rules, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Get("config")))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", rules); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("config.json").Validate(instance)
}

func TestConfigIsReadWhole(t *testing.T) {
	got, err := parseConfigFile(t, filepath.Join(configFolder, "ok", "everything.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Source{
		{Name: "web-1", Unexpected: "report", Crontab: &CrontabSource{
			Host: "web-1", Zone: "Europe/Berlin", Users: []string{"deploy", "root"}, System: true, Dialect: "auto", Root: "/",
			Files: []CrontabFile{{Path: "ops/web-1.crontab"}, {Path: "ops/cron.d", Format: "system"}, {Path: "ops/spool/deploy", Format: "user", User: "deploy"}},
			Runs:  []string{"/var/lib/rolecall", "../state"},
		}},
		{Name: "actions", Unexpected: "ignore", GitHub: &GitHubSource{Repos: []string{"acme/shop", "acme/svc-*"}, Workflows: "."}},
		{Name: "enterprise", Unexpected: "report", GitHub: &GitHubSource{Repos: []string{"acme/shop"}, API: "https://github.example.com/api/v3"}},
		{Name: "prod", Unexpected: "report", Ignore: []string{"kubernetes:prod/kube-system/*"}, Kubernetes: &KubernetesSource{
			Context: "prod", Namespaces: []string{"batch"}, Manifests: []string{"deploy/**/*.yaml"}, Selector: "team=web",
		}},
		{Name: "all", Unexpected: "report", Kubernetes: &KubernetesSource{AllNamespaces: true}},
	}
	if diff := cmp.Diff(want, got.Sources, cmpopts.IgnoreTypes(specs.Pos{})); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	if want := (PrometheusConfig{URL: "https://prom.example.com:9090/prometheus/", Timeout: 90 * time.Second}); got.Prometheus != want {
		t.Errorf("prometheus is %+v", got.Prometheus)
	}
	if p := got.Sources[1].Pos; p.String() != "everything.yaml:24:5" {
		t.Errorf("the second source stands at %s", p)
	}
	if p := got.Sources[0].Crontab.Files[1].Pos; p.Line != 22 {
		t.Errorf("the second file stands at %s", p)
	}
}

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func settingFlags(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	fs.String("ledger", "", "")
	fs.Duration("settle", 2*time.Second, "")
	fs.StringSlice("fail-on", nil, "")
	fs.Bool("allow-partial", false, "")
	fs.String("color", "auto", "")
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return fs
}

func TestSettingsLayers(t *testing.T) {
	c, err := ParseConfig(filepath.FromSlash("conf/rolecall.yaml"), []byte("ledger: desired/ledger.yaml\nsettle: 3s\ntimeout: 9s\nfail_on: [drift]\nallow_partial: true\ncolor: never\n"))
	if err != nil {
		t.Fatal(err)
	}
	defaults := Settings{Ledger: "ledger.yaml", Settle: 2 * time.Second, Timeout: 2 * time.Minute, Color: "auto", LogFormat: "text"}
	fromFile := Settings{Ledger: filepath.FromSlash("conf/desired/ledger.yaml"), Settle: 3 * time.Second, Timeout: 9 * time.Second, FailOn: []report.Kind{report.Drift}, AllowPartial: true, Color: "never", LogFormat: "text"}
	with := func(s Settings, change func(*Settings)) Settings { change(&s); return s }
	for name, c := range map[string]struct {
		config Config
		env    map[string]string
		args   []string
		want   Settings
	}{
		"nothing":                     {want: defaults},
		"the file":                    {config: c, want: fromFile},
		"a file that names no ledger": {config: Config{Path: "conf/rolecall.yaml", Dir: "conf"}, want: with(defaults, func(s *Settings) { s.Ledger = filepath.FromSlash("conf/ledger.yaml") })},
		"the environment beats the file": {config: c,
			env: map[string]string{"ROLECALL_LEDGER": "other.yaml", "ROLECALL_SETTLE": "0", "ROLECALL_FAIL_ON": "missing,drift", "ROLECALL_ALLOW_PARTIAL": "0", "ROLECALL_COLOR": ""},
			want: with(fromFile, func(s *Settings) {
				s.Ledger, s.Settle, s.FailOn, s.AllowPartial = "other.yaml", 0, []report.Kind{report.Missing, report.Drift}, false
			})},
		"a flag beats the environment": {config: c,
			env:  map[string]string{"ROLECALL_LEDGER": "other.yaml", "ROLECALL_SETTLE": "0", "ROLECALL_FAIL_ON": "missing", "ROLECALL_ALLOW_PARTIAL": "true"},
			args: []string{"--ledger=third file.yaml", "--settle=5s", "--fail-on=none", "--allow-partial=false"},
			want: with(fromFile, func(s *Settings) {
				s.Ledger, s.Settle, s.FailOn, s.AllowPartial = "third file.yaml", 5*time.Second, []report.Kind{}, false
			})},
		"a flag at its default beats the file": {config: c, args: []string{"--settle=2s"}, want: with(fromFile, func(s *Settings) { s.Settle = 2 * time.Second })},
		"a list by repeated flags":             {config: c, args: []string{"--fail-on=missing", "--fail-on=duplicate"}, want: with(fromFile, func(s *Settings) { s.FailOn = []report.Kind{report.Missing, report.Duplicate} })},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := LoadSettings(c.config, settingFlags(t, c.args...), environment(c.env))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadSettingsNameTheirOrigin(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		args []string
		says []string
	}{
		{env: map[string]string{"ROLECALL_SETTLE": "soon"}, says: []string{"ROLECALL_SETTLE", `"soon"`}},
		{env: map[string]string{"ROLECALL_TIMEOUT": "-1s"}, says: []string{"ROLECALL_TIMEOUT"}},
		{env: map[string]string{"ROLECALL_FAIL_ON": "drft"}, says: []string{"ROLECALL_FAIL_ON", `"drft"`}},
		{env: map[string]string{"ROLECALL_ALLOW_PARTIAL": "maybe"}, says: []string{"ROLECALL_ALLOW_PARTIAL", "maybe"}},
		{env: map[string]string{"ROLECALL_COLOR": "blue\x1b[31m"}, says: []string{"ROLECALL_COLOR", `blue\x1b`}},
		{args: []string{"--fail-on=unknown"}, says: []string{"--fail-on", "unknown"}},
		{args: []string{"--color=blue"}, env: map[string]string{"ROLECALL_COLOR": "never"}, says: []string{"--color", "blue"}},
	} {
		_, err := LoadSettings(Config{}, settingFlags(t, c.args...), environment(c.env))
		for _, s := range c.says {
			if err == nil || !strings.Contains(err.Error(), s) {
				t.Errorf("%v %v: error %v does not say %q", c.env, c.args, err, s)
			}
		}
	}
}

func TestFindConfig(t *testing.T) {
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	home := filepath.Join(top, "home")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	put := func(path string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	find := func(named string, env map[string]string) string {
		t.Helper()
		got, err := FindConfig(named, deep, environment(env))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := find("", nil); strings.HasPrefix(got, top) {
		t.Errorf("found %s where there is none", got)
	}
	own := put(filepath.Join(home, ".config", "rolecall", ConfigName))
	xdg := put(filepath.Join(home, "xdg", "rolecall", ConfigName))
	if got := find("", map[string]string{"HOME": home}); got != own {
		t.Errorf("by HOME: %q, want %q", got, own)
	}
	if got := find("", map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg")}); got != xdg {
		t.Errorf("by XDG_CONFIG_HOME: %q, want %q", got, xdg)
	}
	upper := put(filepath.Join(top, ConfigName))
	if got := find("", map[string]string{"HOME": home}); got != upper {
		t.Errorf("upward: %q, want %q", got, upper)
	}
	nearer := put(filepath.Join(deep, ConfigName))
	if got := find("", nil); got != nearer {
		t.Errorf("nearest: %q, want %q", got, nearer)
	}
	if got := find("", map[string]string{"ROLECALL_CONFIG": "x.yaml"}); got != "x.yaml" {
		t.Errorf("by variable: %q", got)
	}
	if got := find("y.yaml", map[string]string{"ROLECALL_CONFIG": "x.yaml"}); got != "y.yaml" {
		t.Errorf("by name: %q", got)
	}
}

const oneTemplate = "ledger: rolecall/v1\nroles:\n  a:\n    owner: o\n    version: 1\n    source: s\n    spec: {template: roles/a.yaml}\n"

func TestLoadLedgerKeepsToItsTree(t *testing.T) {
	top := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(top, "desired", "ledger.yaml")
	template := filepath.Join(top, "desired", "roles", "a.yaml")
	write("desired/ledger.yaml", oneTemplate)
	write("outside.yaml", "secret: yes\n")
	write("desired/roles/b.yaml", "kind: CronJob\n")

	link := func(to string) {
		t.Helper()
		_ = os.Remove(template)
		if err := os.Symlink(to, template); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link(filepath.Join("..", "..", "outside.yaml"))
	if _, _, err := LoadLedger(path); err == nil || !strings.Contains(err.Error(), "ledger.yaml:7:") {
		t.Errorf("a link out of the tree: error %v", err)
	}
	link(filepath.Join(top, "outside.yaml"))
	if _, _, err := LoadLedger(path); err == nil {
		t.Error("an absolute link out of the tree is followed")
	}
	link("b.yaml")
	l, _, err := LoadLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	doc := l.Roles[0].Statement.Template
	if string(doc.Data) != "kind: CronJob\n" || doc.Name != filepath.ToSlash(template) {
		t.Errorf("template %q is %q", doc.Name, doc.Data)
	}
	_ = os.Remove(template)
	if err := os.Mkdir(template, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := LoadLedger(path); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a folder as template: error %v", err)
	}
}

func TestHugeFileIsRefusedUnread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.yaml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(200 << 20); err != nil { // a hole: it takes no space
		t.Skip(err)
	}
	allocs := testing.AllocsPerRun(1, func() {
		if _, _, err := LoadLedger(path); err == nil || !strings.Contains(err.Error(), "bytes") {
			t.Errorf("a file of 200 MB: error %v", err)
		}
	})
	if allocs > 100 {
		t.Errorf("%v allocations for a file that is not read", allocs)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, kind := range []string{"ok", "err"} {
		names, _ := filepath.Glob(filepath.Join(configFolder, kind, "*.yaml"))
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := ParseConfig("rolecall.yaml", data)
		var failure *strict.Failure
		if err != nil && (!errors.As(err, &failure) || len(failure.Errors) == 0) {
			t.Fatalf("an error without a place: %v", err)
		}
		if err != nil && strings.ContainsFunc(strings.ReplaceAll(err.Error(), "\n", ""), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("a control character in %q", err)
		}
	})
}
