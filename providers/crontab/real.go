package crontab

import "path/filepath"

// Real is where a path below a root stands by this process's own paths: links are
// followed within the root, so that an absolute one in an image stays in it. What is
// not there is no error.
func Real(root, path string) (string, error) {
	m := machine{root: filepath.Clean(root)}
	return m.resolve(path, true)
}
