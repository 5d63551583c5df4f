package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manualPage is the manual page of a command, or of a page of the help, in the
// language of man(7). Its date is the commit's, so that one commit gives one page.
func manualPage(cmd *cobra.Command, from built) []byte {
	var r roff
	section := pageSection(cmd)
	r.request("TH", strings.ToUpper(pageName(cmd)), fmt.Sprint(section), from.CommitTime[:min(len(from.CommitTime), len(time.DateOnly))], "rolecall "+from.Version, "Scheduled jobs")
	r.request("SH", "NAME")
	r.line(pageName(cmd) + ` \- ` + roffText(cmd.Short))
	if section == 1 {
		r.request("SH", "SYNOPSIS")
		r.literal(synopsis(cmd))
	}
	r.section("DESCRIPTION", cmd.Long)
	r.section("EXAMPLES", cmd.Example)
	if section == 1 { // a page of the help takes no flags
		r.flags("OPTIONS", cmd.NonInheritedFlags())
		r.flags("OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	}
	r.request("SH", "SEE ALSO")
	r.line(strings.Join(related(cmd), ", "))
	return []byte(r.String())
}

// synopsis is how a command is called: itself where it does something, and with
// a word of its own for each command below it.
func synopsis(cmd *cobra.Command) string {
	if !cmd.HasAvailableSubCommands() {
		return cmd.UseLine()
	}
	return cmd.CommandPath() + " COMMAND [flags]"
}

// related are the pages above and below, with their sections.
func related(cmd *cobra.Command) []string {
	var out []string
	add := func(c *cobra.Command) {
		out = append(out, fmt.Sprintf(`\fB%s\fR(%d)`, roffText(pageName(c)), pageSection(c)))
	}
	if cmd.HasParent() {
		add(cmd.Parent())
	}
	for _, c := range cmd.Commands() {
		if !c.Hidden && c.Name() != "help" {
			add(c)
		}
	}
	return out
}

// roff is a text in the language of man(7).
type roff struct{ strings.Builder }

func (r *roff) line(s string) { r.WriteString(s + "\n") }

// request is a line that begins with a dot; its words are quoted. A hyphen stays
// one, or .TH would not know its date.
func (r *roff) request(name string, words ...string) {
	r.WriteString("." + name)
	for _, w := range words {
		r.WriteString(` "` + strings.NewReplacer(`\`, `\e`, `"`, `\(dq`).Replace(w) + `"`)
	}
	r.WriteString("\n")
}

// section is a heading with a text that is laid out already.
func (r *roff) section(heading, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		r.request("SH", heading)
		r.literal(text)
	}
}

// literal is a text whose lines are kept.
func (r *roff) literal(text string) {
	r.request("nf")
	for line := range strings.SplitSeq(text, "\n") {
		r.line(roffLine(line))
	}
	r.request("fi")
}

func (r *roff) flags(heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	r.request("SH", heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, about := pflag.UnquoteUsage(f)
		r.request("TP")
		r.line(roffLine(strings.TrimSpace(optionName(f) + " " + value)))
		r.line(roffLine(about))
	})
}

func optionName(f *pflag.Flag) string {
	if f.Shorthand != "" {
		return "-" + f.Shorthand + ", --" + f.Name
	}
	return "--" + f.Name
}

// roffText escapes what means something within a line: the escape character
// itself, and the hyphen, which would become a typographic one that nobody can
// search for or paste.
func roffText(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "’", `\(cq`).Replace(s)
}

// roffLine escapes a line of text also where a line must not begin with a dot or
// a quote, and where an empty one would be a paragraph's end.
func roffLine(s string) string {
	s = roffText(strings.TrimRight(s, " "))
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	if s == "" {
		return `\&`
	}
	return s
}
