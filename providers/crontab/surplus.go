package crontab

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// surplus says of a line with more than five time fields in a row what it surely
// is, with the next step; empty of any other line. All crontabs have five (but
// supercronic's, which takes some of these lines), so what stands behind them is
// read as the user or the command.
func (g *grammar) surplus(text string) string {
	words := firstWords(text, 9)
	n := 0
	for n < len(words) && n < 5 && timeWord(words[n]) {
		n++
	}
	if n < 5 {
		return ""
	}
	for n < len(words) && n < 8 && (timeShape(words[n]) || n == 5 && g.weekdayBefore(words[n:])) {
		n++
	}
	if n < 6 || n == len(words) {
		return ""
	}
	const five = "write minute, hour, day of month, month and day of week"
	switch last := words[n-1]; {
	case n > 7:
		return "this line has more than seven time fields; " + five
	case n == 7:
		return "this line has seven time fields, with seconds in front and a year at the end, as Quartz has them; " + five
	case isYear(last):
		return "this line has six time fields, of which the last is a year; " + five + ", and let the command look at the year"
	}
	return "this line has six time fields, of which the first looks like seconds (as in Quartz, Spring or node-cron); " + g.withoutSeconds(words[1:6], five)
}

// withoutSeconds is the five fields behind the seconds, where they mean the same
// as there: Quartz counts the weekdays from 1 for Sunday.
func (g *grammar) withoutSeconds(fields []string, otherwise string) string {
	text := strings.ReplaceAll(strings.Join(fields, " "), "?", "*")
	if _, err := parseSchedule(g.dialect, text, specs.Local); err != nil || strings.ContainsAny(fields[4], "0123456789") {
		return otherwise
	}
	return "write " + text
}

// mayHaveSurplus says that more time fields may stand behind the five of an
// entry. It is a filter: what it stops surplus has nothing to say about.
func mayHaveSurplus(e entry) bool {
	word, _ := cutField(skipBlanks(e.user))
	if word == "" {
		word, _ = cutField(skipBlanks(e.command))
	}
	return word != "" && timeWord(word) && strings.Count(e.written, " ") == 4
}

func firstWords(text string, most int) (words []string) {
	for len(words) < most {
		word, rest := cutField(skipBlanks(text))
		if word == "" {
			break
		}
		words, text = append(words, word), rest
	}
	return words
}

// timeWord says that a word could be a time field of some scheduler's.
func timeWord(w string) bool {
	for w != "" {
		if strings.IndexByte("0123456789*/,-?~#", w[0]) >= 0 {
			w = w[1:]
			continue
		}
		i := strings.IndexAny(w, "0123456789*/,-?~#")
		if i < 0 {
			i = len(w)
		}
		if letters := w[:i]; !isName(letters) && letters != "L" && letters != "W" && letters != "LW" {
			return false
		}
		w = w[i:]
	}
	return true
}

// timeShape says that a word has the signs of a time field and no letters. No
// program is called so.
func timeShape(w string) bool {
	return strings.Trim(w, "0123456789*/,-?") == "" && strings.IndexByte("0123456789*?", w[0]) >= 0
}

// weekdayBefore says that the first word is a name of a weekday or month, and
// what follows it a command, or a user where the table has a column for it. There
// are programs and users with such names, so no other follower will do.
func (g *grammar) weekdayBefore(words []string) bool {
	if len(words) < 2 || !timeWord(words[0]) {
		return false
	}
	if g.system {
		return commonAccounts[words[1]] && len(words) > 2
	}
	return strings.HasPrefix(words[1], "/")
}

// isYear takes a year, or a list or range of them.
func isYear(w string) bool {
	for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == ',' || r == '-' }) {
		if n, err := strconv.Atoi(part); err != nil || n < 1970 || n > 2199 {
			return false
		}
	}
	return true
}

// readAs says how a line with too many fields is read.
func readAs(d specs.Dialect, e entry) string {
	if e.user != "" {
		return fmt.Sprintf("%s reads %q as the schedule and %q as the user", daemonOf(d), e.written, e.user)
	}
	word, _ := cutField(e.command)
	return fmt.Sprintf("%s reads %q as the schedule and the command begins with %q", daemonOf(d), e.written, word)
}
