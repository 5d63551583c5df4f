// Package evidence judges the stages of a role beyond registered: was it
// executed, did it succeed, did it progress, and in time. It also states the
// thresholds as plain durations, from which alert rules are made.
//
// The arithmetic. Let now be the instant of judgement, or of the look where the
// evidence is of an earlier one (a saved listing), G the grace
// (evidence.grace; if none is stated 6 h for github, whose delays of hours are
// documented, and 0 for others), M the longest runtime (evidence.max_runtime,
// else run.max_runtime, else 0), and since the latest of evidence.since, the
// end of a pause, and the instant from which on a run would show. Due instants
// before since do not count. The due instants of a role are those of all its
// schedules, each in its own zone and by its own program's rule for the days on
// which the clock changes.
//
//	executed    c = now - G - 1 min (a scheduler's own start). d1 and d2 are the
//	            last due instant up to c and the one before.
//	              last start + 1 min >= d1         yes (1 min: two clocks differ), also
//	                                               where d1 does not count
//	              no d1 that counts                not-due
//	              last start + 1 min >= d2         late: one instant missed, no alarm
//	              d2 does not count                late
//	              there was a start, before d2     stale: not-executed, stopped
//	              there was none                   never: not-executed, never-ran
//	succeeded   the same with c = now - G - M, without the minutes, of the last
//	            success: not-succeeded after two periods and M. With
//	            evidence.succeed_within W there is one instant, d, the last up to
//	            now - W - G, and no late: a success >= d is yes. With the max_age A
//	            of a file: now - last > A is stale, whatever the schedule.
//	progressed  as succeeded, with evidence.progress_within: stalled.
//	hung        M is stated and a run has gone on for more than M + 1 min.
//
// Where a schedule has no due instants that can be known:
//
//	@every P                    c - P and c - 2P stand for d1 and d2
//	a zone that is not known    c - L - 1 h and c - 2L - 1 h, L the longest gap
//	                            between two of its instants
//	@reboot, never, drawn times no due instants: not-due; W is then a plain age,
//	                            now - last > W + G
//
// Of one silence there is one finding: what was not executed in time is not also
// not-succeeded, and what is neither is not also stalled. A role that is
// suspended or paused is not-due in all that is tracked. Of objects that are
// inactive the stages are said, and only hung is a finding.
//
// A stage that could not be read, or whose time lies more than 5 min ahead of
// now, is unknown, and so is the finding; likewise a stage that is not reached and
// would count only from an instant that lies ahead of now by the scheduler's word. A metric without any series is never
// reached (no-series); one whose series has ended is judged by its last value
// (stale-series).
//
// As durations since the last start, success or progress, after which the
// judgement alarms at worst (Bounds), S being the longest time from a due
// instant to the second one after it, and L the longest to the next one:
//
//	start       S + G + 2 min
//	success     S + G + M; with W: L + W + G; with A: A
//	progress    as success
//	@every P    2P for S, P for L
//	zone not known  2L + 1 h for S, L + 1 h for L
package evidence
