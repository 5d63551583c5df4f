package github

import (
	"fmt"
	"path"
	"strings"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

var (
	repoName    = lazy.Expression(`^[A-Za-z0-9_][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$`)
	repoPattern = lazy.Expression(`^[A-Za-z0-9_][A-Za-z0-9_-]*/[A-Za-z0-9._*?-]+$`)
)

// validRepo says whether a text can be owner/name.
func validRepo(s string) bool { return repoName().MatchString(s) }

// wanted is what a source's repos name.
type wanted struct {
	exact    []string
	patterns []string
}

func readRepos(repos []string) (wanted, error) {
	var w wanted
	for _, r := range repos {
		switch {
		case validRepo(r):
			w.exact = append(w.exact, r)
		case repoPattern().MatchString(r):
			w.patterns = append(w.patterns, r)
		default:
			return w, fmt.Errorf("repository %q is not owner/name, where the name can be a glob with * and ?; correct it in repos:", r)
		}
	}
	return w, nil
}

// owners are those whose repositories must be listed, in order.
func (w wanted) owners() []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range w.patterns {
		owner, _, _ := strings.Cut(p, "/")
		if !seen[strings.ToLower(owner)] {
			seen[strings.ToLower(owner)] = true
			out = append(out, owner)
		}
	}
	return out
}

// covers says that the source looks at a repository.
func (w wanted) covers(repo string) bool {
	for _, e := range w.exact {
		if strings.EqualFold(e, repo) {
			return true
		}
	}
	for _, p := range w.patterns {
		if fitsPattern(p, repo) {
			return true
		}
	}
	return false
}

// fitsPattern compares as GitHub does, without regard to case.
func fitsPattern(pattern, repo string) bool {
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(repo))
	return ok && err == nil
}
