package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/alerts"
	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/evidence"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

const rulesHelp = `Writes Prometheus alert rules from the ledger, so that somebody else than the
schedulers says when a job has stopped: for each role the time since its last
success, its absence (no rule of time sees a deleted object) and its inactivity;
for each source that its audit has stopped; and a Watchdog that always fires, so
that the way of the alarm is watched as well. No scheduler is looked at.

Who says when a role succeeded last is named by --from, for one source or for all
that it fits:
  audit                rolecall audit -o prometheus (default). What it says is as
                       old as it is, so --audit-within is added to what is allowed
  run                  rolecall run --textfile on the host of the job
  kube-state-metrics   for CronJobs whose namespace and name the ledger states
The rules of audits want -o prometheus of an audit that runs at intervals;
--audit-within 0 leaves them out.

How long a role may be without a success follows from its schedule and from
evidence: in the ledger, as in an audit. A role of which that is not known, or of
whose successes nobody tells the audit, has no rule of time, and is named.

With --test unit tests are written beside the rules:
  promtool check rules FILE
  promtool test rules FILE`

const rulesExamples = `  rolecall rules > rolecall.rules.yaml
  rolecall rules -o yaml=rolecall.rules.yaml --test rolecall.rules_test.yaml
  rolecall rules --from kube-state-metrics --label prod=cluster=prod
  rolecall rules --runbook 'https://wiki.example/runbooks/{alert}?role={role}'`

type rulesFlags struct {
	outputs  []string
	from     []string
	labels   []string
	hold     time.Duration
	within   time.Duration
	executed bool
	runbook  string
	test     string
}

func (a *app) rulesCommand() *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use: "rules", Short: "Prometheus alert rules from the ledger",
		Long: rulesHelp, Example: rulesExamples,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.rules(cmd, f) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.from, "from", nil, "[SOURCE=]BASIS, repeatable: audit, run or kube-state-metrics says when a role succeeded last (default audit)")
	fs.StringArrayVar(&f.labels, "label", nil, "SOURCE=NAME=VALUE, repeatable: a label of the series of run or kube-state-metrics that tells the source from others")
	fs.DurationVar(&f.hold, "for", 5*time.Minute, "how long a rule must hold before it fires")
	fs.DurationVar(&f.within, "audit-within", 150*time.Minute, "how old the last audit may be; 0 for no rules of audits")
	fs.BoolVar(&f.executed, "executed", false, "rules of the last start as well")
	fs.StringVar(&f.runbook, "runbook", "", "address of a page on each alert, with {alert}, {role}, {source} and {owner} in it, empty where an alert has none")
	fs.StringVar(&f.test, "test", "", "file for the unit tests of the rules, which promtool runs; the rules need a file too")
	fs.StringArrayVarP(&f.outputs, "output", "o", nil, "yaml[=FILE] (default yaml)")
	complete(cmd, "output", []string{"yaml"})
	return cmd
}

func (a *app) rules(cmd *cobra.Command, f rulesFlags) error {
	outputs, err := parseOutputs(f.outputs, []string{"yaml"}, "yaml")
	if err != nil {
		return err
	}
	file := outputs[0].file
	if err := f.check(file); err != nil {
		return err
	}
	in, warnings, err := a.alertInput(cmd, f)
	if err != nil {
		return err
	}
	made := alerts.Make(in)
	for _, w := range append(warnings, made.Left...) {
		fmt.Fprintf(a.Err, "rolecall: warning: %s\n", escapeLine(w))
	}
	if f.test != "" {
		outputs = append(outputs, output{"test", f.test})
	}
	return a.write(outputs, func(format string, w io.Writer) error {
		if format == "test" {
			return made.WriteTest(w, besides(file, f.test))
		}
		return made.Write(w)
	})
}

func (f rulesFlags) check(file string) error {
	switch {
	case f.hold < 0:
		return usage(fmt.Errorf("--for %s is negative", f.hold))
	case f.within < 0:
		return usage(fmt.Errorf("--audit-within %s is negative; 0 leaves out the rules of audits", f.within))
	case f.test != "" && file == "":
		return usage(errors.New("the tests name the file of the rules, so the rules need one: -o yaml=FILE --test FILE"))
	case f.test != "" && filepath.Clean(f.test) == filepath.Clean(file):
		return usage(fmt.Errorf("--test %s is the file of the rules; name another", f.test))
	}
	return nil
}

// besides is the name of a file as it is seen from another one's folder.
func besides(file, from string) string {
	if rel, err := filepath.Rel(filepath.Dir(from), file); err == nil {
		return filepath.ToSlash(rel)
	}
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// alertInput makes of flags, config and ledger what rules are made from.
func (a *app) alertInput(cmd *cobra.Command, f rulesFlags) (alerts.Input, []string, error) {
	none := func(err error) (alerts.Input, []string, error) { return alerts.Input{}, nil, err }
	s, err := a.load(cmd)
	if err != nil {
		return none(err)
	}
	l, _, err := a.readLedger(s)
	if err != nil {
		return none(err)
	}
	if len(s.Sources) == 0 {
		return none(usage(errors.New("no config names the sources of the ledger's roles, and what a schedule means depends on its source; name one: --config rolecall.yaml")))
	}
	desired, err := a.translated(s, l)
	if err != nil {
		return none(err)
	}
	sources, err := f.sources(s.Config)
	if err != nil {
		return none(usage(err))
	}
	in := alerts.Input{
		Ledger: render.Escape(cmp.Or(l.Name, l.Path)),
		For:    f.hold, AuditWithin: f.within, Executed: f.executed, Runbook: f.runbook,
	}
	roles, warnings := alertRoles(l, desired, sources)
	in.Roles = roles
	if err := in.Check(); err != nil {
		return none(usage(err))
	}
	return in, warnings, nil
}

// alertRoles are the roles of a ledger in each of their sources.
func alertRoles(l ledger.Ledger, desired map[specs.Ref]specs.Desired, sources map[string]alerts.Source) (roles []alerts.Role, warnings []string) {
	cal := evidence.NewCalendar()
	for _, role := range l.Roles {
		for _, source := range role.Sources {
			r, why := alerts.Of(cal, role, desired[specs.Ref{Role: role.Key, Source: source}], sources[source])
			if why != "" {
				warnings = append(warnings, role.Key+"@"+source+": the audit is asked, not "+string(sources[source].Basis)+": "+why)
			}
			if r.Basis == alerts.Audit && sources[source].Provider == "crontab" {
				if unsure := untold(&r, role, desired[specs.Ref{Role: role.Key, Source: source}]); unsure != "" {
					warnings = append(warnings, role.Key+"@"+source+": "+unsure)
				}
			}
			roles = append(roles, r)
		}
	}
	slices.Sort(warnings)
	return roles, warnings
}

// untold takes from a role of a crontab the rules of times that an audit never
// says: nothing keeps them but records, and witnesses that the ledger names. It
// gives what cannot be known of that.
func untold(r *alerts.Role, role specs.Role, d specs.Desired) (unsure string) {
	command := d.Spec.Body.Get("command")
	if asleep := r.Suspended && r.PausedUntil.IsZero(); asleep || classify.Recorded(role, command.Text) {
		return ""
	}
	succeeded := role.Evidence.Succeeded.Place() != ""
	if command.Kind == specs.Absent {
		if succeeded || r.Succeeded == 0 {
			return ""
		}
		return "the ledger does not state its command, so whether its runs are recorded is not known, and where they are not its rule never fires; state evidence: in the ledger"
	}
	if role.Evidence.Executed.Place() == "" {
		r.Executed = 0
	}
	if !succeeded && r.Succeeded > 0 {
		r.Succeeded, r.Untold = 0, "nobody tells of its successes, so only its absence is watched; let rolecall run run it, or name who knows: evidence: {succeeded: …}"
	}
	return ""
}

// sources are those of the config with what --from and --label say of them.
func (f rulesFlags) sources(c Config) (map[string]alerts.Source, error) {
	out := map[string]alerts.Source{}
	for _, s := range c.Sources {
		one := alerts.Source{Name: s.Name, Provider: s.kind()}
		if s.Kubernetes != nil && len(s.Kubernetes.Namespaces) == 1 {
			one.Namespace = s.Kubernetes.Namespaces[0]
		}
		out[s.Name] = one
	}
	for _, v := range f.from {
		if err := basisOf(out, v, c.SourceNames()); err != nil {
			return nil, err
		}
	}
	for _, v := range f.labels {
		if err := labelOf(out, v, c.SourceNames()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fits says which providers a basis is for.
func fits(b alerts.Basis, provider string) bool {
	return b == alerts.Audit || b == alerts.Run && provider == "crontab" || b == alerts.KubeState && provider == "kubernetes"
}

// basisOf reads one --from. With a source the choice is the user's, but for
// kube-state-metrics, which knows of CronJobs alone.
func basisOf(sources map[string]alerts.Source, v string, names []string) error {
	source, word, named := strings.Cut(v, "=")
	if !named {
		word = source
	}
	basis := alerts.Basis(word)
	if !slices.Contains(alerts.Bases(), basis) {
		var known []string
		for _, b := range alerts.Bases() {
			known = append(known, string(b))
		}
		return fmt.Errorf("--from %s: %q is no basis%s", v, word, didYouMean(word, known))
	}
	if named {
		s, ok := sources[source]
		if !ok {
			return fmt.Errorf("--from %s: no such source%s", v, didYouMean(source, names))
		}
		if basis == alerts.KubeState && s.Provider != "kubernetes" {
			return fmt.Errorf("--from %s: the source is no cluster; take audit or run", v)
		}
		s.Basis = basis
		sources[source] = s
		return nil
	}
	for name, s := range sources {
		if fits(basis, s.Provider) {
			s.Basis = basis
			sources[name] = s
		}
	}
	return nil
}

var labelName = lazy.Expression(`^[a-zA-Z_][a-zA-Z0-9_]*$`) // of Prometheus' data model

// ownLabels are set by the rules themselves.
var ownLabels = []string{"alertname", "severity", "ledger", "role", "source", "owner", "basis", "namespace", "cronjob"}

// labelOf reads one --label.
func labelOf(sources map[string]alerts.Source, v string, names []string) error {
	parts := strings.SplitN(v, "=", 3)
	if len(parts) != 3 || parts[2] == "" {
		return fmt.Errorf("--label %s is not SOURCE=NAME=VALUE", v)
	}
	s, ok := sources[parts[0]]
	switch {
	case !ok:
		return fmt.Errorf("--label %s: no such source%s", v, didYouMean(parts[0], names))
	case !labelName().MatchString(parts[1]) || slices.Contains(ownLabels, parts[1]) || strings.HasPrefix(parts[1], "__"):
		return fmt.Errorf("--label %s: %s is no label that series of a source can be told by; it is letters, digits and underscores, and none of %s", v, parts[1], strings.Join(ownLabels, ", "))
	case slices.ContainsFunc(s.Labels, func(l alerts.Label) bool { return l.Name == parts[1] }):
		return fmt.Errorf("--label %s: %s has that label already; give it once", v, parts[0])
	}
	s.Labels = append(s.Labels, alerts.Label{Name: parts[1], Value: parts[2]})
	sources[parts[0]] = s
	return nil
}
