package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
)

// rung is a step of a role's ladder.
type rung struct {
	name  string
	stage report.Stage
	at    *int64 // when it was reached last, in Unix seconds; nil if that is not known
}

// ladder are the steps beyond desired, in their order.
func ladder(x report.Role) []rung {
	return []rung{
		{"registered", x.Stages.Registered, nil},
		{"executed", x.Stages.Executed, x.Seen.LastStart},
		{"succeeded", x.Stages.Succeeded, x.Seen.LastSuccess},
		{"progressed", x.Stages.Progressed, x.Seen.LastProgress},
	}
}

// tracked says that somebody was asked.
func (s rung) tracked() bool { return s.stage != "" && s.stage != report.NotTracked }

// cell is the step in a table: yes, 2 h ago.
func (s rung) cell(now time.Time) string {
	if s.at == nil {
		return string(s.stage)
	}
	return string(s.stage) + ", " + Age(now, *s.at)
}

// beyond says that of some role a stage beyond registered is tracked.
func beyond(r report.Report) bool {
	for _, x := range r.Roles {
		for _, s := range ladder(x)[1:] {
			if s.tracked() || s.at != nil {
				return true
			}
		}
	}
	return false
}

// latest is the last second of the year 9999; beyond it no instant is written.
const latest = 253402300799

// Age is how long before a moment an instant in Unix seconds was, for people. A
// report holds the instant alone, so that an age is never older than the look.
func Age(now time.Time, unix int64) string {
	if unix < 0 || unix > latest {
		return fmt.Sprintf("second %d", unix)
	}
	d := now.Unix() - unix
	if d < 0 {
		return "in " + span(-d)
	}
	return span(d) + " ago"
}

// span is a number of seconds in one unit, so small that half of it never
// matters: 119 min, 47 h, then days.
func span(seconds int64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%d s", seconds)
	case seconds < 120*60:
		return fmt.Sprintf("%d min", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%d h", seconds/3600)
	}
	return fmt.Sprintf("%d d", seconds/86400)
}

// Moment is an instant in Unix seconds as people read it.
func Moment(unix int64) string {
	if unix < 0 || unix > latest {
		return fmt.Sprintf("second %d", unix)
	}
	return shortTime(time.Unix(unix, 0))
}

// stages is a table of all roles' ladders, where there is more than registered.
func (t *text) stages() {
	if !beyond(t.r) {
		return
	}
	g := grid{head: []string{"ROLE", "SOURCE", "REGISTERED", "EXECUTED", "SUCCEEDED", "PROGRESSED", "SEEN IN"}, whole: []int{2, 3, 4, 5}}
	for _, x := range t.r.Roles {
		row := []string{x.Role, x.Source}
		for _, s := range ladder(x) {
			row = append(row, s.cell(t.r.ObservedAt))
		}
		g.add(escaped(append(row, strings.Join(x.Seen.From, "; "))...)...)
	}
	t.section(g)
}
