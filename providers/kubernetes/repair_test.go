package kubernetes

import (
	"context"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/rolecall-dev/rolecall/specs"
)

// repairable is a template for a CronJob with what its metadata is to say.
func repairable(metadata string) *specs.Document {
	return &specs.Document{Name: "roles/retry.yaml", Data: []byte("apiVersion: batch/v1\nkind: CronJob\nmetadata: " + metadata + `
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: "registry.example/retry:1"}]
`)}
}

func TestPropose(t *testing.T) {
	for _, c := range []struct {
		name       string
		namespaces []string
		selector   string
		metadata   string
		role       specs.Role
		place      string
		says       string
	}{
		{name: "as the template says", metadata: "{name: retry, namespace: batch}", place: "kubernetes:prod/batch/retry"},
		{name: "the only namespace", namespaces: []string{"batch"}, metadata: "{name: retry}", place: "kubernetes:prod/batch/retry"},
		{name: "the match's namespace", metadata: "{name: retry}", role: specs.Role{Match: specs.Match{Keys: map[string]string{"namespace": "jobs"}}}, place: "kubernetes:prod/jobs/retry"},
		{name: "a crontab", metadata: "{name: retry, namespace: batch}", role: specs.Role{Repair: specs.RepairTerms{User: "deploy"}}, says: "is a cluster"},
		{name: "which namespace", metadata: "{name: retry}", says: "state metadata.namespace"},
		{name: "a pattern is no namespace", metadata: "{name: retry}", role: specs.Role{Match: specs.Match{Keys: map[string]string{"namespace": "b*"}}}, says: "state metadata.namespace"},
		{name: "a namespace that is not read", namespaces: []string{"batch"}, metadata: "{name: retry, namespace: other}", says: "none of those that source"},
		{name: "a generated name", metadata: "{generateName: retry-, namespace: batch}", says: "metadata.generateName"},
		{name: "an owner", metadata: "{name: retry, namespace: batch, ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: y}]}", says: "ownerReferences"},
		{name: "a finalizer", metadata: "{name: retry, namespace: batch, finalizers: [example.org/hold]}", says: "finalizers"},
		{name: "another role's marker", metadata: "{name: retry, namespace: batch, annotations: {rolecall/role: gate}}", says: "rolecall/role"},
		{name: "another version's", metadata: `{name: retry, namespace: batch, annotations: {rolecall/version: "6"}}`, says: "rolecall/version"},
		{name: "its own marker", metadata: `{name: retry, namespace: batch, annotations: {rolecall/version: "7", rolecall/role: retry}}`, place: "kubernetes:prod/batch/retry"},
		{name: "not selected", selector: "team=web", metadata: "{name: retry, namespace: batch}", says: "selector"},
		{name: "selected", selector: "team=web", metadata: "{name: retry, namespace: batch, labels: {team: web}}", place: "kubernetes:prod/batch/retry"},
		{name: "what a server refuses", metadata: "{name: Retry_Job, namespace: batch}", says: "refuse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := proposer(t, Config{Source: "prod", Namespaces: c.namespaces, Selector: c.selector})
			c.role.Key, c.role.Version, c.role.Statement.Template = "retry", "7", repairable(c.metadata)
			got, err := p.Propose(context.Background(), c.role, specs.Desired{})
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %q", err, c.says)
				}
				return
			}
			if err != nil || got.Place != c.place {
				t.Fatalf("%+v, %v; want %s", got, err, c.place)
			}
			again, err := p.Propose(context.Background(), c.role, specs.Desired{})
			if err != nil || again.After != got.After || got.Before != "" {
				t.Errorf("proposed twice it differs: %v\n%s\n%s", err, got.Text, again.Text)
			}
			r := readManifest(got.Text)
			if len(r.troubles)+len(r.remarks) > 0 || len(r.found) != 1 || markerOf(r.found[0].cronJob, specs.Pos{}).Role != "retry" || markerOf(r.found[0].cronJob, specs.Pos{}).Version != "7" {
				t.Errorf("what is to be written: %+v\n%s", r.troubles, got.Text)
			}
		})
	}
}

func TestProposeSays(t *testing.T) {
	p := proposer(t, Config{Source: "prod", Namespaces: []string{"batch"}})
	if _, err := p.Propose(context.Background(), specs.Role{Key: "retry"}, specs.Desired{}); err == nil || !strings.Contains(err.Error(), "no template") {
		t.Errorf("without a template: %v", err)
	}
	doc := repairable("{name: retry}")
	doc.Data = []byte(strings.Replace(string(doc.Data), "spec:\n", "spec:\n  suspend: true\n", 1))
	got, err := p.Propose(context.Background(), specs.Role{Key: "retry", Statement: specs.Statement{Template: doc}}, specs.Desired{})
	if err != nil || len(got.Inactive) != 1 || got.Inactive[0].Code != "suspended" || got.Part != "namespace/batch" {
		t.Errorf("suspended: %+v, %v", got, err)
	}
}

// proposer is a provider that no server answers.
func proposer(t *testing.T, cfg Config) *Provider {
	t.Helper()
	client, err := NewClient(&rest.Config{Host: "https://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(client, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
