package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/render"
	"github.com/rolecall-dev/rolecall/providers/crontab"
)

// topics are the pages of rolecall help that belong to no command.
func topics() []*cobra.Command {
	var out []*cobra.Command
	for _, t := range []struct{ name, short, text string }{
		{"exit-codes", "what the exit codes say", exitCodesText},
		{"formats", "the forms that a report can take", formatsText()},
		{"environment", "the variables that are read", environmentText},
		{"markers", "how an object says which role it plays", markersText},
		{"evidence", "the steps beyond registered, and how late is too late", evidenceText},
		{"failures", "what a failure leaves behind, and who can notice it", failuresText()},
		{"built-in", "what distributions install, and is left out", builtInText()},
	} {
		out = append(out, &cobra.Command{Use: t.name, Short: t.short, Long: t.text})
	}
	return out
}

// builtInText names what is not reported as unexpected without a rule.
func builtInText() string {
	tables, scripts := crontab.Builtin()
	return `Jobs that distributions install are not reported as unexpected. They are listed
by rolecall list, and an audit says how many it left out; a marker or a match of
a role makes one count like any other job.

Files of /etc/cron.d, where the entry is the distribution's own:
  ` + wrap(strings.Join(tables, ", ")) + `

Scripts of /etc/cron.daily and the like:
  ` + wrap(strings.Join(scripts, ", ")) + `

Of /etc/crontab and anacrontab: the entries that run those folders.`
}

// wrap breaks a list of words into lines for a page.
func wrap(words string) string {
	var b strings.Builder
	column := 2
	for i, w := range strings.Fields(words) {
		if column+len(w) > 78 {
			b.WriteString("\n  ")
			column = 2
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w)
		column += len(w) + 1
	}
	return b.String()
}

func formatsText() string {
	var b strings.Builder
	for _, f := range render.Formats() {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Name, strings.ReplaceAll(f.For, "`", ""))
	}
	return `Forms of a report, for audit and render: -o FORMAT writes to the standard output,
-o FORMAT=FILE to a file, and both can be given several times in one run:

` + b.String() + `
A file is put in place whole or not at all. The exit code is the audit's, the
same for every form.

sarif, github and markdown are cut where GitHub takes no more, the worst
findings first, and say what is left off; json has all. Files are named from the
top of the git checkout, where that is what reads the form.

A waived finding is suppressed in sarif, skipped in junit and only counted in
github and prometheus. What could not be read is a notification of the run in
sarif, an error in junit, a warning in github, a table of its own in markdown and
rolecall_coverage_gaps in prometheus.`
}

const exitCodesText = `Exit codes, the same for every command and every output format:

  0    everything in scope was read, and no finding is of a kind in --fail-on
  1    there are findings of the kinds in --fail-on (also when something else
       could not be read; the report says both)
  2    usage, config or ledger error; nothing was audited
  3    no such finding, but something in scope could not be read, so clean
       cannot be claimed
  4    internal error, or output that could not be written
  130  interrupted by SIGINT; 143 by SIGTERM. No partial report is left under
       a final name

rolecall run gives the job's own code, and 70 to 75 where there is none: see
rolecall run --help. rolecall drain and runs answer by the same codes: 1 some run
was interrupted, or is left for a person; 3 of some nothing can be known.

rolecall repair ends with the code of the audit at its end, and with 1 where what
was to be created was not, or a saved plan does not hold any more; 2 where the
ledger has changed since, or nobody said yes: then nothing was written.

rolecall schedule answers by the same codes: 0 the expression is taken, or the
two are equal; 1 it is refused, or they are not equal, or that cannot be known.

The verdict of exit code 0 is clean, or passed where a flag or a waiver took
something out of account:
--exit-zero takes findings out of account: a gap still exits 3.
--allow-partial takes gaps out of account: a finding still exits 1.
A finding with a waiver in force does not count. Notes never count.`

const environmentText = `Variables that are read:

  ROLECALL_CONFIG          the config file, as --config
  ROLECALL_LEDGER, ROLECALL_SETTLE, ROLECALL_TIMEOUT, ROLECALL_FAIL_ON,
  ROLECALL_REQUIRE_ALL_SOURCES, ROLECALL_ALLOW_PARTIAL, ROLECALL_COLOR,
  ROLECALL_LOG_FORMAT      what the flag of that name says; a flag beats its
                           variable, a variable the config. There are no others:
                           what is looked at is never decided by a variable
  XDG_CONFIG_HOME          where rolecall/rolecall.yaml is looked for, after the
                           folders from here upward
  XDG_CACHE_HOME           where answers of GitHub are cached
  ROLECALL_STATE           the state folder of runs, as --state; it is set for a
                           job, with ROLECALL_ROLE and ROLECALL_RUN_ID
  XDG_STATE_HOME           where rolecall/ holds the runs of who is not root
  ROLECALL_PING_URL        a monitor that rolecall run and audit tell of start and
                           end, as --ping; ROLECALL_PING_START_URL, _SUCCESS_URL,
                           _FAIL_URL and _LOG_URL as --ping-start and so on; a job
                           does not get them
  ROLECALL_TEXTFILE_DIR    where rolecall run leaves metrics, as --textfile
  ROLECALL_STOP_TIMEOUT    how long whoever stops run or drain waits before the
                           kill, like 90s; they warn where that is too short
  ROLECALL_PROMETHEUS_TOKEN, or ROLECALL_PROMETHEUS_USER and _PASSWORD
                           who asks the Prometheus of the config or of
                           --prometheus; they are sent to no other server
  KUBECONFIG               as kubectl reads it
  GH_TOKEN, GITHUB_TOKEN   token for github.com
  GH_HOST                  another GitHub server
  GH_ENTERPRISE_TOKEN      token for that one
  GITHUB_STEP_SUMMARY      the file that -o github adds its tables to
  ROLECALL_SLOW            1 leaves out what only saves time or requests: the
                           same answers come more slowly
  NO_COLOR                 no colour, whatever its value
  HTTPS_PROXY, NO_PROXY    as usual

No token is ever taken as the value of a flag, nor printed.`

const markersText = `An object says which role it plays, strongest first:

  kubernetes   annotation on the CronJob
                 rolecall/role: retry
                 rolecall/version: "7"
  crontab      comment above the entry; comment and environment lines may stand
               between, a blank line ends it
                 # rolecall: role=retry version=7
               also read: #Ansible: NAME, # Puppet Name: NAME, # Name: NAME
  github       the same comment above one - cron: line (that entry), or above
               on: or name: or at the head of the file (the whole workflow)

The version may be left out; then it is not compared.

An object without a marker can be claimed by a role's match in the ledger:
  crontab      user, command, file, schedule
  github       repo, workflow, cron
  kubernetes   namespace, name, labels
A value is exact, or a glob with * and ?. An object that two roles match is
ambiguous, and satisfies neither. Likeness of text never counts.`
