package cli

import (
	"fmt"
	"slices"
	"strings"
)

// asSources makes of the flags alone one source for each provider, or for each
// NAME that they give.
func (f targetFlags) asSources() ([]Source, error) {
	var out []Source
	at := func(name string, make func() Source) (*Source, error) {
		if i := slices.IndexFunc(out, func(s Source) bool { return s.Name == name }); i >= 0 {
			if out[i].kind() != make().kind() {
				return nil, usage(fmt.Errorf("source %s is named by flags of two kinds of scheduler; give each a name of its own: --crontab NAME=FILE", name))
			}
			return &out[i], nil
		}
		s := make()
		s.Name = name
		out = append(out, s)
		return &out[len(out)-1], nil
	}
	for _, v := range f.crontabs {
		name, file := named(v, "crontab")
		s, err := at(name, func() Source { return Source{Crontab: &CrontabSource{}} })
		if err != nil {
			return nil, err
		}
		s.Crontab.Files = append(s.Crontab.Files, CrontabFile{Path: file})
	}
	for _, v := range f.workflows {
		name, dir := named(v, "github")
		s, err := at(name, func() Source { return Source{GitHub: &GitHubSource{}} })
		if err != nil {
			return nil, err
		}
		if s.GitHub.Workflows != "" {
			return nil, usage(fmt.Errorf("--workflows names two checkouts for source %s; give each a name: --workflows NAME=DIR", name))
		}
		s.GitHub.Workflows = dir
	}
	for _, v := range f.manifests {
		name, glob := named(v, "kubernetes")
		s, err := at(name, func() Source { return Source{Kubernetes: &KubernetesSource{}} })
		if err != nil {
			return nil, err
		}
		s.Kubernetes.Manifests = append(s.Kubernetes.Manifests, glob)
	}
	if len(f.repos) > 0 {
		s, err := at("github", func() Source { return Source{GitHub: &GitHubSource{}} })
		if err != nil {
			return nil, err
		}
		s.GitHub.Repos = f.repos
	}
	if f.liveKubernetes() {
		s, err := at("kubernetes", func() Source { return Source{Kubernetes: &KubernetesSource{}} })
		if err != nil {
			return nil, err
		}
		s.Kubernetes.Context, s.Kubernetes.AllNamespaces = f.context, true
		if f.namespace != "" && !f.allNamespaces {
			s.Kubernetes.Namespaces = []string{f.namespace}
		}
	}
	return out, nil
}

// named splits NAME=VALUE; without a name the provider's is taken. A path that
// holds an equals sign is given as NAME=PATH.
func named(v, otherwise string) (name, value string) {
	if name, value, ok := strings.Cut(v, "="); ok && sourceName().MatchString(name) {
		return name, value
	}
	return otherwise, v
}
