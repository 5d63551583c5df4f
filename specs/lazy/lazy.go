// Package lazy makes what is costly to make when it is asked for first, so that
// a start that needs none of it does not wait.
package lazy

import (
	"regexp"
	"sync"
)

// Expression is a regular expression that is compiled at its first use. A text
// that is none panics there, which the tests of its room must reach.
//
// It stands in long tables, where each line would else have a copy of it and of
// sync.OnceValue.
//
//go:noinline
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
