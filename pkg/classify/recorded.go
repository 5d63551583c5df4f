package classify

import "github.com/rolecall-dev/rolecall/specs"

// Recorded says of a role of a crontab that its runs are to be recorded, so that
// without records it never ran: the ledger says how it is run, or speaks of its
// evidence and names no other place for it, or its command runs through rolecall
// run. Of another role nothing is known but what records happen to say.
func Recorded(role specs.Role, command string) bool { return toBeRecorded(role) || callsRun(command) }
