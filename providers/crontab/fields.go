package crontab

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// timeFields cuts the five fields, or the one word after an @, off a line.
func timeFields(text string) (fields, rest string) {
	n := 5
	if strings.HasPrefix(text, "@") {
		n = 1
	}
	rest = text
	for range n {
		rest = skipBlanks(rest)
		i := wordEnd(rest)
		if i == 0 {
			return "", ""
		}
		rest = rest[i:]
	}
	return text[:len(text)-len(rest)], skipBlanks(rest)
}

// skipBlanks and wordEnd do by bytes what strings does by sets of runes, several
// times for each of a million lines.
func skipBlanks(s string) string {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return s[i:]
}

// wordEnd is where the first word of a text ends.
func wordEnd(s string) int {
	i := 0
	for i < len(s) && s[i] != ' ' && s[i] != '\t' {
		i++
	}
	return i
}

// cutField cuts the first word off.
func cutField(s string) (word, rest string) {
	i := wordEnd(s)
	return s[:i], skipBlanks(s[i:])
}

// schedule reads time fields, each text once. What is kept of the text is no part of
// the table's, which would be held with it.
func (g *grammar) schedule(e *entry, fields string) (refused string) {
	written := oneBlank(fields)
	var room [128]byte
	key := append(strconv.AppendBool(append(append(room[:0], g.zone...), 0), g.zoned), written...)
	r, ok := g.schedules[string(key)]
	if !ok {
		if reason, ok := g.refusals[string(key)]; ok {
			return reason
		}
		s, err := scheduleIn(g.dialect, strings.Clone(written), g.zone, g.own, g.zoned)
		if err != nil {
			g.refusals[string(key)] = err.Error()
			return err.Error()
		}
		r = &reading{schedules: []specs.Schedule{s.Settled()}, warnings: s.Warnings()}
		g.schedules[string(key)] = r
	}
	e.schedules, e.warnings, e.written = r.schedules, r.warnings, r.schedules[0].Text
	return ""
}

// scheduleIn reads a schedule in a zone, which may be the daemon's own, also where
// a line names it.
func scheduleIn(d specs.Dialect, text, zone, own string, zoned bool) (specs.Schedule, error) {
	s, err := parseSchedule(d, text, zone)
	name, bad := specs.CanonicalZone(own)
	switch {
	case err != nil || bad != nil || name != s.Zone:
	case zoned:
		s = s.OfDaemonByName()
	default:
		s = s.OfDaemon()
	}
	return s, err
}

// parseSchedule keeps a fault of the parser from taking the audit down.
func parseSchedule(d specs.Dialect, text, zone string) (s specs.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("schedule %q cannot be read: %v; report it as a fault of rolecall", text, r)
		}
	}()
	return specs.ParseSchedule(d, text, zone)
}

// oneBlank is the text with single spaces between its fields; the text itself
// where it is so already.
func oneBlank(fields string) string {
	for i := 0; i < len(fields); i++ {
		if fields[i] == '\t' || fields[i] == ' ' && (i+1 == len(fields) || fields[i+1] == ' ' || fields[i+1] == '\t') {
			return strings.Join(strings.FieldsFunc(fields, func(r rune) bool { return r == ' ' || r == '\t' }), " ")
		}
	}
	return fields
}

// validZone says whether the schedules of a dialect can have a zone.
func validZone(d specs.Dialect, zone string) bool {
	_, err := parseSchedule(d, "0 0 * * *", zone)
	return err == nil
}
