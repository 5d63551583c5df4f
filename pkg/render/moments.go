package render

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/moments"
)

// MomentsJSON writes what is not the same at two moments, with every key, and no
// list as null.
func MomentsJSON(w io.Writer, d moments.Diff) error { return document(w, d) }

// MomentsText shows it to people; what differs only in looks with Verbose.
func MomentsText(w io.Writer, d moments.Diff, opts TextOptions) error {
	p := &page{w: w, width: opts.Width, color: opts.Color}
	if !opts.Quiet {
		p.wrapped(0, "before:", "", momentWords(d.Before))
		p.wrapped(0, "after: ", "", momentWords(d.After))
		p.line("")
		shown := false
		for _, c := range d.Changes {
			shown = p.moment(c, opts.Verbose > 0) || shown
		}
		if shown {
			p.line("")
		}
		p.unreadParts(d)
	}
	p.line(p.momentsVerdict(d))
	return p.err
}

func momentWords(m moments.Moment) string {
	at := "at a time that it does not say"
	if !m.At.IsZero() {
		at = m.At.UTC().Format(time.RFC3339)
	}
	return Escape(m.Name) + ", " + at
}

// moment shows a change, and says whether there was something to show.
func (p *page) moment(c moments.Change, verbose bool) bool {
	var fields []moments.Field
	for _, f := range c.Fields {
		if verbose || !f.Cosmetic {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 && c.Kind == moments.Changed {
		return false
	}
	text := Escape(c.ID)
	if c.Role != "" {
		text += " (role " + Escape(c.Role) + ")"
	}
	if c.Kind != moments.Changed && c.Kind != moments.Deactivated && c.Kind != moments.Activated {
		text += ": " + Escape(c.State)
		if c.Schedule != "" {
			text += ", " + Escape(c.Schedule)
		}
	}
	p.wrapped(0, kindLabel(c.Kind), kindLook(c.Kind), text)
	for _, f := range fields {
		p.wrapped(4, Escape(f.Path)+":", "", momentField(f))
	}
	if c.Counterpart != "" {
		p.wrapped(4, "perhaps the same as:", "", Escape(c.Counterpart))
	}
	if c.Reason != "" {
		p.wrapped(4, "not known:", "", Escape(c.Reason))
	}
	if at := c.Location.String(); at != "" {
		p.wrapped(4, "seen at:", "", Escape(at))
	}
	return true
}

func momentField(f moments.Field) string {
	before, after := Escape(f.Before), Escape(f.After)
	text := shown(before) + " → " + shown(after)
	if f.Masked && before == after {
		text = before + " (what is masked differs)"
	}
	if f.Cosmetic {
		text += " (no change in what it does)"
	}
	return text
}

func kindLabel(k moments.Kind) string {
	switch k {
	case moments.UnseenAfter:
		return "not seen after"
	case moments.UnseenFirst:
		return "not seen before"
	}
	return string(k)
}

func kindLook(k moments.Kind) string {
	switch k {
	case moments.Vanished, moments.Deactivated:
		return red
	case moments.Appeared, moments.Activated:
		return green
	}
	return yellow
}

func (p *page) unreadParts(d moments.Diff) {
	if len(d.Coverage) == 0 {
		return
	}
	p.line("could not be compared")
	for _, c := range d.Coverage {
		where := Escape(c.Source)
		if c.Part != "" {
			where += ", " + Escape(c.Part)
		}
		text := fmt.Sprintf("%s before, %s after", c.Before, c.After)
		if c.Reason != "" {
			text += ": " + Escape(c.Reason)
		}
		p.wrapped(2, where+":", "", text)
	}
	p.line("")
}

// momentsVerdict is the last line. It is green only where all was seen.
func (p *page) momentsVerdict(d moments.Diff) string {
	var parts []string
	for _, k := range moments.Kinds {
		if n := d.Summary[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kindLabel(k)))
		}
	}
	compared := plural(d.Compared, "object")
	switch {
	case d.Same && d.Complete:
		return p.paint(green, "same: ") + compared + " at both moments, and every part was read at both"
	case d.Same:
		parts = append([]string{"no difference in what was read at both moments"}, parts...)
		return p.paint(yellow, "incomplete: ") + strings.Join(parts, ", ") + "; " + compared + " compared"
	case !d.Complete:
		parts = append(parts, "not all could be compared")
	}
	return p.paint(red, "differences: ") + strings.Join(parts, ", ") + "; " + compared + " compared"
}
