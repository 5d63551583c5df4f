package cli

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// spools are where the daemons keep the tables of users: Debian's cron and
// busybox crond, cronie.
var spools = []string{"/var/spool/cron/crontabs", "/var/spool/cron"}

// thisHost is the source of this host's crontabs: the system's tables, and those
// of root and of each user whose table can be seen, or of the current user.
func (a *app) thisHost() Source {
	c := &CrontabSource{System: true, Dialect: "auto"}
	if host, err := os.Hostname(); err == nil {
		c.Host = host
	}
	name := shortHost(c.Host)
	if os.Geteuid() == 0 {
		c.Users = []string{"root"}
	} else if u, err := user.Current(); err == nil {
		c.Users = []string{u.Username}
	}
	for _, u := range usersWithTable() {
		if !slices.Contains(c.Users, u) {
			c.Users = append(c.Users, u)
		}
	}
	slices.Sort(c.Users)
	return Source{Name: name, Crontab: c, Unexpected: "report"}
}

func shortHost(host string) string {
	name, _, _ := strings.Cut(host, ".")
	if !sourceName().MatchString(name) {
		return "host"
	}
	return name
}

// usersWithTable are the users of whom a spool that can be read holds a table.
func usersWithTable() []string {
	var out []string
	for _, dir := range spools {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(e.Name(), "tmp.") && readable(filepath.Join(dir, e.Name())) {
				out = append(out, e.Name())
			}
		}
	}
	return out
}

func readable(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// configOut is a config as it is written for the first time.
type configOut struct {
	Ledger  string      `yaml:"ledger"`
	Sources []sourceOut `yaml:"sources"`
}

type sourceOut struct {
	Name       string         `yaml:"name"`
	Crontab    *crontabOut    `yaml:"crontab,omitempty"`
	GitHub     *githubOut     `yaml:"github,omitempty"`
	Kubernetes *kubernetesOut `yaml:"kubernetes,omitempty"`
}

type crontabOut struct {
	Host   string   `yaml:"host,omitempty"`
	Users  []string `yaml:"users,omitempty,flow"`
	System bool     `yaml:"system,omitempty"`
	Files  []string `yaml:"files,omitempty,flow"`
}

type githubOut struct {
	Repos     []string `yaml:"repos,omitempty,flow"`
	Workflows string   `yaml:"workflows,omitempty"`
}

type kubernetesOut struct {
	Context       string   `yaml:"context,omitempty"`
	Namespaces    []string `yaml:"namespaces,omitempty,flow"`
	AllNamespaces bool     `yaml:"all_namespaces,omitempty"`
	Manifests     []string `yaml:"manifests,omitempty,flow"`
	Selector      string   `yaml:"selector,omitempty"`
}

const configHeading = "# Where rolecall looks. The fields are printed by: rolecall schema config\n"

// configText is a config for sources that flags named.
func configText(sources []Source, ledger, selector string) []byte {
	out := configOut{Ledger: filepath.ToSlash(ledger)}
	for _, s := range sources {
		o := sourceOut{Name: s.Name}
		if c := s.Crontab; c != nil {
			o.Crontab = &crontabOut{Host: c.Host, Users: c.Users, System: c.System}
			for _, f := range c.Files {
				o.Crontab.Files = append(o.Crontab.Files, f.Path)
			}
		}
		if g := s.GitHub; g != nil {
			o.GitHub = &githubOut{Repos: g.Repos, Workflows: g.Workflows}
		}
		if k := s.Kubernetes; k != nil {
			o.Kubernetes = &kubernetesOut{Context: k.Context, Namespaces: k.Namespaces, AllNamespaces: k.AllNamespaces, Manifests: k.Manifests}
			if k.Context != "" || k.AllNamespaces || len(k.Namespaces) > 0 {
				o.Kubernetes.Selector = cmp.Or(k.Selector, selector)
			}
		}
		out.Sources = append(out.Sources, o)
	}
	var b strings.Builder
	b.WriteString(configHeading)
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(out); err != nil {
		panic(err) // a tree of texts
	}
	return []byte(b.String())
}
