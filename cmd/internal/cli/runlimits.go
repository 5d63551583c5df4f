package cli

import (
	"fmt"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// stopVariable says how long whoever stops this process waits before the kill:
// systemd's TimeoutStopSec, a pod's terminationGracePeriodSeconds. Neither can be
// asked from here.
const stopVariable = "ROLECALL_STOP_TIMEOUT"

// stopTimeout is what the variable says; 0 if nothing.
func (a *app) stopTimeout() time.Duration {
	text := a.getenv(stopVariable)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		a.say("$" + stopVariable + " is no time like 90s; it is left out of account")
		return 0
	}
	return d
}

// warnStop warns of a run that could not end in order before it is killed.
func (a *app) warnStop(b runs.Budgets) {
	limit := a.stopTimeout()
	if need := b.Stop(); limit > 0 && need > limit {
		a.say(fmt.Sprintf("to be stopped, this run can take %s (kill-after, commit-timeout and pings), and $%s is %s: raise that limit, or lower those", need, stopVariable, limit))
	}
}

// warnDrain warns of a drain that could be killed while it waits.
func (a *app) warnDrain(bound time.Duration) {
	if limit := a.stopTimeout(); limit > 0 && bound > limit {
		a.say(fmt.Sprintf("this drain can take %s, and $%s is %s: raise that limit, or lower --max-grace", bound.Round(time.Second), stopVariable, limit))
	}
}
