package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/rolecall-dev/rolecall/pkg/ping"
	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/pkg/runs"
)

// pingFlags are those of an outside monitor.
type pingFlags struct {
	urls    ping.URLs
	timeout time.Duration
	output  int
}

// pingVariables are those that can give the addresses, by their flags.
var pingVariables = [][2]string{
	{"ping", "ROLECALL_PING_URL"}, {"ping-start", "ROLECALL_PING_START_URL"}, {"ping-success", "ROLECALL_PING_SUCCESS_URL"},
	{"ping-fail", "ROLECALL_PING_FAIL_URL"}, {"ping-log", "ROLECALL_PING_LOG_URL"},
}

func (f *pingFlags) bind(cmd *cobra.Command) {
	fs := cmd.Flags()
	into := f.fields(&f.urls)
	says := []string{
		"tell the monitor at this address, as Healthchecks reads it: /start, then it, /EXIT-CODE or /log, with rid=UUID (better in $ROLECALL_PING_URL: ps shows flags)",
		"an address of its own for starts; {role}, {rid} and {exit} in it are filled in", "an address of its own for successes",
		"an address of its own for failures", "an address of its own for what is skipped",
	}
	for i, v := range pingVariables {
		fs.StringVar(into[i], v[0], "", says[i])
	}
	fs.DurationVar(&f.timeout, "ping-timeout", ping.DefaultTimeout, "how long telling the monitor of the start, and of the end, may take each")
}

func (f *pingFlags) fields(u *ping.URLs) []*string {
	return []*string{&u.Base, &u.Start, &u.Success, &u.Fail, &u.Log}
}

func (f *pingFlags) bindOutput(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.output, "ping-output", 10000, "how many bytes of the end of its output a monitor gets of a run that failed, what may be secret masked; 0 for none")
}

// check finds what is wrong with the flags.
func (f *pingFlags) check() error {
	if f.timeout <= 0 || f.output < 0 {
		return errors.New("--ping-timeout must be more than nothing, and --ping-output not less")
	}
	return f.urls.Check()
}

// addresses are those of the flags; else of the variable that a ledger names,
// which gives a base; else of the variables that the flags have. What a variable
// gives and is no address is said, and is none: it must not keep a job from
// running.
func (a *app) addresses(f *pingFlags, named string) ping.URLs {
	if !f.urls.IsZero() {
		return f.urls
	}
	if named != "" {
		u := ping.URLs{Base: a.getenv(named)}
		if err := u.Check(); err != nil {
			a.say("$" + named + ": " + err.Error() + "; no monitor is told")
			return ping.URLs{}
		}
		if !u.IsZero() {
			return u
		}
	}
	var u ping.URLs
	for i, into := range f.fields(&u) {
		*into = a.getenv(pingVariables[i][1])
	}
	if err := u.Check(); err != nil {
		a.say("$ROLECALL_PING_URL and its like: " + err.Error() + "; no monitor is told")
		return ping.URLs{}
	}
	if u.IsZero() && named != "" {
		a.say("the ledger names $" + named + " for the address of the monitor, and it is not set; no monitor is told")
	}
	return u
}

// withoutPings is an environment without the addresses of monitors: who has one
// can say that all is well.
func withoutPings(env []string, named string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return name == named && named != "" || slices.ContainsFunc(pingVariables, func(v [2]string) bool { return v[1] == name })
	})
}

// noticeMargin lets a ping that was given up say so itself.
const noticeMargin = 500 * time.Millisecond

// notices tells a monitor of a run; nil where none is named. The run's budget
// for them is set.
func (a *app) notices(f *pingFlags, p *runs.Plan, u ping.URLs, token string) runs.Notices {
	if u.IsZero() {
		return nil
	}
	s, err := ping.New(u, "rolecall/"+version())
	if err != nil {
		a.say(err.Error() + "; no monitor is told")
		return nil
	}
	p.Budgets.Notice = f.timeout + noticeMargin
	var once sync.Once
	warn := func(text string) { once.Do(func() { a.say(text) }) }
	return &pinger{Run: &ping.Run{Sender: s, Timeout: f.timeout, Warn: warn}, token: token, keep: f.output, env: p.Env}
}

// pinger makes pings of a run's events.
type pinger struct {
	*ping.Run
	token string // stands for the id of a run that is not recorded
	keep  int
	env   []string
}

func (p *pinger) about(e runs.Event) ping.Ping {
	id := e.RunID
	if id == "" {
		id = p.token
	}
	return ping.Ping{Role: e.Role, RID: ping.RID(e.Role + "/" + id)}
}

// Begin starts to tell of the start.
func (p *pinger) Begin(e runs.Event) {
	about := p.about(e)
	about.Kind = ping.Start
	p.Run.Begin(about)
}

// End starts to tell of the end.
func (p *pinger) End(e runs.Event) <-chan struct{} {
	about := p.about(e)
	about.Kind = pingKind(e)
	if about.Kind == ping.Fail {
		about.Exit = e.ExitCode
	}
	return p.Run.End(about, func() []byte { return p.body(about.Kind, e) })
}

// pingKind is what an end means to a monitor. A run of which no record says how it
// ended was a success only if it needs none: then its exit code is 0.
func pingKind(e runs.Event) ping.Kind {
	switch {
	case e.State == runs.Skipped:
		return ping.Log
	case e.State == runs.Completed, e.State == "" && e.ExitCode == 0:
		return ping.Success
	}
	return ping.Fail
}

func (p *pinger) body(k ping.Kind, e runs.Event) []byte {
	text := e.Role + " " + e.RunID + ": " + string(e.State)
	if e.State == "" {
		text = e.Role + ": not recorded"
	}
	if e.Cause != "" && e.Cause != runs.CauseExit {
		text += " (" + e.Cause + ")"
	}
	text += fmt.Sprintf(", exit code %d", e.ExitCode)
	if e.Duration > 0 {
		text += ", after " + e.Duration.Round(time.Millisecond).String()
	}
	text += "\n"
	if k == ping.Fail && p.keep > 0 {
		text += p.ending("stderr", e.ErrLog) + p.ending("stdout", e.OutLog)
	}
	return []byte(text)
}

// tailRead is how much of an output is read to be masked before it is cut: what
// a cut goes through cannot be told for a secret.
const tailRead = 64 << 10

// ending is the end of one output, from the beginning of a line.
func (p *pinger) ending(name, file string) string {
	text := p.mask(tailOf(file, tailRead))
	if most := p.keep / 2; len(text) > most {
		text = wholeLines(text[len(text)-most:])
	}
	if text == "" {
		return ""
	}
	return "\n" + name + ", its end:\n" + strings.TrimRight(text, "\n") + "\n"
}

// mask hides what looks like a secret, and the values of the job's environment
// that are none that is known to be harmless.
func (p *pinger) mask(text string) string {
	for _, e := range p.env {
		name, value, _ := strings.Cut(e, "=")
		if len(value) >= 8 && redact.EnvValue(name, value) == redact.Mask && unlikely(value) {
			text = strings.ReplaceAll(text, value, redact.Mask)
		}
	}
	text = redact.Text(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// unlikely says that a value stands in a text by no chance: it is no path and no
// plain word.
func unlikely(value string) bool {
	return !strings.HasPrefix(value, "/") && strings.ContainsFunc(value, unicode.IsDigit)
}

// wholeLines leaves out a first line that was cut.
func wholeLines(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// tailOf reads the end of a file, from the beginning of a line; empty where it
// cannot be read.
func tailOf(name string, size int64) string {
	if name == "" {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	from := max(info.Size()-size, 0)
	data, err := io.ReadAll(io.NewSectionReader(f, from, size))
	if err != nil {
		return ""
	}
	if from > 0 {
		return wholeLines(string(data))
	}
	return string(data)
}
