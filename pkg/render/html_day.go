package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// The axis of a day begins with the quarter of an hour in which the day does, so
// that quarters are those of the clock, and has one more than 24 hours have.
const (
	quarter   = 15
	quarters  = report.DayMinutes/quarter + 1
	axisSpan  = quarters * quarter
	lastLabel = 90 // minutes that a label takes on a narrow screen
	lowest    = 4  // starts that a bar of full height stands for, at least
	fewLanes  = 30 // more are folded
	fewPiles  = 6
	mostPiles = 60 // minutes that are looked at for it
	fewNames  = 8
)

func axisStart(r report.Report) time.Time { return r.DayStart().Truncate(quarter * time.Minute) }

// htmlHour is a line of the axis. X is per cent.
type htmlHour struct {
	X, Text  string
	Midnight bool
}

func htmlAxis(r report.Report) (out []htmlHour) {
	start := axisStart(r)
	for at := start.Truncate(3 * time.Hour); at.Before(start.Add(axisSpan * time.Minute)); at = at.Add(3 * time.Hour) {
		m := int(at.Sub(start) / time.Minute)
		if m < 0 {
			continue
		}
		h := htmlHour{percent(m, axisSpan), at.Format("15:04"), at.Hour() == 0}
		if m > axisSpan-lastLabel {
			h.Text = ""
		}
		out = append(out, h)
	}
	return out
}

// percent is a share with no more digits than a screen has points.
func percent(part, whole int) string {
	return strconv.FormatFloat(float64(part)*100/float64(whole), 'f', 2, 64) + "%"
}

// htmlDay is what one source has ahead.
type htmlDay struct {
	Number   int
	Source   string
	Sentence string
	Hidden   string // of how many roles nothing is shown, and why
	Most     int    // starts in a quarter
	Bars     []htmlBar
	Piles    []htmlPile
	Lanes    []htmlLane
	Folded   bool
}

// htmlBar is a quarter of an hour. Heights are per cent of the highest.
type htmlBar struct {
	X, Tall, Peak int
	Text          string
}

// htmlPile are minutes in which the same roles start.
type htmlPile struct {
	Times, Names string
	N            int
}

// htmlLane is one role's day, as the paths of its series.
type htmlLane struct {
	htmlTag
	Anchor, Name, Text string
	Strokes            []htmlStroke
	often              bool
	first              int
}

// htmlStroke is a line along the lane, broken into ticks.
type htmlStroke struct {
	Path, Dashes string
}

func (n *htmlNames) days(r report.Report) (out []htmlDay) {
	by := map[string][]report.Role{}
	var sources []string
	for _, x := range r.Roles {
		if x.State == report.OutOfScope {
			continue
		}
		if by[x.Source] == nil {
			sources = append(sources, x.Source)
		}
		by[x.Source] = append(by[x.Source], x)
	}
	slices.Sort(sources)
	for _, s := range sources {
		out = append(out, n.day(r, s, by[s]))
	}
	return out
}

func (n *htmlNames) day(r report.Report, source string, roles []report.Role) htmlDay {
	d := htmlDay{Number: n.sources.number[source], Source: short(source, valueRoom)}
	start := axisStart(r)
	shift := int(r.DayStart().Sub(start) / time.Minute)
	var starts [axisSpan]int
	offsets := make([][]int, len(roles))
	suspended, unknown, due, total := 0, 0, 0, 0
	for i, x := range roles {
		switch {
		case x.Suspended:
			suspended++
		case x.Next24h == nil:
			unknown++
		default:
			offsets[i] = x.Next24h.Offsets(r.DayStart())
			for k := range offsets[i] {
				offsets[i][k] += shift
				starts[offsets[i][k]]++
			}
		}
		if len(offsets[i]) > 0 {
			due++
			total += len(offsets[i])
			d.Lanes = append(d.Lanes, n.lane(x, offsets[i], start))
		}
	}
	d.Hidden = hiddenWords(suspended, unknown)
	d.bars(starts[:], start)
	d.Sentence = dayWords(due, len(roles), total, d.Most)
	d.Piles = piles(roles, offsets, starts[:], start)
	arrange.By(d.Lanes, htmlLane.compare)
	d.Folded = len(d.Lanes) > fewLanes
	return d
}

func dayWords(due, roles, starts, most int) string {
	words := fmt.Sprintf("%d of %s due", due, plural(roles, "role"))
	if starts > 0 {
		words += ", " + plural(starts, "start")
	}
	if most > 1 {
		words += fmt.Sprintf(", up to %d in a quarter of an hour", most)
	}
	return words
}

func hiddenWords(suspended, unknown int) string {
	var out []string
	if suspended > 0 {
		out = append(out, isAre(suspended, "role")+" suspended by the ledger")
	}
	if unknown > 0 {
		out = append(out, isAre(unknown, "role")+" not shown, since nobody can know the minutes beforehand: no zone is stated, or the scheduler chooses them")
	}
	return strings.Join(out, "; ")
}

func (d *htmlDay) bars(starts []int, start time.Time) {
	var tall, peak, when [quarters]int
	for m, n := range starts {
		q := m / quarter
		tall[q] += n
		if n > peak[q] {
			peak[q], when[q] = n, m
		}
	}
	d.Most = slices.Max(tall[:])
	full := max(d.Most, lowest)
	for q := range quarters {
		if tall[q] == 0 {
			continue
		}
		at := func(m int) string { return start.Add(time.Duration(m) * time.Minute).Format("15:04") }
		text := fmt.Sprintf("%s to %s: %s", at(q*quarter), at((q+1)*quarter), plural(tall[q], "start"))
		if peak[q] > 1 {
			text += fmt.Sprintf(", %d of them at %s", peak[q], at(when[q]))
		}
		d.Bars = append(d.Bars, htmlBar{q*quarter + 1, 100 * tall[q] / full, 100 * peak[q] * btoi(peak[q] > 1) / full, text})
	}
}

// piles are the minutes in which most roles start at once, those with the same
// roles together.
func piles(roles []report.Role, offsets [][]int, starts []int, start time.Time) (out []htmlPile) {
	var minutes []int
	for m, n := range starts {
		if n > 1 {
			minutes = append(minutes, m)
		}
	}
	arrange.By(minutes, func(a, b int) int { return starts[b] - starts[a] })
	minutes = minutes[:min(len(minutes), mostPiles)]
	group := map[string]int{}
	var when [][]int
	for _, m := range minutes {
		who := startsAt(offsets, m)
		key := fmt.Sprint(who)
		i, known := group[key]
		if !known {
			if i = len(out); i == fewPiles {
				break
			}
			group[key] = i
			out, when = append(out, htmlPile{Names: namesOf(roles, who), N: len(who)}), append(when, nil)
		}
		when[i] = append(when[i], m)
	}
	for i := range out {
		out[i].Times = timesOf(when[i], start)
	}
	return out
}

func startsAt(offsets [][]int, minute int) (out []int) {
	for i, list := range offsets {
		if _, ok := slices.BinarySearch(list, minute); ok {
			out = append(out, i)
		}
	}
	return out
}

func namesOf(roles []report.Role, who []int) string {
	var names []string
	for _, i := range who[:min(len(who), fewNames)] {
		names = append(names, short(roles[i].Role, 60))
	}
	text := strings.Join(names, ", ")
	if more := len(who) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func timesOf(minutes []int, start time.Time) string {
	var out []string
	for _, m := range minutes[:min(len(minutes), 3)] {
		out = append(out, start.Add(time.Duration(m)*time.Minute).Format("15:04"))
	}
	text := strings.Join(out, ", ")
	if len(minutes) > 3 {
		text += ", …"
	}
	return text
}

// often is how many starts make a role one that goes on all day.
const often = 24

func (n *htmlNames) lane(x report.Role, offsets []int, start time.Time) htmlLane {
	ref := specs.Ref{Role: x.Role, Source: x.Source}
	l := htmlLane{
		htmlTag: n.tag(string(x.State), x.Source, x.Owner), Anchor: n.roles[ref], Name: short(x.Role, valueRoom),
		often: len(offsets) >= often, first: offsets[0],
	}
	l.Text = fmt.Sprintf("%s, first at %s", plural(len(offsets), "start"), start.Add(time.Duration(offsets[0])*time.Minute).Format("15:04"))
	for _, s := range report.NewDay(start, offsets).Due {
		l.Strokes = append(l.Strokes, strokeOf(s, start))
	}
	return l
}

// tick is how wide a start is drawn, in minutes.
const tick = 8

func strokeOf(s report.Series, start time.Time) htmlStroke {
	at, width := int(s.At.Sub(start)/time.Minute), tick
	if s.Minutes == 1 {
		return htmlStroke{Path: fmt.Sprintf("M%d 5h%d", at, width)}
	}
	if s.Every < 2*tick {
		width = max(1, s.Every/2)
	}
	stroke := htmlStroke{Path: fmt.Sprintf("M%d 5h%d", at, (s.Minutes-1)*s.Every+width)}
	if s.Every > width {
		stroke.Dashes = fmt.Sprintf("%d %d", width, s.Every-width)
	}
	return stroke
}

// compare puts what goes on all day first, then goes by the first start.
func (l htmlLane) compare(m htmlLane) int {
	if l.often != m.often {
		return btoi(m.often) - btoi(l.often)
	}
	if l.often {
		return 0
	}
	return l.first - m.first
}
