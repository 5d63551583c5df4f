package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/providers/prometheus"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// ConfigName is the config's file name, looked for from the working directory
// upward.
const ConfigName = "rolecall.yaml"

// Config says where to look. Its paths are as written: relative to Dir.
type Config struct {
	Path    string // empty if there is no config file
	Dir     string
	Ledger  string // empty if the file names none
	Sources []Source
	// Prometheus is asked where a ledger names a query.
	Prometheus PrometheusConfig

	settings map[string]string // scalar settings of the file, by key, as text
}

// Source is one named place to list. Exactly one provider is not nil.
type Source struct {
	Pos        specs.Pos
	Name       string
	Crontab    *CrontabSource
	GitHub     *GitHubSource
	Kubernetes *KubernetesSource
	Unexpected string   // report or ignore
	Ignore     []string // patterns of objects that are not unexpected
}

// PrometheusConfig is a server. Who asks is proved by variables, never here.
type PrometheusConfig struct {
	URL     string        // empty if none is known
	Timeout time.Duration // of one request; 0 for the default
}

// CrontabSource is a host's crontabs.
type CrontabSource struct {
	Host    string // live only: the machine whose crontabs these are; empty for any
	Zone    string // the daemon's zone; empty if it is not known
	Users   []string
	System  bool
	Dialect string // debian, cronie, busybox, supercronic or auto
	Root    string // another root to look under; empty for /
	Files   []CrontabFile
	// Runs are live: the state folders of rolecall run on that host. Without any
	// they are those of the accounts whose tables are read.
	Runs []string
}

// CrontabFile is a path, glob or folder of the offline side.
type CrontabFile struct {
	Pos    specs.Pos
	Path   string
	Format string // user or system; empty to tell by the path
	User   string // whose table it is; empty if it is not known
}

// GitHubSource is a set of repositories.
type GitHubSource struct {
	Repos     []string // owner/name, where the name can be a glob
	API       string   // base URL of another host's API; empty for github.com
	Workflows string   // offline: a checkout
}

// KubernetesSource is a cluster.
type KubernetesSource struct {
	Context       string
	Namespaces    []string
	AllNamespaces bool
	Manifests     []string // offline: paths, globs or folders
	Selector      string   // a label selector
}

// SourceNames are the names in the order of the file.
func (c Config) SourceNames() []string {
	out := make([]string, len(c.Sources))
	for i, s := range c.Sources {
		out[i] = s.Name
	}
	return out
}

// configForm is a config as it is written.
type configForm struct {
	strict.Place
	Ledger            strict.Text  `strict:"ledger"`
	Sources           []sourceForm `strict:"sources"`
	Prometheus        promForm     `strict:"prometheus"`
	Settle            strict.Text  `strict:"settle"`
	Timeout           strict.Text  `strict:"timeout"`
	FailOn            strict.Texts `strict:"fail_on"`
	RequireAllSources strict.Bool  `strict:"require_all_sources"`
	AllowPartial      strict.Bool  `strict:"allow_partial"`
	Color             strict.Text  `strict:"color,enum=auto|always|never"`
	LogFormat         strict.Text  `strict:"log_format,enum=text|json"`
}

type promForm struct {
	strict.Place
	URL     strict.Text `strict:"url,required"`
	Timeout strict.Text `strict:"timeout"`
}

type sourceForm struct {
	strict.Place
	Name       strict.Text     `strict:"name,required"`
	Crontab    *crontabForm    `strict:"crontab"`
	GitHub     *githubForm     `strict:"github"`
	Kubernetes *kubernetesForm `strict:"kubernetes"`
	Unexpected strict.Text     `strict:"unexpected,enum=report|ignore"`
	Ignore     strict.Texts    `strict:"ignore"`
}

type crontabForm struct {
	strict.Place
	Host    strict.Text  `strict:"host"`
	Zone    strict.Text  `strict:"zone"`
	Users   strict.Texts `strict:"users"`
	System  strict.Bool  `strict:"system"`
	Dialect strict.Text  `strict:"dialect,enum=auto|debian|cronie|busybox|supercronic"`
	Root    strict.Text  `strict:"root"`
	Files   []fileForm   `strict:"files"`
	Runs    strict.Texts `strict:"runs"`
}

type fileForm struct {
	strict.Place
	Path   strict.Text `strict:"path,required,short"`
	Format strict.Text `strict:"format,enum=user|system"`
	User   strict.Text `strict:"user"`
}

type githubForm struct {
	strict.Place
	Repos     strict.Texts `strict:"repos"`
	API       strict.Text  `strict:"api,empty"`
	Workflows strict.Text  `strict:"workflows"`
}

type kubernetesForm struct {
	strict.Place
	Context       strict.Text  `strict:"context"`
	Namespaces    strict.Texts `strict:"namespaces"`
	AllNamespaces strict.Bool  `strict:"all_namespaces"`
	Manifests     strict.Texts `strict:"manifests"`
	Selector      strict.Text  `strict:"selector"`
}

// ParseConfig reads a config. The error holds all that is wrong with the file,
// each with its place (*strict.Failure).
func ParseConfig(path string, data []byte) (Config, error) {
	var f configForm
	r := configReader{errs: strict.Decode(path, data, &f), first: map[string]specs.Pos{}}
	c := Config{Path: path, Dir: filepath.Dir(path), Ledger: f.Ledger.Value, settings: r.settings(f)}
	for _, s := range f.Sources {
		c.Sources = append(c.Sources, r.source(s))
	}
	c.Prometheus = r.prometheus(f.Prometheus)
	if err := r.errs.Err("correct the config; its fields are printed by: rolecall schema config"); err != nil {
		return Config{}, err
	}
	return c, nil
}

type configReader struct {
	errs  strict.Errors
	first map[string]specs.Pos // where each name of a source stands first
}

// settings are the scalars that flags and environment can also give.
func (r *configReader) settings(f configForm) map[string]string {
	out := map[string]string{}
	for key, t := range map[string]strict.Text{"ledger": f.Ledger, "settle": f.Settle, "timeout": f.Timeout, "color": f.Color, "log_format": f.LogFormat} {
		if t.Value != "" {
			out[key] = t.Value
		}
	}
	r.setting("settle", f.Settle)
	r.setting("timeout", f.Timeout)
	for key, b := range map[string]strict.Bool{"require_all_sources": f.RequireAllSources, "allow_partial": f.AllowPartial} {
		if b.Stated() {
			out[key] = fmt.Sprint(b.Value)
		}
	}
	if len(f.FailOn.Items) > 0 {
		out["fail_on"] = strings.Join(f.FailOn.Values(), ",")
		r.setting("fail_on", strict.Text{Pos: f.FailOn.Pos, Value: out["fail_on"]})
	}
	return out
}

// setting reads a text as LoadSettings will, to name its place if it is wrong.
func (r *configReader) setting(key string, t strict.Text) {
	if t.Value == "" {
		return
	}
	if err := (&Settings{}).set(key, t.Value); err != nil {
		r.errs.Add(t.Pos, "%s: %v", key, err)
	}
}

var sourceName = lazy.Expression(`^[A-Za-z0-9._-]{1,63}$`)

func (r *configReader) source(f sourceForm) Source {
	s := Source{Pos: f.Pos, Name: f.Name.Value, Unexpected: "report", Ignore: f.Ignore.Values()}
	if f.Unexpected.Value != "" {
		s.Unexpected = f.Unexpected.Value
	}
	r.name(f.Name)
	if f.Crontab != nil {
		s.Crontab = r.crontab(s.Name, *f.Crontab)
	}
	if f.GitHub != nil {
		s.GitHub = r.github(s.Name, *f.GitHub)
	}
	if f.Kubernetes != nil {
		s.Kubernetes = r.kubernetes(s.Name, *f.Kubernetes)
	}
	r.oneProvider(f)
	return s
}

func (r *configReader) name(t strict.Text) {
	at, twice := r.first[t.Value]
	switch {
	case t.Value == "":
		return
	case !sourceName().MatchString(t.Value):
		r.errs.Add(t.Pos, "the source name %s is not 1 to 63 letters, digits, dots, underscores and hyphens; rename the source", strict.Quote(t.Value))
	case twice:
		r.errs.Add(t.Pos, "the source %s stands twice, first in line %d; rename one", t.Value, at.Line)
	}
	r.first[t.Value] = t.Pos
}

func (r *configReader) oneProvider(f sourceForm) {
	var stated []string
	meant := false
	for _, p := range []string{"crontab", "github", "kubernetes"} {
		if f.States(p) {
			stated = append(stated, p)
		}
		meant = meant || f.Has(p)
	}
	switch {
	case !f.Stated():
	case len(stated) > 1:
		at, _ := f.Field(stated[1])
		r.errs.Add(at, "the source %s has %s; a source has one provider, so make two sources", strict.Quote(f.Name.Value), strings.Join(stated, " and "))
	case !meant:
		r.errs.Add(f.Pos, "the source %s has no provider; add crontab, github or kubernetes", strict.Quote(f.Name.Value))
	}
}

// side refuses a provider's fields by which nothing is ever looked at.
func (r *configReader) side(f strict.Place, name, what string, fields ...string) {
	for _, field := range fields {
		if f.Has(field) {
			return
		}
	}
	if f.Stated() {
		r.errs.Add(f.Pos, "the source %s names nothing to look at; add %s", strict.Quote(name), what)
	}
}

func (r *configReader) crontab(name string, f crontabForm) *CrontabSource {
	c := CrontabSource{
		Host: f.Host.Value, Zone: f.Zone.Value, Users: f.Users.Values(), System: f.System.Value,
		Dialect: "auto", Root: f.Root.Value, Runs: f.Runs.Values(),
	}
	if f.Dialect.Value != "" {
		c.Dialect = f.Dialect.Value
	}
	for _, file := range f.Files {
		if file.User.Stated() && file.Format.Value == "system" {
			r.errs.Add(file.User.Pos, "the file %s of the source %s has a user column, so user says nothing; remove user or the format", strict.Quote(file.Path.Value), strict.Quote(name))
		}
		c.Files = append(c.Files, CrontabFile{Pos: file.Pos, Path: file.Path.Value, Format: file.Format.Value, User: file.User.Value})
	}
	for _, u := range f.Users.Items {
		if strings.ContainsAny(u.Value, "/:\x00") {
			r.errs.Add(u.Pos, "%s is no name of an account; correct it", strict.Quote(u.Value))
		}
	}
	if f.Runs.Stated() && len(c.Users) == 0 && !c.System {
		r.errs.Add(f.Runs.Pos, "the source %s has runs and is never looked at live, where run records count; add users or system, or give the folder to an audit with --runs", strict.Quote(name))
	}
	r.zone(f.Zone)
	r.side(f.Place, name, "users or system (live) or files (offline)", "users", "system", "files")
	return &c
}

func (r *configReader) prometheus(f promForm) PrometheusConfig {
	out := PrometheusConfig{URL: f.URL.Value}
	if f.URL.Value != "" {
		if _, err := prometheus.New(prometheus.Config{URL: f.URL.Value}, nil); err != nil {
			r.errs.Add(f.URL.Pos, "%v", err)
		}
	}
	if f.Timeout.Value != "" {
		var err error
		if out.Timeout, err = span(f.Timeout.Value); err != nil || out.Timeout == 0 {
			r.errs.Add(f.Timeout.Pos, "prometheus.timeout: %s is no length of time above 0; write one like 10s", strict.Quote(f.Timeout.Value))
		}
	}
	return out
}

func (r *configReader) zone(t strict.Text) {
	if _, err := specs.CanonicalZone(t.Value); err != nil {
		r.errs.Add(t.Pos, "%v", err)
	}
}

var repoPattern = lazy.Expression(`^[A-Za-z0-9_-]+/[A-Za-z0-9._*?-]+$`)

func (r *configReader) github(name string, f githubForm) *GitHubSource {
	for _, p := range f.Repos.Items {
		if p.Value != "" && !repoPattern().MatchString(p.Value) {
			r.errs.Add(p.Pos, "%s is not owner/name; the name can be a glob with * and ?", strict.Quote(p.Value))
		}
	}
	if u, err := url.Parse(f.API.Value); f.API.Value != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http") {
		r.errs.Add(f.API.Pos, "api is not the base URL of an API, like https://github.example.com/api/v3; a token belongs in GH_TOKEN")
	}
	r.side(f.Place, name, "repos (live) or workflows (offline)", "repos", "workflows")
	return &GitHubSource{Repos: f.Repos.Values(), API: f.API.Value, Workflows: f.Workflows.Value}
}

var namespaceName = lazy.Expression(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`) // RFC 1123 label

func (r *configReader) kubernetes(name string, f kubernetesForm) *KubernetesSource {
	for _, n := range f.Namespaces.Items {
		if n.Value != "" && !namespaceName().MatchString(n.Value) {
			r.errs.Add(n.Pos, "%s is no name of a namespace; write each by its name, or all_namespaces: true", strict.Quote(n.Value))
		}
	}
	if f.Namespaces.Stated() && f.AllNamespaces.Value {
		r.errs.Add(f.AllNamespaces.Pos, "the source %s has both namespaces and all_namespaces; keep one of them", strict.Quote(name))
	}
	r.side(f.Place, name, "context, namespaces or all_namespaces (live) or manifests (offline)", "context", "namespaces", "all_namespaces", "manifests")
	return &KubernetesSource{
		Context: f.Context.Value, Namespaces: f.Namespaces.Values(), AllNamespaces: f.AllNamespaces.Value,
		Manifests: f.Manifests.Values(), Selector: f.Selector.Value,
	}
}

// FindConfig is the path of the config: the one that is named, else the first
// from a directory upward, else the user's own. It is empty if there is none.
func FindConfig(named, dir string, env func(string) string) (string, error) {
	if named == "" {
		named = env("ROLECALL_CONFIG")
	}
	if named != "" {
		return named, nil
	}
	for _, p := range configPlaces(dir, env) {
		_, err := os.Stat(p)
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%w; make the config readable, or name another with --config", err)
		}
	}
	return "", nil
}

func configPlaces(dir string, env func(string) string) []string {
	var out []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		out = append(out, filepath.Join(d, ConfigName))
		if d == filepath.Dir(d) {
			break
		}
	}
	home := env("XDG_CONFIG_HOME")
	if home == "" && env("HOME") != "" {
		home = filepath.Join(env("HOME"), ".config")
	}
	if home != "" {
		out = append(out, filepath.Join(home, "rolecall", ConfigName))
	}
	return out
}

// LoadConfig reads the config of a path; without one it is empty.
func LoadConfig(path string) (Config, error) {
	if path == "" {
		return Config{}, nil
	}
	data, err := readRegular(os.Stat, os.Open, path)
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	return ParseConfig(path, data)
}

// LoadLedger reads a ledger and the templates that it names, none of which can
// lie outside its directory tree, also by a symbolic link.
func LoadLedger(path string) (ledger.Ledger, []ledger.Warning, error) {
	data, err := readRegular(os.Stat, os.Open, path)
	if err != nil {
		return ledger.Ledger{}, nil, fmt.Errorf("ledger: %w; name it with --ledger, or begin one with: rolecall ledger init", err)
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return ledger.Ledger{}, nil, fmt.Errorf("ledger: %w", err)
	}
	defer root.Close()
	read := func(rel string) ([]byte, error) { return readRegular(root.Stat, root.Open, filepath.FromSlash(rel)) }
	return ledger.Parse(path, data, read)
}

// readRegular is readWhole that does not even open a pipe or device, which
// could wait for ever.
func readRegular(stat func(string) (os.FileInfo, error), open func(string) (*os.File, error), path string) ([]byte, error) {
	if info, err := stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	return readWhole(open, path)
}

// readWhole reads a file of bounded size. A pipe or device is refused, since
// nobody could read the same from it again.
func readWhole(open func(string) (*os.File, error), path string) ([]byte, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	if err := strict.CheckSize(path, info.Size()); err != nil {
		return nil, err
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // it does not grow unless the file does
	if _, err := data.ReadFrom(io.LimitReader(f, strict.MaxBytes+1)); err != nil {
		return nil, err
	}
	return data.Bytes(), strict.CheckSize(path, int64(data.Len()))
}

// Settings are the scalars of a run: flag over ROLECALL_* over file over
// default.
type Settings struct {
	Ledger            string // a path to open
	Settle            time.Duration
	Timeout           time.Duration // for one source; 0 for none
	FailOn            []report.Kind // nil for the default
	RequireAllSources bool
	AllowPartial      bool
	Color             string // auto, always or never
	LogFormat         string // text or json
}

// settingDefaults are the settings and what they are where nothing is stated.
// A setting KEY has the flag --key with hyphens and the variable ROLECALL_KEY.
var settingDefaults = []struct{ key, value string }{
	{"ledger", "ledger.yaml"},
	{"settle", "2s"},
	{"timeout", "2m"},
	{"fail_on", ""},
	{"require_all_sources", "false"},
	{"allow_partial", "false"},
	{"color", "auto"},
	{"log_format", "text"},
}

// LoadSettings layers the settings. Flags that the set does not have are left
// out of account. This is the only use of viper; the ledger and the sources
// never pass through it, since it lower-cases keys.
func LoadSettings(c Config, flags *pflag.FlagSet, env func(string) string) (Settings, error) {
	v := viper.New()
	merge := func(set func(key string) string) error {
		layer := map[string]any{}
		for _, d := range settingDefaults {
			if text := set(d.key); text != "" {
				layer[d.key] = text
			}
		}
		return v.MergeConfigMap(layer)
	}
	if err := merge(func(key string) string { return c.setting(key) }); err != nil {
		return Settings{}, err
	}
	if err := merge(func(key string) string { return env(envName(key)) }); err != nil {
		return Settings{}, err
	}
	var s Settings
	for _, d := range settingDefaults {
		v.SetDefault(d.key, d.value)
		if f := flags.Lookup(flagName(d.key)); f != nil && f.Changed {
			if err := v.BindPFlag(d.key, f); err != nil {
				return Settings{}, err
			}
		}
		if err := s.set(d.key, asText(v.Get(d.key))); err != nil {
			return Settings{}, fmt.Errorf("%s: %w", origin(d.key, flags), err)
		}
	}
	return s, nil
}

// setting is what the file says, with the ledger as a path to open.
func (c Config) setting(key string) string {
	if key == "ledger" && c.Path != "" {
		if c.Ledger == "" {
			return filepath.Join(c.Dir, "ledger.yaml")
		}
		if !filepath.IsAbs(c.Ledger) {
			return filepath.Join(c.Dir, c.Ledger)
		}
	}
	return c.settings[key]
}

// asText is a value of viper's as it was written; a list is joined by commas.
func asText(v any) string {
	if list, ok := v.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(v)
}

func envName(key string) string  { return "ROLECALL_" + strings.ToUpper(key) }
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

// origin names what a bad value came from: the file's were looked at before.
func origin(key string, flags *pflag.FlagSet) string {
	if f := flags.Lookup(flagName(key)); f != nil && f.Changed {
		return "--" + flagName(key)
	}
	return envName(key)
}

// set reads the text of one setting.
func (s *Settings) set(key, text string) (err error) {
	switch key {
	case "ledger":
		s.Ledger = text
	case "settle":
		s.Settle, err = span(text)
	case "timeout":
		s.Timeout, err = span(text)
	case "fail_on":
		s.FailOn, err = kinds(text)
	case "require_all_sources":
		s.RequireAllSources, err = yesNo(text)
	case "allow_partial":
		s.AllowPartial, err = yesNo(text)
	case "color":
		s.Color, err = among(text, "auto", "always", "never")
	case "log_format":
		s.LogFormat, err = among(text, "text", "json")
	}
	return err
}

// kinds reads what --fail-on takes; the empty text leaves the default. What the
// text came from is named by the caller.
func kinds(text string) ([]report.Kind, error) {
	if text == "" {
		return nil, nil
	}
	out, err := report.ParseKinds(strings.Split(text, ","))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "--fail-on "))
	}
	return out, nil
}

func span(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s is no length of time; write one like 2s or 1m30s, or 0", strict.Quote(text))
	}
	return d, nil
}

func yesNo(text string) (bool, error) {
	word, err := among(strings.ToLower(text), "true", "false", "1", "0")
	return word == "true" || word == "1", err
}

func among(text string, words ...string) (string, error) {
	for _, w := range words {
		if text == w {
			return w, nil
		}
	}
	return "", fmt.Errorf("%s is not one of %s", strict.Quote(text), strings.Join(words, ", "))
}
