// Package actionlinttest holds the refusals of providers/github beside those of
// actionlint, which knows GitHub's workflow syntax by itself. It is a module of
// its own so that actionlint is no requirement of the program.
package actionlinttest
