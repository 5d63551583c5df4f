package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func tree(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(dir, p); rel != "." {
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// All files or none: where one cannot be made, those that were made are gone
// again, with their folders.
func TestCreateAllUndoes(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	bad := []target{
		{at("file/ledger.yaml"), []byte("x")}, // written last; its folder is a file
		{at("a/b/one.yaml"), []byte("x")},
		{at("a/two.yaml"), []byte("x")},
	}
	if err := createAll(bad); err == nil || codeOf(t.Context(), err) != exitUsage {
		t.Errorf("error %v", err)
	}
	if got := tree(t, dir); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

func TestCreateAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "sub", "ledger.yaml")
	if err := createAll([]target{{name, []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info, err)
	}
	if got := tree(t, dir); len(got) != 2 {
		t.Errorf("more than the file: %v", got)
	}
	if err := createAll([]target{{name, []byte("y")}}); err == nil {
		t.Error("a file was overwritten")
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip(err)
	}
	if err := createAll([]target{{link, []byte("y")}}); err == nil {
		t.Error("a link to nowhere was written through")
	}
	if data, _ := os.ReadFile(name); string(data) != "x" {
		t.Errorf("the file is now %q", data)
	}
}

func TestThisHost(t *testing.T) {
	s := (&app{}).thisHost()
	if !sourceName().MatchString(s.Name) || !s.Crontab.System || len(s.Crontab.Users) == 0 {
		t.Errorf("%+v %+v", s, s.Crontab)
	}
	if _, err := ParseConfig("rolecall.yaml", configText([]Source{s}, "ledger.yaml", "")); err != nil {
		t.Errorf("the config that is written for it: %v", err)
	}
}

// What flags name is read back from the written config as the same sources.
func TestConfigText(t *testing.T) {
	want := []Source{
		{Name: "web-1", Crontab: &CrontabSource{Files: []CrontabFile{{Path: "a: b.crontab"}, {Path: "-"}}}},
		{Name: "actions", GitHub: &GitHubSource{Repos: []string{"acme/shop", "acme/svc-*"}, Workflows: "."}},
		{Name: "prod", Kubernetes: &KubernetesSource{Context: "prod", AllNamespaces: true}},
		{Name: "files", Kubernetes: &KubernetesSource{Manifests: []string{"deploy/**/*.yaml"}}},
	}
	c, err := ParseConfig("rolecall.yaml", configText(want, "x/ledger.yaml", "app=shop"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Ledger != "x/ledger.yaml" || len(c.Sources) != len(want) {
		t.Fatalf("%+v", c)
	}
	if k := c.Sources[2].Kubernetes; k.Selector != "app=shop" || k.Context != "prod" || !k.AllNamespaces {
		t.Errorf("%+v", k)
	}
	if k := c.Sources[3].Kubernetes; k.Selector != "" || len(k.Manifests) != 1 {
		t.Errorf("%+v", k)
	}
	if f := c.Sources[0].Crontab.Files; len(f) != 2 || f[0].Path != "a: b.crontab" {
		t.Errorf("%+v", f)
	}
	if g := c.Sources[1].GitHub; len(g.Repos) != 2 || g.Workflows != "." {
		t.Errorf("%+v", g)
	}
}
