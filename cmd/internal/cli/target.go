package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// mode is which side of the sources is looked at.
type mode string

const (
	live     mode = "live"
	offline  mode = "offline"
	snapshot mode = "snapshot"
)

// targetFlags say what is looked at, the same for every command that looks.
type targetFlags struct {
	offline   bool
	snapshots []string
	maxAge    time.Duration // of a snapshot; 0 for any
	sources   []string

	crontabs  []string // [NAME=]FILE or -
	workflows []string // [NAME=]DIR
	manifests []string // [NAME=]GLOB

	runs       []string // [NAME=]DIR
	prometheus string   // URL

	repos         []string
	kubeconfig    string
	context       string
	namespace     string
	allNamespaces bool
	selector      string
	request       time.Duration
}

func (f *targetFlags) bind(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.offline, "offline", false, "read each source's files and open no connection")
	fs.StringSliceVar(&f.snapshots, "snapshot", nil, "take saved listings as the sources; more files may follow as arguments")
	fs.StringSliceVar(&f.sources, "source", nil, "look at these sources only")
	fs.String("timeout", "2m", "bound on one look at one source")
	fs.StringArrayVar(&f.crontabs, "crontab", nil, "[NAME=]FILE: a crontab file, - for standard input; in place of the config's sources")
	fs.StringArrayVar(&f.workflows, "workflows", nil, "[NAME=]DIR: a checkout with .github/workflows; in place of the config's sources")
	fs.StringArrayVar(&f.manifests, "manifests", nil, "[NAME=]GLOB: Kubernetes manifests, - for standard input; in place of the config's sources")
	fs.StringArrayVar(&f.runs, "runs", nil, "[NAME=]DIR: a state folder of rolecall run, as the evidence of a crontab source")
	fs.StringSliceVarP(&f.repos, "repo", "R", nil, "owner/repo on GitHub, live; in place of the config's sources")
	fs.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file (default: as kubectl)")
	fs.StringVar(&f.context, "context", "", "kubeconfig context; looked at in place of the config's sources")
	fs.StringVarP(&f.namespace, "namespace", "n", "", "Kubernetes namespace; looked at in place of the config's sources")
	fs.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "all Kubernetes namespaces; looked at in place of the config's sources")
	fs.StringVarP(&f.selector, "selector", "l", "", "Kubernetes label selector, for list and snapshot of a live cluster")
	fs.DurationVar(&f.request, "request-timeout", 30*time.Second, "bound on one request to a server")
}

// bindAge adds the bound on a snapshot's age, for commands that judge.
func (f *targetFlags) bindAge(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&f.maxAge, "max-snapshot-age", 24*time.Hour, "a snapshot older than this is a gap; 0 for any age")
}

// bindWitness adds whom to ask where a ledger names a query.
func (f *targetFlags) bindWitness(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.prometheus, "prometheus", "", "URL of the Prometheus that is asked where the ledger names a query")
}

// snapshotArgs lets files follow --snapshot as arguments, and nothing else.
func (f *targetFlags) snapshotArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && len(f.snapshots) == 0 {
		return usage(fmt.Errorf("%s takes no argument %q; see: %s --help", cmd.CommandPath(), args[0], cmd.CommandPath()))
	}
	return nil
}

// mode is the side to look at.
func (f targetFlags) mode() (mode, error) {
	switch {
	case len(f.snapshots) > 0 && f.offline:
		return "", usage(errors.New("--snapshot and --offline exclude each other: a saved listing takes the place of the files"))
	case len(f.snapshots) > 0:
		return snapshot, nil
	case f.offline:
		return offline, nil
	}
	return live, nil
}

// liveKubernetes says that the flags alone name a cluster.
func (f targetFlags) liveKubernetes() bool {
	return f.context != "" || f.namespace != "" || f.allNamespaces
}

// any says that the flags alone name a source.
func (f targetFlags) any() bool {
	return len(f.crontabs)+len(f.workflows)+len(f.manifests)+len(f.repos) > 0 || f.liveKubernetes()
}
