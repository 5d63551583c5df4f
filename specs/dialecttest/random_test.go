package dialecttest

import (
	"flag"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

var (
	randomCount = flag.Int("random", 20_000, "random expressions for each program")
	randomSeed  = flag.Int64("random-seed", 1, "seed of the random expressions; 0 draws one")
)

// TestRandomAsRobfig and TestRandomAsSupercronic make expressions from the
// fields of the rows and from pieces of fields, many of them malformed, and
// compare the verdict and five instants in a row.
func TestRandomAsRobfig(t *testing.T) {
	compareRandom(t, specs.Kubernetes, robfig, runRobfig)
}

func TestRandomAsSupercronic(t *testing.T) {
	compareRandom(t, specs.Supercronic, supercronic, runSupercronic)
}

func compareRandom(t *testing.T, d specs.Dialect, parse func(string) (schedule, error), next run) {
	t.Parallel()
	seed := *randomSeed
	if seed == 0 {
		seed = time.Now().UnixNano()
	}
	t.Logf("seed: -random-seed=%d", seed)
	g := newGenerator(t, d, seed)
	accepted, bad := 0, 0
	for range *randomCount {
		text := g.expression()
		zone := zones[g.Intn(len(zones))]
		ours, err := specs.ParseSchedule(d, text, zone)
		theirs, err2 := parse(text)
		if (err == nil) != (err2 == nil) {
			bad++
			t.Errorf("%q: %v; the program: %v", text, err, err2)
		}
		if err == nil && err2 == nil {
			accepted++
			at := g.start(load(t, zone))
			if differs := follow(ours, theirs, next, at, at.AddDate(100, 0, 0), 5); differs != "" {
				bad++
				t.Errorf("%s %q: %s", zone, text, differs)
			}
		}
		if bad > 20 {
			t.Fatal("too many")
		}
	}
	t.Logf("%d of %d accepted", accepted, *randomCount)
	if accepted < *randomCount/4 || accepted > *randomCount*9/10 {
		t.Error("these are no test")
	}
}

// start is an instant of 2024 to 2040, in half of the cases shortly before a
// change of the clock. It is always that where clocks change by half an hour:
// there robfig/cron names other instants when it is asked after the change than
// when it is asked from run to run, and the chain of runs is what we give.
func (g *generator) start(loc *time.Location) time.Time {
	from := time.Unix(1704067200, 0).In(loc)
	all, known := g.changes[loc.String()]
	if !known {
		all = changes(loc, from, from.AddDate(16, 0, 0))
		g.changes[loc.String()] = all
	}
	if len(all) > 0 && (loc.String() == "Australia/Lord_Howe" || g.Intn(2) == 0) {
		return all[g.Intn(len(all))].Add(-time.Duration(g.Intn(48*3600)) * time.Second)
	}
	return from.Add(time.Duration(g.Intn(16*365*86400))*time.Second + time.Duration(g.Intn(2)*5e8))
}

type generator struct {
	*rand.Rand
	fields  [5][]string
	dialect specs.Dialect
	changes map[string][]time.Time
}

var pieces = []string{
	"*", "?", "*", "0", "1", "5", "7", "12", "23", "31", "59", "60", "-", "-", ",", ",", "/", "*/", "*/2", "*/31", "1-5", "jan", "MON", "sun", "Sunday", "september",
	"+3", "007", "08", "~", "L", "W", "LW", "#", "#2", "x", "4294967297", "1970", "2030", "2099", "\v", "٣", "-0", "--",
}

func newGenerator(t *testing.T, d specs.Dialect, seed int64) *generator {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), dialect: d, changes: map[string][]time.Time{}}
	for _, text := range measured(t, d) {
		f := strings.Fields(text)
		for i := 0; len(f) == 5 && i < 5; i++ {
			if !slices.Contains(g.fields[i], f[i]) {
				g.fields[i] = append(g.fields[i], f[i])
			}
		}
	}
	return g
}

func (g *generator) field(i int) string {
	low, high := [5]int{0, 0, 1, 1, 0}[i], [5]int{59, 23, 31, 12, 6}[i]
	value := func() string { return strconv.Itoa(low + g.Intn(high-low+2)) }
	switch n := g.Intn(100); {
	case n < 42:
		return "*"
	case n < 63:
		return g.fields[i][g.Intn(len(g.fields[i]))]
	case n < 71:
		return value()
	case n < 77:
		return value() + "-" + value()
	case n < 82:
		return value() + "-" + value() + "/" + value()
	case n < 87:
		return "*/" + value()
	case n < 90:
		return value() + "/" + value()
	case n < 96:
		return g.field(i) + "," + g.field(i)
	}
	token := ""
	for range 1 + g.Intn(3) {
		token += pieces[g.Intn(len(pieces))]
	}
	return token
}

var words = []string{"@daily", "@hourly", "@midnight", "@reboot", "@every 90s", "@every 1.5h", "@every -5m", "@every 1d", "@weekly", "@Yearly", "@annually", "@monthly "}

func (g *generator) expression() string {
	if g.Intn(60) == 0 {
		return words[g.Intn(len(words))]
	}
	var f []string
	for i := range 5 {
		f = append(f, g.field(i))
	}
	if g.dialect == specs.Supercronic {
		year := []string{"*", "2030", "2028-2031", "*/4", "2027,2031", "2099", "2020", "20/3", g.field(0)}[g.Intn(9)]
		switch g.Intn(8) {
		case 0:
			f = append(f, year)
		case 1:
			f = append(append([]string{g.field(0)}, f...), year)
		}
	}
	if g.Intn(40) == 0 {
		f = f[:g.Intn(len(f))]
	}
	text := strings.Join(f, []string{" ", " ", " ", "  ", "\t"}[g.Intn(5)])
	switch g.Intn(60) {
	case 0:
		return "TZ=Europe/Berlin " + text
	case 1:
		return "CRON_TZ= " + text
	case 2:
		return " " + text + " "
	case 3:
		return text + " " + pieces[g.Intn(len(pieces))]
	}
	return text
}
