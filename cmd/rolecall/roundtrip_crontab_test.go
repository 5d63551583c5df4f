package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// jobLine takes a line of a crontab apart: what stands in front, the schedule,
// blanks, and the rest.
var jobLine = regexp.MustCompile(`^([ \t]*)(@[^ \t]+|(?:[^ \t]+[ \t]+){4}[^ \t]+)([ \t]+)(.*)$`)

// userColumn takes the rest apart where the table has one.
var userColumn = regexp.MustCompile(`^([^ \t]+)([ \t]+)(.*)$`)

type crontabJob struct{ indent, schedule, gap, user, userGap, command string }

func (j crontabJob) String() string {
	return j.indent + j.schedule + j.gap + j.user + j.userGap + j.command
}

// crontabText is a table as lines, of which each keeps its newline.
type crontabText struct {
	lines  []string
	system bool
}

func readCrontabText(d specs.Dialect, name, text string) crontabText {
	dir := path.Base(path.Dir(name))
	c := crontabText{lines: strings.SplitAfter(text, "\n")}
	if d == specs.Debian || d == specs.Cronie {
		c.system = dir == "cron.d" || dir == "etc" && path.Base(name) == "crontab"
	}
	return c
}

// job is what stands on a line, counted from 1.
func (c crontabText) job(line int) (crontabJob, bool) {
	m := jobLine.FindStringSubmatch(strings.TrimSuffix(c.lines[line-1], "\n"))
	if m == nil {
		return crontabJob{}, false
	}
	j := crontabJob{indent: m[1], schedule: m[2], gap: m[3], command: m[4]}
	if c.system {
		m := userColumn.FindStringSubmatch(j.command)
		if m == nil {
			return crontabJob{}, false
		}
		j.user, j.userGap, j.command = m[1], m[2], m[3]
	}
	return j, true
}

// set replaces lines by one text.
func (c crontabText) set(first, last int, text string) string {
	return strings.Join(c.lines[:first-1], "") + text + strings.Join(c.lines[last:], "")
}

// put replaces the text of a line and keeps how it ends.
func (c crontabText) put(line int, text string) string {
	return c.set(line, line, text+c.ending(line))
}

func (c crontabText) ending(line int) string {
	if strings.HasSuffix(c.lines[line-1], "\n") {
		return "\n"
	}
	return ""
}

// markedCrontab puts a marker above each entry that has none.
func markedCrontab(r *trial) (string, bool) {
	c := readCrontabText(specs.Debian, r.rel, r.text)
	at := map[int]bool{}
	for _, s := range r.subjects {
		if !s.Marker().Present() {
			at[s.Pos.Line] = true
		}
	}
	var b strings.Builder
	for i, line := range c.lines {
		if at[i+1] {
			fmt.Fprintf(&b, "# rolecall: role=line-%d version=3\n", i+1)
		}
		b.WriteString(line)
	}
	return b.String(), len(at) > 0
}

// crontabChange is one object of a table that is to be changed.
type crontabChange struct {
	*trial
	*subject
	crontabText
	kind string // in front of the names of changes
	line int
	job  crontabJob
}

func mutateCrontab(r *trial, kind string) {
	c := readCrontabText(r.dialect, r.main, r.files[r.main])
	for _, s := range r.subjects {
		if s.guilty() {
			r.skip(kind + "the line that takes the file down")
			continue
		}
		j, ok := c.job(s.Pos.Line)
		m := crontabChange{r, s, c, kind, s.Pos.Line, j}
		switch {
		case s.has("commented-out"):
			m.uncomment()
		case !ok || strings.Join(strings.Fields(j.schedule), " ") != s.Spec.Written():
			r.skip(kind + "a line of another form")
		default:
			m.presence()
			m.times()
			m.commands()
			if s.Marker().Present() {
				m.marks()
			}
		}
	}
	mutateTable(r, c, kind)
}

func (s *subject) has(code string) bool {
	for _, in := range s.Inactive() {
		if in.Code == code {
			return true
		}
	}
	return false
}

// guilty says that the object's own line keeps a whole file from being loaded:
// what becomes of the others when that line changes is another question.
func (s *subject) guilty() bool {
	for _, in := range s.Inactive() {
		if strings.Contains(in.Detail, s.Pos.String()+":") && in.Code != "commented-out" {
			return true
		}
	}
	return false
}

// first is the first line of what belongs to the object.
func (m crontabChange) first() int {
	if m.Marker().Present() {
		return m.Marker().Pos.Line
	}
	return m.line
}

func (m crontabChange) text() string { return m.lines[m.line-1] }

// gone is what is found where a match no longer means the object.
func (s *subject) gone() []string {
	return []string{"missing " + s.role + " not-there", "unexpected no-role"}
}

func (s *subject) missing() string { return "missing " + s.role + " not-there" }

// drift is what is found where fields differ.
func (s *subject) drift(fields ...string) string {
	if s.pinned {
		fields = []string{"hash"}
	}
	return "drift " + s.role + " edited-without-version: " + strings.Join(fields, ", ")
}

// twoTimes is a text of whole lines two times, ending as it does.
func twoTimes(lines string) string { return strings.TrimSuffix(lines, "\n") + "\n" + lines }

func (m crontabChange) presence() {
	if m.Marker().Present() {
		rest := strings.Join(m.lines[m.first():m.line-1], "")
		m.edit(m.kind+"delete", m.set(m.first(), m.line, rest), m.missing())
		whole := strings.Join(m.lines[m.first()-1:m.line], "")
		m.edit(m.kind+"duplicate", m.set(m.first(), m.line, twoTimes(whole)), "duplicate "+m.role+" several-objects")
	} else {
		m.edit(m.kind+"delete", m.set(m.line, m.line, ""), m.missing())
		m.edit(m.kind+"duplicate", m.set(m.line, m.line, twoTimes(m.text())), "duplicate "+m.role+" several-objects")
	}
	off := m.put(m.line, "#"+m.job.String())
	switch {
	case !m.Marker().Present():
		m.edit(m.kind+"comment out", off, m.missing())
	case m.asleep && !m.never:
		m.edit(m.kind+"comment out", off)
	default:
		want := []string{"inactive " + m.role + " commented-out"}
		if m.never {
			want = nil
		}
		m.edit(m.kind+"comment out", off, want...)
	}
}

// marks changes what the marker says.
func (m crontabChange) marks() {
	line := m.lines[m.Marker().Pos.Line-1]
	with := func(old, new string) string {
		return m.set(m.Marker().Pos.Line, m.Marker().Pos.Line, strings.Replace(line, old, new, 1))
	}
	m.edit(m.kind+"another role", with(m.role, "who"), m.missing(), "unexpected unknown-role")
	if m.Marker().Version == "3" {
		m.edit(m.kind+"a later version", with("=3", "=10"), "drift "+m.role+" ahead: version")
		m.edit(m.kind+"an earlier version", with("=3", "=2.9"), "drift "+m.role+" behind: version")
		m.edit(m.kind+"no version", with("version=3", ""))
	}
}

// uncomment brings back what was commented out under its marker.
func (m crontabChange) uncomment() {
	if len(m.Inactive()) > 1 || m.Spec.NeverFires() {
		m.skip(m.kind + "uncomment")
		return
	}
	on := m.put(m.line, strings.TrimLeft(strings.TrimSuffix(m.text(), "\n"), "# \t"))
	m.edit(m.kind+"uncomment", on, "drift "+m.role+" active-though-suspended: state")
}

// withSchedule is the file with another schedule on the line.
func (m crontabChange) withSchedule(text string) string {
	j := m.job
	j.schedule = text
	return m.put(m.line, j.String())
}

func (m crontabChange) times() {
	_, byText := m.match["schedule"]
	other := func(name, text string) {
		switch {
		case byText:
			m.edit(m.kind+name+", matched by its text", m.withSchedule(text), m.gone()...)
		case m.never:
			m.edit(m.kind+name, m.withSchedule(text), m.drift("state", "schedule"))
		default:
			m.edit(m.kind+name, m.withSchedule(text), m.drift("schedule"))
		}
	}
	other("schedule by meaning", "41 7 11 3 *")
	if text, ok := nearby(m.job.schedule); ok && !m.never && !strings.Contains(strings.Join(m.lines, ""), text) {
		other("schedule by one step", text)
	}
	var same []sameTime
	if m.dialect == specs.Debian {
		same = sameTimes(specs.Debian, m.job.schedule)
	}
	for _, v := range same {
		name := m.kind + "schedule by text: " + v.how
		if byText && !v.blanks {
			m.edit(name+", matched by its text", m.withSchedule(v.text), m.gone()...)
			continue
		}
		m.edit(name, m.withSchedule(v.text))
	}
	if byText || m.asleep {
		return
	}
	m.edit(m.kind+"never fires", m.withSchedule("0 0 31 2 *"), "inactive "+m.role+" never-fires", m.drift("schedule"))
}

func (m crontabChange) commands() {
	j := m.job
	if j.command == "" || strings.HasPrefix(j.command, "%") || len(j.command) > 900 {
		m.skip(m.kind + "edit command")
		return
	}
	j.command = "nice " + j.command
	pattern, byText := m.match["command"]
	switch {
	case byText && strings.ContainsAny(pattern, "*?"):
		m.skip(m.kind + "edit command")
	case byText:
		m.edit(m.kind+"edit command, matched by it", m.put(m.line, j.String()), m.gone()...)
	default:
		m.edit(m.kind+"edit command", m.put(m.line, j.String()), m.drift("command"))
	}
	if i := strings.Index(m.job.command, "%"); i > 0 && m.dialect == specs.Debian && m.job.command[i-1] != '\\' {
		j = m.job
		j.command += "x"
		m.edit(m.kind+"edit standard input", m.put(m.line, j.String()), m.drift("stdin"))
	}
	if _, byUser := m.match["user"]; m.system && !byUser {
		j = m.job
		j.user += "2"
		m.edit(m.kind+"edit user", m.put(m.line, j.String()), m.drift("user"))
	}
}

// mutateTable changes what is around the entries.
func mutateTable(r *trial, c crontabText, kind string) {
	text, user := r.files[r.main], ""
	if c.system {
		user = "root "
	}
	stranger := "17 3 9 9 * " + user + "/opt/other/job\n"
	r.edit(kind+"a stranger", stranger+text, "unexpected no-role")
	r.edit(kind+"a stranger with a marker", "# rolecall: role=who.is.this\n"+stranger+text, "unexpected unknown-role")
	r.edit(kind+"comments and blank lines", "# something\n\n"+text)
	r.edit(kind+"another MAILTO", "MAILTO=ops\n"+text)
	if len(r.twins) == 1 && r.twins[0][1].Marker().Role == "" {
		line := r.twins[0][1].Pos.Line
		usual := r.usual
		r.usual = slices.DeleteFunc(slices.Clone(usual), func(l string) bool { return strings.HasPrefix(l, "duplicate ") })
		r.edit(kind+"delete one of two", c.set(line, line, ""))
		r.usual = usual
	}
	for i, line := range c.lines {
		if name, ok := heldSetting(line); ok && r.dialect == specs.Debian {
			r.editSetting(c, kind, name, i+1)
		}
	}
}

var settingLine = regexp.MustCompile(`^[ \t]*(PATH|SHELL|HOME)[ \t]*=.*\n`)

// heldSetting is the name of a setting that the spec of an entry holds.
func heldSetting(line string) (string, bool) {
	m := settingLine.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// editSetting changes one setting, which counts down to the next of its name.
func (r *trial) editSetting(c crontabText, kind, name string, line int) {
	end := len(c.lines) + 1
	for i := line; i < len(c.lines); i++ {
		if next, ok := heldSetting(c.lines[i]); ok && next == name {
			end = i + 1
			break
		}
	}
	var want []string
	for _, s := range r.subjects {
		if s.Pos.Line > line && s.Pos.Line < end {
			want = append(want, s.drift("env."+name))
		}
	}
	body := strings.TrimRight(c.lines[line-1], "\r\n \t")
	value := body + "x"
	if q := body[len(body)-1:]; q == `"` || q == "'" {
		value = body[:len(body)-1] + "x" + q
	}
	// Objects that are doubled have the setting too.
	for range len(r.usual) {
		want = append(want, "?drift *")
	}
	r.edit(kind+"edit "+name, c.put(line, value), want...)
}

// nearby is a schedule that is due at another time by the least of changes.
func nearby(schedule string) (string, bool) {
	fields := strings.Fields(schedule)
	if len(fields) != 5 {
		return "", false
	}
	var n int
	switch minute := fields[0]; {
	case isNumber(minute):
		fmt.Sscan(minute, &n)
		fields[0] = fmt.Sprint((n + 1) % 60)
	case strings.HasPrefix(minute, "*/") && isNumber(minute[2:]):
		fmt.Sscan(minute[2:], &n)
		if n < 2 || n > 30 {
			return "", false
		}
		fields[0] = fmt.Sprintf("*/%d", n-1)
	default:
		return "", false
	}
	return strings.Join(fields, " "), true
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" && len(s) < 4 }

// sameTime is another way to write a schedule.
type sameTime struct {
	how, text string
	blanks    bool // only blanks differ
}

var (
	weekdayNames  = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
	monthNames    = []string{"", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	scheduleWords = [][2]string{{"@hourly", "0 * * * *"}, {"@daily", "0 0 * * *"}, {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"}, {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}}
	fullRanges    = []string{"0-59", "0-23", "", "1-12", ""}
)

// sameTimes are ways to write a schedule that mean the same times by the rules
// of every dialect here, so far as nothing is said of one.
func sameTimes(d specs.Dialect, schedule string) []sameTime {
	fields := strings.Fields(schedule)
	one := strings.Join(fields, " ")
	var out []sameTime
	add := func(how, text string) {
		if text != one {
			out = append(out, sameTime{how: how, text: text})
		}
	}
	for _, w := range scheduleWords {
		switch {
		case d == specs.GitHub:
		case one == w[0]:
			add("fields for a word", w[1])
		case one == w[1]:
			add("a word for fields", w[0])
		}
	}
	if len(fields) != 5 {
		return out
	}
	out = append(out, sameTime{"more blanks", strings.Join(fields, "  "), true})
	if d != specs.GitHub {
		out = append(out, sameTime{"tabs", strings.Join(fields, "\t"), true})
	}
	swap := func(how string, i int, text string) {
		f := slices.Clone(fields)
		f[i] = text
		add(how, strings.Join(f, " "))
	}
	for i, f := range fields {
		var n int
		switch {
		case isNumber(f):
			fmt.Sscan(f, &n)
			swap("a number twice", i, f+","+f)
			swap("a leading zero", i, "0"+f)
			if i == 4 && n < 7 {
				swap("names for numbers", i, weekdayNames[n])
			}
			if i == 4 && n == 0 && d == specs.Debian {
				swap("7 for Sunday", i, "7")
			}
			if i == 3 && n >= 1 && n <= 12 {
				swap("names for numbers", i, monthNames[n])
			}
		case strings.HasPrefix(f, "*/") && isNumber(f[2:]) && fullRanges[i] != "":
			swap("a range for a star with a step", i, fullRanges[i]+f[1:])
		case f == "*" && i < 2:
			swap("a range for a star", i, fullRanges[i])
			swap("a step of one", i, "*/1")
		case strings.Count(f, ",") > 0 && !strings.ContainsAny(f, "*?~"):
			list := strings.Split(f, ",")
			slices.Reverse(list)
			swap("a list backwards", i, strings.Join(list, ","))
		case i == 4 && strings.ToUpper(f) != f:
			swap("names in capitals", i, strings.ToUpper(f))
		}
	}
	return out
}
