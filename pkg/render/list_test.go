package render_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

func rows() []render.Row {
	return []render.Row{
		{Source: "web-1", Provider: "crontab", Object: "crontab:web-1/deploy#index", Role: "index", Version: "2", State: "active", Schedule: "17 3 * * *", Zone: "Europe/Berlin", NextDue: "2026-11-02T02:17:00Z", Words: "at 03:17", Next: []string{"2026-11-02T02:17:00Z", "2026-11-03T02:17:00Z"}, Command: longCommand, Hash: "rc1:5d1c22ab", Location: "/var/spool/cron/crontabs/deploy:3"},
		{Source: "web-1", Provider: "crontab", Object: "crontab:web-1/root#5d1c22ab", State: "active", Schedule: "@daily", Zone: "local", Words: "at 00:00 \x1b[2J", Next: []string{"2026-11-02T00:00:00Z", "2026-11-03T00:00:05Z"}, Unzoned: true, Command: "/opt/booth/sell \x1b[2J\x1b[1;32mall roles ok\x1b[0m", Location: "/etc/crontab:20"},
		{Source: "prod", Provider: "kubernetes", Object: "kubernetes:prod/batch/lager-統計", Role: "lager-統計", State: "inactive", Reason: "suspended", Schedule: "*/5 * * * *", Zone: "UTC", Command: "registry.example/shop/統計:1"},
		{Source: "prod", Provider: "kubernetes", Object: "kubernetes:prod/batch/formula", Role: "=cmd|' /C calc'!A0", Version: "-1", State: "active", Schedule: "@weekly", Command: "+x\t\"quoted\", and\nmore"},
	}
}

func TestTables(t *testing.T) {
	for name, write := range map[string]func(*strings.Builder) error{
		"list-80.txt": func(b *strings.Builder) error {
			return render.Table(b, slices.Values(rows()), render.TextOptions{Width: 80})
		},
		"list.txt": func(b *strings.Builder) error { return render.Table(b, slices.Values(rows()), render.TextOptions{}) },
		"list-wide.txt": func(b *strings.Builder) error {
			return render.Wide(b, slices.Values(rows()), render.TextOptions{Width: 80})
		},
		"list-color.txt": func(b *strings.Builder) error {
			return render.Table(b, slices.Values(rows()), render.TextOptions{Color: true})
		},
		"list.csv": func(b *strings.Builder) error { return render.CSV(b, slices.Values(rows())) },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.String())
			noControl(t, b.String(), name == "list-color.txt")
		})
	}
}

func readCSV(t *testing.T, s string) [][]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(s)).ReadAll()
	if err != nil {
		t.Fatalf("%v in %q", err, s)
	}
	return records
}

func TestCSVHoldsNoFormula(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"=1+1", "'=1+1"}, {"+x", "'+x"}, {"-1", "'-1"}, {"@daily", "'@daily"}, {"\t=x", `\t=x`}, {"\r=x", `\r=x`}, {"＝1", "'＝1"}, {"", ""}, {"a=b", "a=b"}, {`a"b,c`, `a"b,c`},
	} {
		var b strings.Builder
		if err := render.CSV(&b, slices.Values([]render.Row{{Role: c.in, Source: "s"}})); err != nil {
			t.Fatal(err)
		}
		if got := readCSV(t, b.String())[1][3]; got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain 'text' \\%", "plain 'text' \\%"}, {"a\nb\r\tc", `a\nb\r\tc`}, {"\x00\x1b[2J\x7f", `\x00\x1b[2J\x7f`}, {"\u0085\u009b", `\u0085\u009b`},
		{"\u202e\u2066\u200f", `\u202e\u2066\u200f`}, {"\u200b\ufeff\u00ad", `\u200b\ufeff\u00ad`}, {"\u2028\u00a0", `\u2028\u00a0`}, {"\U000e0041", `\U000e0041`},
		{"\xff\xc3", `\xff\xc3`}, {"\ufffd", "\ufffd"}, {"Zürich 統計 ✓ 🙂", "Zürich 統計 ✓ 🙂"}, {"\u3164\u115f\u034f", `\u3164\u115f\u034f`}, {"\u061c", `\u061c`}, {"", ""},
	} {
		if got := render.Escape(c.in); got != c.want {
			t.Errorf("Escape(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestEmptyListing(t *testing.T) {
	var b strings.Builder
	if err := render.CSV(&b, slices.Values([]render.Row{})); err != nil || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("an empty listing has its names alone: %q, %v", b.String(), err)
	}
}
