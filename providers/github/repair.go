package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

var _ providers.Repairer = (*Provider)(nil)

// Propose gives the workflow file of a role and the commands by which a person
// proposes it: a schedule of GitHub's comes to be by a merge, which somebody has
// to review. It asks GitHub nothing.
func (p *Provider) Propose(_ context.Context, role specs.Role, _ specs.Desired) (providers.Proposal, error) {
	if role.Repair.User != "" || role.Repair.File != "" {
		return providers.Proposal{}, fmt.Errorf("%s: repair of role %s names a crontab, and source %s is GitHub; take user and file out, and name the place by match: {repo: …, workflow: …}", role.Repair.Pos, role.Key, p.cfg.Source)
	}
	repo, err := p.repoFor(role)
	if err != nil {
		return providers.Proposal{}, err
	}
	file, err := fileFor(role)
	if err != nil {
		return providers.Proposal{}, err
	}
	text, copied, err := p.workflowOf(role, file)
	if err != nil {
		return providers.Proposal{}, err
	}
	sum := sha256.Sum256(text)
	return providers.Proposal{
		Ref:    specs.Ref{Role: role.Key, Source: p.cfg.Source},
		Part:   "repo/" + repo,
		Place:  "github:" + p.cfg.Source + "/" + repo + "/" + file,
		Text:   text,
		After:  "sha256:" + hex.EncodeToString(sum[:]),
		Manual: commands(role, repo, file, copied),
	}, nil
}

// Create is refused: nothing is ever written to GitHub.
func (p *Provider) Create(context.Context, providers.Proposal) (providers.Created, error) {
	return providers.Created{}, fmt.Errorf("%w: nothing is written to GitHub; run the commands of the plan, and merge what they propose", providers.ErrRefused)
}

// repoFor is the repository of a role: that of its match, or the source's only one.
func (p *Provider) repoFor(role specs.Role) (string, error) {
	matched := role.Match.Keys["repo"]
	switch {
	case matched != "" && validRepo(matched):
		return matched, nil
	case matched == "" && len(p.want.exact) == 1 && len(p.want.patterns) == 0:
		return p.want.exact[0], nil
	}
	return "", fmt.Errorf("source %s has several repositories, and role %s does not say which is its; state it by match: {repo: owner/name}", p.cfg.Source, role.Key)
}

const workflowDir = ".github/workflows"

// fileFor is where the workflow of a role belongs: where the ledger says, or else
// under a name made of its key.
func fileFor(role specs.Role) (string, error) {
	matched := role.Match.Keys["workflow"]
	switch {
	case role.Statement.Workflow != "":
		matched = role.Statement.Workflow
	case matched == "" || strings.ContainsAny(matched, "*?"):
		return workflowDir + "/" + strings.ToLower(role.Key) + ".yml", nil
	}
	if !strings.Contains(matched, "/") {
		matched = workflowDir + "/" + matched
	}
	if path.Clean(matched) != matched || path.Dir(matched) != workflowDir {
		return "", fmt.Errorf("role %s names the workflow %q, which does not lie in %s, where GitHub looks; correct it", role.Key, matched, workflowDir)
	}
	return matched, nil
}

// workflowOf is the text of a role's workflow with its marker, and what a shell
// has to do to make the file of it.
func (p *Provider) workflowOf(role specs.Role, file string) (text []byte, copying string, err error) {
	switch {
	case role.Statement.Template != nil:
		text = role.Statement.Template.Data
		copying = "cp " + p.from(role.Statement.Template.Name) + " " + specs.ShellWord(file)
	case role.Statement.Workflow == "":
		return nil, "", fmt.Errorf("role %s states no template, so there is no workflow to propose; state the whole of it by spec: {template: FILE}", role.Key)
	case p.cfg.TemplateDir == "":
		return nil, "", fmt.Errorf("role %s names a workflow, and the source no checkout that has it; name one by workflows: in the config", role.Key)
	default:
		if text, err = p.templateFile(role.Statement.Workflow); err != nil {
			return nil, "", fmt.Errorf("workflow %s of the checkout: %w; add the file, or state a template", role.Statement.Workflow, err)
		}
	}
	own := role.Statement.Template == nil // the checkout's file, which is copied as it is
	if own {
		copying = "cp " + p.from(filepath.Join(p.cfg.TemplateDir, role.Statement.Workflow)) + " " + specs.ShellWord(file)
	}
	marked, err := carries(text, role)
	line := markerOf(role)
	switch {
	case err != nil || marked || own && !role.Match.IsZero():
		return text, copying, err
	case own:
		return nil, "", fmt.Errorf("%s of the checkout carries no marker of role %s, by which it would be found; put this line at its head: %s", file, role.Key, line)
	}
	text = append([]byte(line+"\n"), text...)
	return text, "{ echo " + specs.ShellWord(line) + "; cat " + p.from(role.Statement.Template.Name) + "; } > " + specs.ShellWord(file), nil
}

// from is a file of this machine as one word of a shell that stands in any folder.
func (p *Provider) from(name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(p.cfg.Here, name)
	}
	return specs.ShellWord(name)
}

// carries says that a workflow carries a role's marker, and refuses another's.
func carries(text []byte, role specs.Role) (bool, error) {
	w, err := readWorkflow(text, "")
	if err != nil {
		return false, errors.New("the workflow cannot be read; correct it, and look at it with: rolecall ledger check")
	}
	markers := []providers.Marker{w.marker}
	for _, e := range w.entries {
		markers = append(markers, e.marker)
	}
	found := false
	for _, m := range markers {
		switch {
		case !m.Present():
		case m.Role != role.Key:
			return false, fmt.Errorf("the workflow carries the marker of another role, %q; give each a file of its own", m.Role+m.Invalid)
		case m.Version != "" && m.Version != role.Version:
			return false, fmt.Errorf("the marker in the workflow says version %q and the ledger %q; bring the two in line", m.Version, role.Version)
		default:
			found = true
		}
	}
	return found, nil
}

func markerOf(role specs.Role) string {
	line := "# rolecall: role=" + role.Key
	if role.Version != "" {
		line += " version=" + role.Version
	}
	return line
}

// commands propose a file of a repository, in a fresh clone of it: where they are
// run there may be another repository, and work of somebody's in it.
func commands(role specs.Role, repo, file, copying string) []string {
	branch := "rolecall/" + role.Key
	return []string{
		`cd "$(mktemp -d)" && gh repo clone ` + specs.ShellWord(repo) + " . && git switch -c " + specs.ShellWord(branch),
		"mkdir -p " + workflowDir,
		copying,
		"git add " + specs.ShellWord(file),
		"git commit -m " + specs.ShellWord("Schedule the role "+role.Key+" again"),
		"git push -u origin " + specs.ShellWord(branch),
		"gh pr create -R " + specs.ShellWord(repo) + " --fill",
	}
}
