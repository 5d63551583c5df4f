// Package plugintest holds the files by which rolecall runs elsewhere to those
// who read them there: the example workflows to actionlint, the container's file
// to BuildKit's own checks, the GitLab template to a program that runs
// pipelines. It is a module of its own so that none of these is a requirement of
// the program.
package plugintest
