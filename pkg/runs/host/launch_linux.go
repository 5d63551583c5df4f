package host

import "github.com/rolecall-dev/rolecall/pkg/runs"

// wait waits for the leader's end and leaves it unreaped.
func (j *job) wait() (runs.Exit, error) { return awaitExit(j.cmd.Process.Pid) }

// reap ends the leader's zombie. Its status is known already.
func (j *job) reap() { _ = j.cmd.Wait() }
