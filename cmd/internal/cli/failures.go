package cli

import (
	"fmt"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// trace is what one way to fail leaves behind, who can notice it, and as which
// finding it shows here.
type trace struct {
	what, leaves, noticed string
	finding               report.Kind
}

// traces are the ways in which a scheduled job fails, from the loud one to the
// one that leaves nothing.
func traces() []trace {
	return []trace{
		{"error while running", "an exit code, a log, a failed run", "the job itself, its log", report.NotSucceeded},
		{"stopped midway", "a beginning without an end, half an output", "who waits for the end", report.Hung},
		{"success without effect", "successes, and nothing that moves on", "who looks at the output", report.Stalled},
		{"made inactive", "the object and its switch; no run, no error", "who knows that it should be on", report.Inactive},
		{"object deleted", "nothing; its metrics end too", "who has a list of what must be there", report.Missing},
		{"scheduler stopped", "objects that look right; no run, no error", "who counts due instants", report.NotExecuted},
	}
}

func failuresText() string {
	var b strings.Builder
	for _, t := range traces() {
		fmt.Fprintf(&b, "  %-23s %s\n%26snoticed by %s; here: %s\n", t.what, t.leaves, "", t.noticed, t.finding)
	}
	return `What a failure leaves behind, and who can notice it. The later ones leave less:
no error is not success, and an alert that waits for an error waits for ever.

` + b.String() + `
rolecall sees from inside (white-box): lists of what is registered, histories of
runs, times and files. That a job succeeded by all of them does not say that its
result is right for those who use it. Only a separate probe of the result is
black-box: restore the backup, read the report, fetch the page. Have both.

When to look:
  at boot and resume         what did not start then does not start later either
  after a configuration      a path unit on the cron folders, a workflow after
    change                   each deploy
  before a deploy            rolecall audit, and rolecall drain for what runs
  at intervals, from         another host or cluster than the one that is looked
    outside                  at: what guards itself falls silent with it

An audit that stopped leaves its last report, which looks as good as ever: watch
the report's age from elsewhere.

A change in review is the earliest moment of all: see rolecall gate --help. The
stages and how late is too late: see rolecall help evidence.`
}

const evidenceText = `The ladder of a role: each step is a fact of its own, and none follows from the
one before.

  desired      it is in the ledger
  registered   the scheduler holds one object of it, and the object is active
  executed     a run has begun
  succeeded    a run has ended well
  progressed   a run has moved what it is for

Who knows of it, without a word in the ledger: Kubernetes of executed and
succeeded, GitHub of both (runs by schedule alone count), a crontab of neither;
there the runs that rolecall run records. The ledger can name others:

  evidence:
    since: 2026-11-01        # what was due before does not count
    max_runtime: 10m         # a run that takes longer is hung
    succeed_within: 30m      # after it was due
    progress_within: 2h
    grace: 15m               # how late it may begin; GitHub 6h, else 0
    runs: /var/lib/rolecall  # run records, for each step that names nobody else
    executed: native         # the scheduler; none: not tracked
    succeeded: {prometheus: {query: 'max(shop_backup_success_seconds)'}}
    progressed: {file: {path: /srv/dump.gz, max_age: 26h}}

A path is absolute or relative to the ledger. The query has to give one sample, a
Unix time in seconds; 0 is never. In both "{source}" stands for the name of the
source, which a role in several sources has to say: a run in one of them does not
speak for the others. Records that runs names for all steps tell of progress only
where a run stated a watermark or a checkpoint, or where progress_within wants it.
rolecall.yaml says how the witnesses are reached:

  prometheus: {url: "https://prometheus.example.com", timeout: 10s}
  sources:
    - name: web-1
      crontab: {system: true, zone: Europe/Berlin, runs: [/var/lib/rolecall]}

Without runs the records are read where rolecall run keeps them by default. Those
of the account whose table holds the object count, and no other's: only where the
user is not known does what root's say count, then what the accounts of users say.
Of a source with root: they are those below the root, as are the absolute paths that
the ledger names; runs in the config and relative paths are of this machine. Records
that others could have written, or that a link leads to, are not believed. A role
with evidence or run of which nobody could be asked is unknown. A snapshot carries
the records, and is judged as of its own moment. A folder that was copied from another host is judged as it
is: how old a copy may be belongs into the grace. What is read from the files of a
checkout has not run anywhere: nobody is asked about it, unless --runs or
--prometheus says whom.

How late is too late. G is the grace, M max_runtime (of evidence, else of run,
else 0). Due instants are those of the real schedule in its zone: a job of Monday
to Friday is not late on Sunday. Two of them are looked at, the last up to

  executed     now - G - 1 min
  succeeded    now - G - M
  progressed   now - G - M

and the one before. Since the last: yes. Since the one before: late, one was
missed and nothing alarms. Else stale, or never where it never was: not-executed,
not-succeeded or stalled. With succeed_within W (or progress_within) it has to be
since the last instant up to now - W - G, and there is no late. With max_age what
counts is the age alone, whatever is due.

hung: M is stated, and a run has gone on for M + 1 min.

not-due: no instant has passed that counts. Instants do not count that lie before
since, before the end of a pause, or before the object was there. Of a crontab it
is not known since when an entry is there: where there is no record of a run yet,
its role counts from the last change of the table, or from ref.seen if that is
older, and a note (held-back) says so; since puts a fixed instant in its place. @every has its
period in place of instants, a zone that is not known the longest gap and an hour;
@reboot and what never fires have none. A role that is suspended, or whose object
is inactive, has no finding of these but hung: that it does not run is known.

What could not be read is unknown and exits 3, and so is a time that lies ahead. A metric of which there is no
series is told apart from one that has ended, never ran from ran no more.

rolecall explain ROLE shows each step, where it was read and from when on it
alarms.`
