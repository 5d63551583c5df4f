package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
)

// mostAnnotations is how many of one level GitHub shows of one step.
const mostAnnotations = 10

// GitHub writes a report as workflow commands, each an annotation at the role in
// the ledger or at the object: findings by their severity, what could not be read
// as warnings, notes as notices. Of each level as many are written as GitHub
// shows, the worst first; the line before the verdict says what was left off.
// Waived findings are only counted. In a line that is no command stands no text
// that a scheduler could have given.
func GitHub(place Place) Func {
	return func(w io.Writer, r report.Report) error {
		p := page{w: w}
		r = r.Tidy()
		var left []string
		all := annotations(place, r)
		for _, level := range []string{"error", "warning", "notice"} {
			of := all[level]
			for _, a := range of[:min(len(of), mostAnnotations)] {
				p.command(a.command(level))
			}
			if n := len(of) - mostAnnotations; n > 0 {
				left = append(left, plural(n, level))
			}
		}
		if len(left) > 0 {
			p.line(fmt.Sprintf("rolecall: not annotated: %s, since GitHub shows %d of a level in one step", strings.Join(left, ", "), mostAnnotations))
		}
		p.line("rolecall: " + Escape(string(r.Verdict)) + ": " + sentence(r))
		return p.err
	}
}

// annotation is one remark at a place, with its texts escaped for a terminal.
type annotation struct {
	at    specs.Pos // empty if it cannot be opened in the checkout
	title string
	lines []string
}

// annotations are all that a report has to say, by level and in their order.
func annotations(place Place, r report.Report) map[string][]annotation {
	out := map[string][]annotation{}
	add := func(level string, a annotation) { out[level] = append(out[level], a) }
	for _, c := range r.Coverage {
		if c.Gap() {
			add("warning", annotation{title: "could not be read: " + Escape(c.Source), lines: []string{gapWords(c)}})
		}
	}
	for _, f := range bySeverity(r.Findings) {
		if f.Waived() {
			continue
		}
		a := annotation{title: kindWords(f) + ": " + short(about(f), valueRoom), lines: words(f)}
		add(commandOf(f.Severity), a.place(place, f.Location, f.ObservedAt))
	}
	for _, n := range r.Notes {
		a := annotation{title: "note " + Escape(n.Code), lines: []string{short(n.Message, messageRoom)}}
		if n.Source != "" {
			a.title += ": " + Escape(n.Source)
		}
		add("notice", a.place(place, n.Location))
	}
	return out
}

// commandOf is the workflow command of a severity.
func commandOf(severity string) string {
	if severity == "note" {
		return "notice"
	}
	return severity
}

// place sets an annotation at the first place that is in the checkout, and says
// the others.
func (a annotation) place(p Place, places ...specs.Pos) annotation {
	last := specs.Pos{}
	for _, at := range places {
		path, ok := p.below(at.File)
		switch {
		case at.File == "" || at == last:
			continue
		case ok && a.at.File == "":
			a.at = specs.Pos{File: path, Line: at.Line}
		default:
			a.lines = append(a.lines, "at: "+short(at.String(), valueRoom))
		}
		last = at
	}
	return a
}

// command is the line that the runner reads: properties and data are escaped as
// it reads them (ActionCommand.UnescapeProperty and UnescapeData).
func (a annotation) command(level string) string {
	var props []string
	if a.at.File != "" {
		props = append(props, "file="+property(escapeLines(a.at.File)))
		if a.at.Line > 0 {
			props = append(props, "line="+strconv.Itoa(a.at.Line))
		}
	}
	props = append(props, "title="+property(a.title))
	return "::" + level + " " + strings.Join(props, ",") + "::" + data(strings.Join(a.lines, "\n"))
}

// escapeLines is Escape but for line breaks: a property encodes them, and the
// runner finds the file by its name.
func escapeLines(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, "\r\n")
		if i < 0 {
			return b.String() + Escape(s)
		}
		b.WriteString(Escape(s[:i]) + s[i:i+1])
		s = s[i+1:]
	}
}

func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// command writes a workflow command, which a line of text never is.
func (p *page) command(s string) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, s)
	}
}
