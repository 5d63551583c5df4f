package crontab

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// Whatever stands in a table, reading it ends, twice the same, and every line
// that is no comment, setting or blank is an object or is noted.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "# rolecall: role=a version=2\n1 1 * * * /opt/a%b\\%c\n", "A=\n\"B C\" = 'd'\n@daily x", "\x00\x00\n1 1 * * * a\x00b\n",
		"1 1 * * * root x \\\n  y\n", "\xef\xbb\xbf#\r\n\r\n-1 1 * * * -n x\n", "CRON_TZ=Mars/Base\n* * * * * x\n", "#Ansible: \xff\xfe\n#1 1 * * * \x1b[2J\n",
		"5 4 * * * * * x\n0 0 * * * 2030 y\n", strings.Repeat("\\\n", 50),
	} {
		for d := range uint8(8) {
			f.Add(seed, d)
		}
	}
	f.Fuzz(func(t *testing.T, text string, pick uint8) {
		d := specs.Dialects()[pick%4]
		g := grammar{dialect: d, system: pick&4 != 0 && hasUserColumn(d), personal: pick&8 != 0, privileged: pick&16 != 0, zone: specs.Local, recent: pick&32 != 0}
		read := func() (string, int) {
			g := g
			g.schedules, g.refusals = readings{}, map[string]string{}
			objects, notes, _ := readTable(table{source: "s", part: "file/x", name: "x", file: "x", open: "x", data: text, stock: stock}, g)
			var b strings.Builder
			for _, o := range objects {
				b.WriteString(o.ID + o.Pos.String() + o.Spec.Hash().String() + o.Marker().Role + strconv.Itoa(len(o.Inactive())) + "\n")
			}
			for _, n := range notes {
				b.WriteString(n.Code + n.Message + n.Pos.String() + "\n")
			}
			return b.String(), len(objects) + len(notes)
		}
		first, found := read()
		if second, _ := read(); first != second {
			t.Errorf("%s\n%s", first, second)
		}
		g.schedules, g.refusals = readings{}, map[string]string{}
		said := 0
		g.read(text, func(it *item) {
			if it.kind == entryLine || it.kind == badLine {
				said++
			}
		})
		if found < said {
			t.Errorf("%d entries and bad lines, %d objects and notes", said, found)
		}
	})
}

func FuzzAnacrontab(f *testing.F) {
	f.Add("SHELL=/bin/sh\n1\t5\tcron.daily\trun-parts /etc/cron.daily\n@monthly 1 a b\n")
	f.Add("7 10 x \\\n y\n# rolecall: role=a\n#1 2 3 4\n9999999999 1 a b\n")
	f.Fuzz(func(t *testing.T, text string) {
		readAnacrontab(table{source: "s", name: "x", open: "x", data: text}, specs.Local)
	})
}

func FuzzLabel(f *testing.F) {
	f.Add("# rolecall: role=a version=1.10")
	f.Add("#Ansible: a")
	f.Fuzz(func(t *testing.T, text string) {
		l, ok := parseLabel(text, specs.Pos{})
		if !ok && l.marker.Present() || l.marker.Role != "" && !specs.ValidRoleKey(l.marker.Role) || l.foreign && l.marker.Invalid != "" {
			t.Errorf("%q: %+v %v", text, l, ok)
		}
	})
}

// A large host: many schedules, commands that all differ, an environment.
func bigTable(n int) string {
	var b strings.Builder
	b.WriteString("PATH=/usr/bin:/bin\nMAILTO=ops\n")
	for i := range n {
		s := strconv.Itoa(i)
		b.WriteString(strconv.Itoa(i%60) + " " + strconv.Itoa(i/60%24) + " * * " + strconv.Itoa(i%7) + " /opt/jobs/run --tenant " + s + " > /dev/null 2>&1\n")
	}
	return b.String()
}

func BenchmarkTable(b *testing.B) {
	text := bigTable(100_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		g := grammar{dialect: specs.Busybox, zone: specs.Local, schedules: readings{}, refusals: map[string]string{}}
		objects, _, _ := readTable(table{source: "s", part: "file/x", name: "x", file: "x", open: "x", data: text, stock: stock}, g)
		if len(objects) != 100_000 {
			b.Fatal(len(objects))
		}
	}
}

// BenchmarkHeld says how many bytes an entry holds on to.
func BenchmarkHeld(b *testing.B) {
	for b.Loop() {
		text := bigTable(100_000)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		g := grammar{dialect: specs.Busybox, zone: specs.Local, schedules: readings{}, refusals: map[string]string{}}
		objects, _, _ := readTable(table{source: "s", part: "file/x", name: "x", file: "x", open: "x", data: text, stock: stock}, g)
		g = grammar{}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(objects)), "B/entry")
		runtime.KeepAlive(objects)
	}
}
