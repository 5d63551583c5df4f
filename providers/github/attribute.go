package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
)

// Attribute is the last commit that touched the workflow on the default branch,
// by GET /repos/O/R/commits?path=PATH, one request. What cannot be asked is not
// known: it is no part of what an audit decides.
func (p *Provider) Attribute(ctx context.Context, o providers.Object) []providers.Change {
	owner, name, ok := strings.Cut(o.Attr("repo"), "/")
	if !ok {
		return nil
	}
	commits, _, err := p.client.Repositories.ListCommits(ctx, owner, name, &gh.CommitsListOptions{
		Path: o.Attr("workflow"), ListOptions: gh.ListOptions{PerPage: 1},
	})
	if err != nil || len(commits) == 0 {
		return nil
	}
	c := commits[0]
	who := c.GetAuthor().GetLogin()
	if who == "" {
		who = c.GetCommit().GetAuthor().GetName()
	}
	sha := c.GetSHA()
	return []providers.Change{{
		Who: who, When: c.GetCommit().GetCommitter().GetDate().Time.UTC(), Evidence: "commit " + sha[:min(len(sha), 12)],
	}}
}
