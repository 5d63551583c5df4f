package specs

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// field is one of the five fields of a schedule.
type field struct {
	name      string
	low, high int
	names     []string // of the values from low on, three letters, lower case
}

const (
	fieldMinute = iota
	fieldHour
	fieldDom
	fieldMonth
	fieldDow
)

var (
	monthNames = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	dowNames   = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

	fields = [5]field{
		{"minute", 0, 59, nil},
		{"hour", 0, 23, nil},
		{"day of month", 1, 31, nil},
		{"month", 1, 12, monthNames},
		{"day of week", 0, 6, dowNames},
	}
)

// named is the value of a three-letter name, in any case.
func (f *field) named(s string) (int, bool) {
	if len(s) != 3 {
		return 0, false
	}
	for i, n := range f.names {
		if lower(s[0]) == n[0] && lower(s[1]) == n[1] && lower(s[2]) == n[2] {
			return f.low + i, true
		}
	}
	return 0, false
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// refusal is why a program does not take a schedule, and what to write.
type refusal struct {
	field     string // empty: the whole
	token     string
	why, next string
}

func (r *refusal) in(d Dialect, text string) error {
	if r.field == "" {
		return fmt.Errorf("schedule %.200q: %s (%s); %s", text, r.why, d, r.next)
	}
	return fmt.Errorf("schedule %.200q: %s %.80q: %s (%s); %s", text, r.field, r.token, r.why, d, r.next)
}

// blankFields splits at blanks and tabs, as the cron family does. It returns
// the number of fields, and the first eight of them.
func blankFields(text string) (out [8]string, n int) { return splitFields(text, " \t") }

func splitFields(text, blanks string) (out [8]string, n int) {
	start := -1
	for i := 0; i <= len(text); i++ {
		blank := i == len(text) || strings.IndexByte(blanks, text[i]) >= 0
		if !blank && start < 0 {
			start = i
		}
		if blank && start >= 0 {
			if n < len(out) {
				out[n] = text[start:i]
			}
			n, start = n+1, -1
		}
	}
	return out, n
}

// spaceFields splits at all that Unicode calls a space, as strings.Fields does.
func spaceFields(text string) (out [8]string, n int) {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			fs := strings.Fields(text)
			copy(out[:], fs)
			return out, len(fs)
		}
	}
	return splitFields(text, " \t\n\v\f\r")
}

// word is a plan for one of the usual @words, nil if w is none of them.
func word(w string) *plan {
	p := &plan{kind: kindCalendar, second: 1, minute: 1, hour: 1, dom: fullDom, month: fullMonth, dow: fullDow}
	switch w {
	case "@yearly", "@annually":
		p.dom, p.month = 1<<1, 1<<1
	case "@monthly":
		p.dom = 1 << 1
	case "@weekly":
		p.dow = 1
	case "@daily", "@midnight":
	case "@hourly":
		p.hour, p.starred = fullHour, true
	case "@reboot":
		return &plan{kind: kindReboot}
	default:
		return nil
	}
	return p
}

// wordRefusal says why an @word is not taken, given the words that are.
func wordRefusal(text string, known string) *refusal {
	r := &refusal{why: "no such word", next: "write five fields"}
	if known != "" {
		r.next = "write five fields or one of " + known
	}
	w, _, _ := strings.Cut(text, " ")
	switch w {
	case "@every":
		r.why, r.next = "@every is read by kubernetes only", "write the times of day in five fields, as */5 * * * *"
	case "@reboot":
		r.why, r.next = "@reboot is read by debian and cronie only", "write five fields, or start the job with its host"
	default:
		if p := word(strings.ToLower(w)); p != nil {
			r.why = "this word is not read"
			r.next = "write " + wordFields(strings.ToLower(w))
		}
	}
	return r
}

func wordFields(w string) string {
	switch w {
	case "@yearly", "@annually":
		return "0 0 1 1 *"
	case "@monthly":
		return "0 0 1 * *"
	case "@weekly":
		return "0 0 * * 0"
	case "@hourly":
		return "0 * * * *"
	}
	return "0 0 * * *"
}

// countRefusal is for a number of fields that is not read.
func countRefusal(n int) *refusal {
	r := &refusal{why: fmt.Sprintf("%d fields where 5 are read", n), next: "write minute, hour, day of month, month and day of week"}
	if n == 6 || n == 7 {
		r.next = "write 5: leave out the seconds in front (as in Quartz), the year at the end, or the command behind"
	}
	return r
}
