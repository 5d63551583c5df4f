package alerts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// plain is a text in one line without control characters and without what turns
// or hides text; a byte that is no UTF-8 is \xNN.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += n
	}
	return b.String()
}

// inert is a text that Prometheus, which takes labels and annotations as
// templates, shows as it is, but for the slots. Each brace is its own, so that two
// that meet make no template either.
func inert(s string) string { return inertBut(s, 0) }

// inertBut is inert of a text without the marks of the first slots.
func inertBut(s string, done int) string {
	if done == len(slots) {
		return strings.ReplaceAll(plain(s), "{", `{{"{"}}`)
	}
	parts := strings.Split(s, slots[done].mark)
	for i := range parts {
		parts[i] = inertBut(parts[i], done+1)
	}
	return strings.Join(parts, slots[done].template)
}

// shown is what Prometheus makes of an inert text of an alert with some labels.
func shown(s string, value int64, labels map[string]string) string {
	for _, slot := range slots {
		fill := escaped(labels[slot.label])
		if slot.mark == age {
			fill = humanize(value)
		}
		s = strings.ReplaceAll(s, slot.template, fill)
	}
	return strings.ReplaceAll(s, `{{"{"}}`, "{")
}

// humanize is humanizeDuration of Prometheus' templates for whole seconds
// (template/template.go).
func humanize(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	d, h, m, s := n/86400, n/3600%24, n/60%60, n%60
	switch {
	case d > 0:
		return fmt.Sprintf("%s%dd %dh %dm %ds", sign, d, h, m, s)
	case h > 0:
		return fmt.Sprintf("%s%dh %dm %ds", sign, h, m, s)
	case m > 0:
		return fmt.Sprintf("%s%dm %ds", sign, m, s)
	}
	return fmt.Sprintf("%s%ds", sign, s)
}

// words is a duration for people, without parts that are zero.
func words(d time.Duration) string {
	n := wholeSeconds(d)
	var out []string
	for _, u := range []struct {
		seconds int64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}} {
		if n >= u.seconds {
			out = append(out, strconv.FormatInt(n/u.seconds, 10)+u.name)
			n %= u.seconds
		}
	}
	if len(out) == 0 {
		return "0s"
	}
	return strings.Join(out, " ")
}

// promDuration is a duration as Prometheus reads it; empty for none.
func promDuration(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return strings.ReplaceAll(words(d), " ", "")
}

// promQuote is a string of PromQL, which has the escapes of Go.
func promQuote(s string) string { return strconv.Quote(plain(s)) }

// metricName is a selector without its labels.
func metricName(selector string) string {
	name, _, _ := strings.Cut(selector, "{")
	return name
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

func equals(series string, value int) string {
	return fmt.Sprintf("max(%s) == %d", series, value)
}
