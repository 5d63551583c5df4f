package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/kubernetes"
)

const doctorAbout = `Says what each source would need, and what is there: programs, accounts, files,
tokens (by the name of the variable, never the value), contexts and permissions.
Each source is looked at as an audit looks at it, on both of its sides; with
--offline only files are read. Without a config this host is looked over.

Exit code: 0 if everything needed is there, 2 if config or ledger are not in
order, 3 if something that an audit would look at could not be read.`

// check is one thing that is needed, and how it stands.
type check struct {
	Source   string `json:"source"` // empty for what is not a source's
	Provider string `json:"provider"`
	Side     string `json:"side"` // live, offline or empty
	What     string `json:"what"`
	State    string `json:"state"` // ok, missing, denied, failed, partial, skipped
	Detail   string `json:"detail"`
	Next     string `json:"next_step"`
}

const (
	stateOK      = "ok"
	stateMissing = "missing"
	stateFailed  = "failed"
	stateSkipped = "skipped"
)

// checkup is one run of doctor.
type checkup struct {
	*app
	flags  targetFlags
	checks []check
	code   int
}

func (a *app) doctorCommand() *cobra.Command {
	var f targetFlags
	var outputs []string
	cmd := &cobra.Command{
		Use: "doctor", Short: "what each source would need, and what is there",
		Long: doctorAbout, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := parseOutputs(outputs, []string{"text", "json"}, "text")
			if err != nil {
				return err
			}
			if len(f.snapshots) > 0 {
				return usage(errors.New("doctor looks at the sources themselves; leave --snapshot out"))
			}
			return a.doctor(cmd, f, out)
		},
	}
	f.bind(cmd)
	f.bindWitness(cmd)
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "FORMAT[=FILE], repeatable: text, json (default text)")
	return cmd
}

func (a *app) doctor(cmd *cobra.Command, f targetFlags, outputs []output) error {
	d := &checkup{app: a, flags: f}
	c, sources, err := d.order(cmd)
	if err != nil {
		return err
	}
	begin := len(sources) == 0
	if begin && f.offline {
		d.add(check{What: "sources", State: stateMissing, Detail: "no config and no flag names one", Next: "write a first config with: rolecall ledger init"})
	} else if begin {
		sources = []Source{a.thisHost()}
		d.beginner()
	}
	if !begin {
		d.prometheusNeeds(cmd.Context(), c)
	}
	if err := d.sources(cmd.Context(), c, sources, begin); err != nil {
		return err
	}
	for i := range d.checks {
		d.checks[i].Detail = redact.Text(d.checks[i].Detail)
	}
	if err := a.write(outputs, d.writer(begin)); err != nil {
		return err
	}
	return exitWith(d.code)
}

func (d *checkup) add(c check) { d.checks = append(d.checks, c) }

// fail keeps the weightier code: a config that is not in order before what
// could not be read.
func (d *checkup) fail(code int) {
	if d.code != exitUsage {
		d.code = code
	}
}

// order checks config and ledger, and gives the sources to look at.
func (d *checkup) order(cmd *cobra.Command) (loaded, []Source, error) {
	s, err := d.load(cmd)
	switch {
	case err != nil:
		d.fail(exitUsage)
		d.add(check{What: "config", State: stateFailed, Detail: err.Error()})
	case s.Path == "":
		d.add(check{What: "config", State: stateMissing, Detail: "no " + ConfigName + " from here upward", Next: "write a first one with: rolecall ledger init"})
	default:
		d.add(check{What: "config", State: stateOK, Detail: fmt.Sprintf("%s: %s", s.Path, plural(len(s.Sources), "source"))})
	}
	sources := s.Sources
	if d.flags.any() {
		if sources, err = d.flags.asSources(); err != nil {
			return s, nil, err
		}
	}
	if err == nil {
		d.ledger(s, cmd.Flags().Changed("ledger") || d.getenv("ROLECALL_LEDGER") != "")
	}
	for _, name := range d.flags.sources {
		if !slices.ContainsFunc(sources, func(src Source) bool { return src.Name == name }) {
			return s, nil, usage(fmt.Errorf("--source %s: no such source", name))
		}
	}
	return s, slices.DeleteFunc(slices.Clone(sources), func(src Source) bool {
		return len(d.flags.sources) > 0 && !slices.Contains(d.flags.sources, src.Name)
	}), nil
}

// ledger checks the ledger as far as that goes without looking at a source.
func (d *checkup) ledger(s loaded, named bool) {
	name := s.Settings.Ledger
	l, warnings, err := LoadLedger(name)
	_, statErr := os.Lstat(name)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		d.add(check{What: "ledger", State: stateMissing, Detail: name + " is not there", Next: "write a first one with: rolecall ledger init"})
		if s.Path != "" || named {
			d.fail(exitUsage)
		}
		return
	case err == nil && s.Path != "":
		err = d.checkSpecs(s, l)
	}
	if err != nil {
		d.fail(exitUsage)
		d.add(check{What: "ledger", State: stateFailed, Detail: err.Error()})
		return
	}
	detail := fmt.Sprintf("%s: %s", name, plural(len(l.Roles), "role"))
	if len(warnings) > 0 {
		detail += ", " + plural(len(warnings), "warning")
	}
	d.add(check{What: "ledger", State: stateOK, Detail: detail})
}

// sources looks at each source, on each side that the mode allows.
func (d *checkup) sources(ctx context.Context, c loaded, sources []Source, begin bool) error {
	w := &wiring{app: d.app, config: c.Config, flags: d.flags, flagged: d.flags.any()}
	for _, src := range sources {
		sided := false
		for _, m := range []mode{live, offline} {
			if m == live && d.flags.offline {
				continue
			}
			looked, err := d.side(ctx, w, src, m, begin, c)
			if err != nil {
				return err
			}
			sided = sided || looked
		}
		if !sided {
			d.add(check{Source: src.Name, Provider: src.kind(), What: "sides", State: stateSkipped, Detail: "nothing to look at in this mode"})
		}
	}
	return nil
}

// side checks one side of a source. It says no where there is none.
func (d *checkup) side(ctx context.Context, w *wiring, src Source, m mode, begin bool, c loaded) (bool, error) {
	base := check{Source: src.Name, Provider: src.kind(), Side: string(m)}
	p, isLive, why, err := w.provider(src, m)
	switch {
	case w.flagged && m == live && err == nil && !isLive:
		return false, nil // a file that flags name is looked at once
	case why == noLive || why == noOffline:
		return false, nil
	case why != "":
		base.What, base.State, base.Detail = "scope", stateSkipped, why
		d.add(base)
		return true, nil
	}
	if isLive {
		d.needs(w, src, base)
	}
	if err != nil {
		base.What, base.State, base.Detail = "access", stateFailed, err.Error()
		d.add(base)
		d.fail(exitUsage)
		return true, nil
	}
	plan := audit.Plan{Sources: []audit.Source{{Name: src.Name, Kind: src.kind(), Provider: p}}, Now: d.now(), Timeout: c.Timeout, Progress: d.progress()}
	world, err := audit.Look(ctx, plan)
	if err != nil {
		return true, err
	}
	for _, o := range world.Observations {
		d.seen(base, o, begin)
	}
	return true, nil
}

// seen says what a look at a side saw.
func (d *checkup) seen(base check, o providers.Observation, begin bool) {
	for _, n := range o.Notes {
		if n.Code == "dialect-assumed" {
			c := base
			c.What, c.State, c.Detail = "daemon", stateMissing, n.Message
			d.add(c)
		}
	}
	if base.Provider == "crontab" && len(o.Objects) > 0 {
		c := base
		c.What, c.State, c.Detail = "dialect", stateOK, string(dialectOf(o))
		d.add(c)
	}
	read := len(o.Areas) - len(o.Gaps())
	if read > 0 {
		c := base
		c.What, c.State = "read", stateOK
		c.Detail = fmt.Sprintf("%s, %s", plural(read, "part"), plural(len(o.Objects), "job"))
		d.add(c)
	}
	for _, gap := range o.Gaps() {
		c := base
		c.What, c.State, c.Detail = gap.Part, gapWord(gap.State), gap.Reason
		d.add(c)
		if !begin {
			d.fail(exitIncomplete)
		}
	}
}

func gapWord(s providers.AreaState) string {
	if s == providers.Missing {
		return stateMissing
	}
	return string(s)
}

// needs checks what a live side stands on.
func (d *checkup) needs(w *wiring, src Source, base check) {
	switch {
	case src.Crontab != nil:
		d.crontabNeeds(*src.Crontab, base)
		d.recordNeeds(w, src, base)
	case src.GitHub != nil:
		d.githubNeeds(src.GitHub.API, base)
	default:
		d.kubernetesNeeds(w, src.Kubernetes.Context, base)
	}
}

func (d *checkup) crontabNeeds(c CrontabSource, base check) {
	if c.Root != "" && c.Root != "/" {
		return // another root has its own programs and accounts
	}
	base.What = "program crontab"
	if p, err := exec.LookPath("crontab"); err == nil {
		base.State, base.Detail = stateOK, p
	} else {
		base.State, base.Detail = stateMissing, "it is needed where a user's table cannot be read as a file"
		base.Next = "install cron, or run as root"
	}
	d.add(base)
	for _, name := range c.Users {
		one := check{Source: base.Source, Provider: base.Provider, Side: base.Side, What: "account " + name, State: stateOK}
		if _, err := user.Lookup(name); err != nil {
			one.State, one.Detail, one.Next = stateMissing, "this host has no such account", "correct users: in the config"
		}
		d.add(one)
	}
}

// githubNeeds says which variable holds the token; never what is in it.
func (d *checkup) githubNeeds(api string, base check) {
	base.What = "token"
	if name := d.tokenVariable(api); name != "" {
		base.State, base.Detail = stateOK, name
	} else {
		base.State, base.Detail = stateMissing, "without one only public repositories are seen, and 60 requests an hour"
		first := d.tokenVariables(api)[0]
		base.Next = fmt.Sprintf("set %s, for example with: export %s=$(gh auth token%s)", first, first, hostOption(d.githubHost(api)))
	}
	d.add(base)
}

// hostOption is how gh is asked for the token of another server.
func hostOption(host string) string {
	if u, err := url.Parse(host); err == nil && u.Host != "" {
		host = u.Host
	}
	if host == "" {
		return ""
	}
	return " --hostname " + host
}

func (d *checkup) kubernetesNeeds(w *wiring, context string, base check) {
	base.What = "kubeconfig"
	rest, namespace, err := kubernetes.LoadConfig(w.flags.kubeconfig, context, "")
	if err != nil {
		return // said as access
	}
	name := "current context"
	if context != "" {
		name = "context " + context
	}
	base.State, base.Detail = stateOK, fmt.Sprintf("%s, server %s, namespace %s", name, rest.Host, namespace)
	d.add(base)
}

// beginner says what a host has to begin with beside its crontabs.
func (d *checkup) beginner() {
	k := check{What: "kubernetes", State: stateOK}
	if rest, _, err := kubernetes.LoadConfig(d.flags.kubeconfig, d.flags.context, ""); err == nil {
		k.Detail, k.Next = "a kubeconfig names the server "+rest.Host, "try: rolecall list -A"
	} else {
		k.State, k.Detail = stateMissing, err.Error()
	}
	d.add(k)
	g := check{What: "github", State: stateOK}
	if name := d.tokenVariable(""); name != "" {
		g.Detail, g.Next = name+" is set", "try: rolecall list -R OWNER/REPO"
	} else {
		g.State, g.Detail = stateMissing, "neither "+strings.Join(d.tokenVariables(""), " nor ")+" is set"
	}
	d.add(g)
}

const threeCommands = `
begin with these three:
  rolecall ledger init       write a first ledger and a rolecall.yaml from this host's crontabs
  rolecall list              see what the sources of rolecall.yaml hold
  rolecall audit             compare, now and from then on
`

func (d *checkup) writer(begin bool) func(string, io.Writer) error {
	return func(format string, w io.Writer) error {
		if format == "json" {
			return d.json(w)
		}
		return d.text(w, begin)
	}
}

func (d *checkup) json(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema   string  `json:"schema"`
		ExitCode int     `json:"exit_code"`
		Checks   []check `json:"checks"`
	}{"rolecall.doctor/v1", d.code, append([]check{}, d.checks...)})
}

// text is a list, by source and side, with what to do below each problem.
func (d *checkup) text(w io.Writer, begin bool) error {
	wide := 0
	for _, c := range d.checks {
		wide = max(wide, len(escapeLine(c.What)))
	}
	var t strings.Builder
	group := ""
	for _, c := range d.checks {
		if g := c.group(); g != group {
			fmt.Fprintf(&t, "\n%s\n", escapeLine(g))
			group = g
		}
		indent := ""
		if group != "" {
			indent = "  "
		}
		lines := strings.Split(strings.TrimSpace(c.Detail), "\n")
		if c.Next != "" {
			lines = append(lines, "next: "+c.Next)
		}
		fmt.Fprintln(&t, strings.TrimRight(fmt.Sprintf("%s%-*s  %-7s  %s", indent, wide+2-len(indent), escapeLine(c.What), c.State, escapeLine(lines[0])), " "))
		for _, more := range lines[1:] {
			fmt.Fprintf(&t, "%*s%s\n", wide+13, "", escapeLine(more))
		}
	}
	if begin {
		t.WriteString(threeCommands)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

func (c check) group() string {
	switch {
	case c.Source == "":
		return ""
	case c.Side == "":
		return fmt.Sprintf("%s (%s)", c.Source, c.Provider)
	}
	return fmt.Sprintf("%s (%s, %s)", c.Source, c.Provider, c.Side)
}
