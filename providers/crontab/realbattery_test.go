//go:build linux && amd64

package crontab

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// battery is the expressions of specs/testdata/dialects.tsv with what a dialect
// is said to do with them.
type batteryRow struct{ expression, verdict string }

func battery(t *testing.T, d specs.Dialect) (rows []batteryRow) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "specs", "testdata", "dialects.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(c) == 4 && c[0] == string(d) {
			rows = append(rows, batteryRow{strings.ReplaceAll(c[1], `\t`, "\t"), c[2]})
		}
	}
	if len(rows) < 190 {
		t.Fatalf("only %d rows for %s", len(rows), d)
	}
	return rows
}

// installBattery puts each expression where the daemon reads it: in a table of
// its own that shows by another job whether it is loaded, or as a line among
// others where a bad line costs only itself.
func (im *image) installBattery(d daemon, rows []batteryRow) {
	shell := im.recorder()
	if d.dialect == specs.Busybox {
		var b strings.Builder
		fmt.Fprintf(&b, "SHELL=%s\n", shell)
		for i, r := range rows {
			if !crashesBusybox(r.expression) {
				fmt.Fprintf(&b, "%s job %d\n", r.expression, i)
			}
		}
		im.write(d.spool+"/root", b.String(), 0o600)
		return
	}
	for i, r := range rows {
		im.write(fmt.Sprintf("/etc/cron.d/e%03d", i), fmt.Sprintf("SHELL=%s\n@reboot root boot %d\n%s root job %d\n", shell, i, r.expression, i), 0o644)
	}
}

// crashesBusybox says that Debian's busybox crond ends with a fault of memory when
// it reads such a line; see TestRealBusyboxEndsAtWords.
func crashesBusybox(line string) bool {
	word, _ := cutField(line)
	_, err := specs.ParseSchedule(specs.Debian, word, "")
	return strings.HasPrefix(line, "@") && err == nil
}

// due are the commands that we say run in a minute, and how often.
func due(entries []providers.Object, minute time.Time, zone *time.Location) map[string]int {
	want := map[string]int{}
	for _, o := range entries {
		s := o.Spec.Schedules[0]
		if next, ok := s.NextIn(minute.Add(-time.Second), zone); ok && next.Equal(minute) {
			want[o.Attr("command")]++
		}
	}
	return want
}

// tellingMinutes are minutes by which all pairs of schedules can be told apart
// that differ, at least four hours from each other, and some random ones.
func tellingMinutes(t *testing.T, entries []providers.Object) []time.Time {
	t.Helper()
	kinds := map[string]specs.Schedule{}
	for _, o := range entries {
		kinds[o.Spec.Schedules[0].Canonical()] = o.Spec.Schedules[0]
	}
	candidates := candidateMinutes(entries)
	alike := [][]string{slices.Sorted(maps.Keys(kinds))}
	fires := map[string][]bool{}
	for name, s := range kinds {
		for _, c := range candidates {
			next, ok := s.NextIn(c.Add(-time.Second), time.UTC)
			fires[name] = append(fires[name], ok && next.Equal(c))
		}
	}
	var chosen []time.Time
	far := func(at time.Time) bool {
		return !slices.ContainsFunc(chosen, func(c time.Time) bool { return at.Sub(c).Abs() < 4*time.Hour })
	}
	for len(alike) > 0 {
		best, most := -1, 0
		for i, c := range candidates {
			if told := told(alike, fires, i); told > most && far(c) {
				best, most = i, told
			}
		}
		if best < 0 {
			t.Errorf("no minute tells apart %q", alike)
			break
		}
		chosen = append(chosen, candidates[best])
		alike = splitGroups(alike, fires, best)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		if at := firstMinute.Add(time.Duration(random.IntN(2*365*24*60)) * time.Minute); far(at) {
			chosen = append(chosen, at)
		}
	}
	slices.SortFunc(chosen, time.Time.Compare)
	return chosen
}

// told is how many pairs of one group each a minute tells apart.
func told(alike [][]string, fires map[string][]bool, i int) (n int) {
	for _, group := range alike {
		due := 0
		for _, name := range group {
			if fires[name][i] {
				due++
			}
		}
		n += due * (len(group) - due)
	}
	return n
}

// splitGroups parts each group by who is due, and leaves out who is alone.
func splitGroups(alike [][]string, fires map[string][]bool, i int) (out [][]string) {
	for _, group := range alike {
		var halves [2][]string
		for _, name := range group {
			h := 0
			if fires[name][i] {
				h = 1
			}
			halves[h] = append(halves[h], name)
		}
		for _, h := range halves {
			if len(h) > 1 {
				out = append(out, h)
			}
		}
	}
	return out
}

var firstMinute = time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)

// candidateMinutes are some minutes at which each schedule is due, over two
// years, and their neighbours.
func candidateMinutes(entries []providers.Object) []time.Time {
	seen := map[time.Time]bool{}
	for i, o := range entries {
		for k := range 8 {
			from := firstMinute.AddDate(0, 0, 91*k+i%11).Add(time.Duration((i*37+k*431)%1440) * time.Minute)
			next, ok := o.Spec.Schedules[0].NextIn(from, time.UTC)
			if !ok || next.After(firstMinute.AddDate(2, 0, 0)) {
				continue
			}
			seen[next], seen[next.Add(time.Minute)] = true, true
			if next, ok = o.Spec.Schedules[0].NextIn(next, time.UTC); ok {
				seen[next] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), time.Time.Compare)
}

func sameRuns(t *testing.T, when string, ran, want map[string]int) {
	t.Helper()
	for command, n := range want {
		if ran[command] != n {
			t.Errorf("%s: %q ran %d times, and we say %d", when, command, ran[command], n)
		}
	}
	for command, n := range ran {
		if want[command] == 0 {
			t.Errorf("%s: %q ran %d times, and we say it is not due", when, command, n)
		}
	}
}

// The daemon takes and refuses each expression as the table says, and at minutes
// which tell all of their meanings apart it runs just those that we say are due.
func TestRealDaemonsReadTheBattery(t *testing.T) {
	eachDaemon(t, func(t *testing.T, d daemon) {
		im := newImage(t)
		rows := battery(t, d.dialect)
		im.installBattery(d, rows)
		cfg := Config{Live: true, System: true, Root: im.root, Dialect: d.dialect}
		if d.dialect == specs.Busybox {
			cfg.System, cfg.Users = false, []string{"root"}
		}
		timed, booted := activeEntries(observe(t, NewHost(im.root, nil), cfg))
		drawn := map[string]bool{}
		timed = slices.DeleteFunc(timed, func(o providers.Object) bool {
			random := o.Spec.Schedules[0].Random()
			if random {
				drawn[o.Attr("command")] = true
			}
			return random
		})
		minutes := tellingMinutes(t, timed)
		t.Logf("%d entries, %d minutes", len(timed), len(minutes))
		p := im.perform(d, "UTC", minutes)

		want := map[string]int{}
		for _, o := range booted {
			want[o.Attr("command")]++
		}
		sameRuns(t, "at boot", p.boot, want)
		for i, at := range minutes {
			maps.DeleteFunc(p.at[i], func(command string, _ int) bool { return drawn[command] })
			sameRuns(t, at.Format(time.DateTime), p.at[i], due(timed, at, time.UTC))
		}
		ran := map[string]int{}
		for _, m := range append(p.at, p.boot) {
			for command, n := range m {
				ran[command] += n
			}
		}
		for i, r := range rows {
			job, said := fmt.Sprintf("job %d", i), ""
			for _, o := range append(timed, booted...) {
				if o.Attr("command") == job {
					said = o.Attr("schedule")
				}
			}
			switch refused := r.verdict == "refuse"; {
			case refused && (said != "" || ran[job] > 0):
				t.Errorf("%q is refused, and we say %q, and it ran %d times", r.expression, said, ran[job])
			case !refused && said == "" && !drawn[job]:
				t.Errorf("%q is taken, and we do not list it", r.expression)
			case !refused && d.dialect != specs.Busybox && p.boot[fmt.Sprintf("boot %d", i)] != 1:
				t.Errorf("%q is taken, and its file is not loaded", r.expression)
			}
		}
	}, specs.Debian, specs.Cronie, specs.Busybox)
}
