package github

import "regexp"

var repoName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+$`)

// validRepo says whether a text can be owner/name.
func validRepo(s string) bool { return repoName.MatchString(s) }
