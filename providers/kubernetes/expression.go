package kubernetes

import (
	"regexp"
	"sync"
)

// expression is compiled when it is asked for first, so that a start that needs
// none does not wait for all.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
