// Package runs records the runs of scheduled jobs, so that a success is written
// only when the output and the end are both proved, and ends them in a drain.
//
// A run is a folder, STATE/runs/ROLE/RUN-ID. Two files in it are created once,
// by a hard link of a synced file, and never change:
//
//	gate.json      the verdict: commit, fail, interrupt or skip
//	terminal.json  the closure: completed, failed, interrupted or skipped
//
// Whoever links the gate first decides; what the loser saw goes to late-N.json.
// The pairs that there can be:
//
//	gate       terminal
//	skip       skipped
//	fail       failed
//	interrupt  interrupted
//	commit     completed, or failed (nothing was promoted), or interrupted (the
//	           owner was lost and nothing was promoted)
//
// What a run without a terminal is, readers derive and nobody writes:
// never-started, in-flight, owner-lost, orphaned, unverifiable, corrupt.
//
// Clocks: waits and durations are counted by the monotonic clock, which stands
// still while the machine is suspended, so that no grace is gone on waking. The
// end of a drain mark is counted by the boot-time clock, which goes on. The wall
// clock is written for people and decides nothing. The order of runs is that of
// their numbers, the order in a run that of seq.
package runs
