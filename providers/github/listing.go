package github

import (
	"context"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/providers"
)

// listing is the list of one owner's repositories.
type listing struct {
	asker
	owner   string
	found   []*gh.Repository
	notes   []providers.Note
	limited bool // a note about what the token may not show was made
}

// read lists an organisation's repositories or, where there is no such
// organisation, a user's: the public ones, and of the others those to which the
// token's user has access.
func (l *listing) read() error {
	err := l.pages(func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
		found, resp, err := l.client.Repositories.ListByOrg(ctx, l.owner, &gh.RepositoryListByOrgOptions{ListOptions: opts})
		return resp, l.take(found, resp, err)
	})
	if t, ok := err.(*trouble); !ok || t.status != http.StatusNotFound || len(l.found) > 0 {
		return err
	}
	err = l.pages(func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
		found, resp, err := l.client.Repositories.ListByUser(ctx, l.owner, &gh.RepositoryListByUserOptions{ListOptions: opts})
		return resp, l.take(found, resp, err)
	})
	if err != nil {
		return err
	}
	return l.readPrivate()
}

// readPrivate lists what the token's own user can reach. A token without a
// user, or none at all, has no such list.
func (l *listing) readPrivate() error {
	err := l.pages(func(ctx context.Context, opts gh.ListOptions) (*gh.Response, error) {
		found, resp, err := l.client.Repositories.ListByAuthenticatedUser(ctx, &gh.RepositoryListByAuthenticatedUserOptions{
			Affiliation: "owner,collaborator", ListOptions: opts})
		return resp, l.take(found, resp, err)
	})
	if t, ok := err.(*trouble); ok && !t.limit && (t.status == http.StatusUnauthorized || t.status == http.StatusForbidden || t.status == http.StatusNotFound) {
		l.limit("this token lists only the public repositories of " + l.owner + ", so a pattern finds no private one; name those exactly")
		return nil
	}
	return err
}

func (l *listing) take(found []*gh.Repository, resp *gh.Response, err error) error {
	if err != nil {
		return err
	}
	if found == nil {
		return emptyAnswer("list of repositories")
	}
	for _, m := range found {
		owner, _, ok := strings.Cut(m.GetFullName(), "/")
		if !ok || m.Name == nil {
			return emptyAnswer("name of a repository")
		}
		if strings.EqualFold(owner, l.owner) && !l.has(m.GetFullName()) {
			l.found = append(l.found, m)
		}
	}
	if scopes := resp.Header.Values("X-OAuth-Scopes"); len(scopes) == 0 || !hasScope(scopes, "repo") {
		l.limit("this token may list only some repositories of " + l.owner + ": those that it was granted, or the public ones; a pattern does not see the others")
	}
	return nil
}

func (l *listing) has(name string) bool {
	for _, m := range l.found {
		if m.GetFullName() == name {
			return true
		}
	}
	return false
}

func hasScope(headers []string, scope string) bool {
	for _, h := range headers {
		for _, s := range strings.Split(h, ",") {
			if strings.TrimSpace(s) == scope {
				return true
			}
		}
	}
	return false
}

func (l *listing) limit(message string) {
	if !l.limited {
		l.limited = true
		l.notes = append(l.notes, providers.Note{Code: "not-checked", Message: message})
	}
}

func (l *listing) matches(pattern string) bool {
	for _, m := range l.found {
		if fitsPattern(pattern, m.GetFullName()) {
			return true
		}
	}
	return false
}
