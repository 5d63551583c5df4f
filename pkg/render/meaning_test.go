package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

func meanings() (taken, refused render.Meaning) {
	previous := "2026-10-24T00:30:00Z"
	taken = render.Meaning{
		Valid: true, Dialect: "cronie", Zone: "Europe/Berlin", InstantsIn: "Europe/Berlin", Text: "30 2 * * *", Kind: "calendar", Canonical: "m:30 h:2", Words: "at 02:30",
		Warnings: []string{"half past two is an hour at which a clock changes, and that is said in more words than a line of eighty columns holds"}, Notes: []string{"hostile \x1b[2J\u202e"},
		Next: []string{"2026-10-25T00:30:00Z", "2026-10-26T01:30:05Z"}, Previous: &previous, LongestGap: &render.Span{From: "2026-10-25T00:30:00Z", To: "2026-10-26T01:30:05Z", Seconds: 90005},
		Elsewhere: []render.Elsewhere{
			{Dialect: "debian", Valid: true, Words: "at 02:30", Same: true, WriteThere: "30 2 * * *", WriteHere: "30 2 * * *"},
			{Dialect: "kubernetes", Valid: true, Words: "at 02:30", SameButClock: true},
			{Dialect: "busybox", Valid: true, Words: "at 02:30\x1b[31m", WriteThere: "30 2 * * 0-6", WriteHere: "30 2 * * 1"},
			{Dialect: "github", Reason: "no; write another", WriteThere: "30 2 */1 * *"},
		},
	}
	refused = render.Meaning{
		Reason: "schedule \"\x1b]0;x\": no; write five fields", Dialect: "debian", Zone: "local", InstantsIn: "UTC", Text: "\x1b]0;owned\x07 \xff",
		Elsewhere: []render.Elsewhere{{Dialect: "kubernetes", Valid: true, Words: "at 03:00", WriteThere: "x", WriteHere: "0 3 * * *"}},
	}
	return taken, refused
}

func TestMeanings(t *testing.T) {
	taken, refused := meanings()
	local := taken
	local.Zone, local.Elsewhere, local.Warnings = "local", nil, nil
	pair := render.Pair{Known: true, EqualButClock: true, FirstDifference: &render.Instant{At: "2026-10-25T01:30:00Z", In: "b"}, A: taken, B: local}
	now := time.Date(2026, 10, 24, 12, 0, 0, 0, time.UTC)
	for name, write := range map[string]func(*strings.Builder) error{
		"meaning.txt":         func(b *strings.Builder) error { return render.MeaningText(b, taken, render.TextOptions{}) },
		"meaning-80.txt":      func(b *strings.Builder) error { return render.MeaningText(b, taken, render.TextOptions{Width: 80}) },
		"meaning-color.txt":   func(b *strings.Builder) error { return render.MeaningText(b, taken, render.TextOptions{Color: true}) },
		"meaning-quiet.txt":   func(b *strings.Builder) error { return render.MeaningText(b, taken, render.TextOptions{Quiet: true}) },
		"meaning-refused.txt": func(b *strings.Builder) error { return render.MeaningText(b, refused, render.TextOptions{}) },
		"meaning-pair.txt":    func(b *strings.Builder) error { return render.PairText(b, pair, render.TextOptions{}) },
		"meaning.json":        func(b *strings.Builder) error { return render.MeaningJSON(b, taken, now) },
		"meaning-pair.json":   func(b *strings.Builder) error { return render.PairJSON(b, pair, now) },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			shown := b.String()
			if strings.HasSuffix(name, ".json") {
				shown = string(render.JSON([]byte(shown)))
			}
			golden(t, name, shown)
			noControl(t, shown, strings.Contains(name, "color"))
		})
	}
}

// TestEmptyMeaning: no list is null, whatever is not there.
func TestEmptyMeaning(t *testing.T) {
	var b strings.Builder
	if err := render.PairJSON(&b, render.Pair{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"warnings", "notes", "next", "elsewhere"} {
		if strings.Count(b.String(), `"`+key+`": []`) != 2 {
			t.Errorf("%s is not an empty list: %s", key, b.String())
		}
	}
}
