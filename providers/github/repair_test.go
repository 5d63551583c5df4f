package github

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

const nightlyText = "on:\n  schedule:\n    - cron: '0 2 * * *'\njobs:\n  build:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make\n"

func TestPropose(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, workflowDir), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"plain.yml": nightlyText, "marked.yml": "# rolecall: role=nightly version=2\n" + nightlyText} {
		if err := os.WriteFile(filepath.Join(dir, workflowDir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	template := func(text string) specs.Statement {
		return specs.Statement{Template: &specs.Document{Name: "roles/night ly.yml", Data: []byte(text)}}
	}
	match := func(keys ...string) specs.Match {
		m := specs.Match{Keys: map[string]string{}}
		for i := 0; i < len(keys); i += 2 {
			m.Keys[keys[i]] = keys[i+1]
		}
		return m
	}
	for _, c := range []struct {
		name  string
		repos []string
		role  specs.Role
		place string
		hold  string // of the commands
		says  string // of the error
	}{
		{"a template", []string{"acme/shop"}, specs.Role{Statement: template(nightlyText)}, "github:actions/acme/shop/.github/workflows/nightly.yml",
			`{ echo '# rolecall: role=nightly version=2'; cat '/srv/a ledger/roles/night ly.yml'; } > .github/workflows/nightly.yml`, ""},
		{"a marked template", []string{"acme/shop"}, specs.Role{Statement: template("# rolecall: role=nightly\n" + nightlyText), Match: match("workflow", "build.yml")},
			"github:actions/acme/shop/.github/workflows/build.yml", "cp '/srv/a ledger/roles/night ly.yml' .github/workflows/build.yml", ""},
		{"another's marker", []string{"acme/shop"}, specs.Role{Statement: template("# rolecall: role=gate\n" + nightlyText)}, "", "", "another role"},
		{"another version", []string{"acme/shop"}, specs.Role{Statement: template("# rolecall: role=nightly version=1\n" + nightlyText)}, "", "", "version"},
		{"which repository", []string{"acme/*"}, specs.Role{Statement: template(nightlyText)}, "", "", "match: {repo"},
		{"in a clone of it", []string{"acme/shop"}, specs.Role{Statement: template(nightlyText)}, "github:actions/acme/shop/.github/workflows/nightly.yml", `cd "$(mktemp -d)" && gh repo clone acme/shop . && git switch -c rolecall/nightly` + "\n", ""},
		{"a crontab", []string{"acme/shop"}, specs.Role{Statement: template(nightlyText), Repair: specs.RepairTerms{File: "/etc/crontab"}}, "", "", "is GitHub"},
		{"that repository", []string{"acme/*"}, specs.Role{Statement: template(nightlyText), Match: match("repo", "acme/shop")}, "github:actions/acme/shop/.github/workflows/nightly.yml", "gh pr create -R acme/shop --fill", ""},
		{"the checkout's file", []string{"acme/shop"}, specs.Role{Statement: specs.Statement{Workflow: workflowDir + "/marked.yml"}}, "github:actions/acme/shop/.github/workflows/marked.yml", "cp " + dir + "/.github/workflows/marked.yml .github/workflows/marked.yml\ngit add .github/workflows/marked.yml", ""},
		{"the checkout's file has no marker", []string{"acme/shop"}, specs.Role{Statement: specs.Statement{Workflow: workflowDir + "/plain.yml"}}, "", "", "carries no marker"},
		{"the checkout has no such file", []string{"acme/shop"}, specs.Role{Statement: specs.Statement{Workflow: workflowDir + "/gone.yml"}}, "", "", "add the file"},
		{"elsewhere", []string{"acme/shop"}, specs.Role{Statement: template(nightlyText), Match: match("workflow", "../x.yml")}, "", "", "does not lie in"},
		{"no template", []string{"acme/shop"}, specs.Role{}, "", "", "no template"},
		{"not YAML", []string{"acme/shop"}, specs.Role{Statement: template("\x00{")}, "", "", "cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := New(gh.NewClient(nil), Config{Source: "actions", Repos: c.repos, TemplateDir: dir, Here: "/srv/a ledger"})
			if err != nil {
				t.Fatal(err)
			}
			c.role.Key, c.role.Version = "nightly", "2"
			got, err := p.Propose(context.Background(), c.role, specs.Desired{})
			if c.says != "" {
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want %q", err, c.says)
				}
				return
			}
			if err != nil || got.Place != c.place || !strings.Contains(strings.Join(got.Manual, "\n"), c.hold) || got.Before != "" || got.After == "" {
				t.Fatalf("%v %+v", err, got)
			}
			if ok, err := carries(got.Text, c.role); !ok || err != nil {
				t.Errorf("the file does not carry the role's marker: %v\n%s", err, got.Text)
			}
			if _, err := p.Create(context.Background(), got); !errors.Is(err, providers.ErrRefused) {
				t.Errorf("create: %v", err)
			}
		})
	}
}
