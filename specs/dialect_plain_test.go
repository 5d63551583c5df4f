package specs

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs/slow"
)

var plainPieces = []string{
	"*", "*/1", "*/2", "*/5", "*/7", "*/15", "*/31", "*/60", "*/0", "0", "00", "5", "05", "7", "1-5", "5-1", "0-6", "0-7", "1-31/2", "10-20/3", "3-3/9",
	"59", "60", "31", "12", "*,5", "5,*", "1,3,5", "1-3,7-9/2", "", "-", "1-", "/2", "5/2", "mon", "jan-mar", "?", "*-3", "1,,2", "100", "1~3", "*/", "1-2-3",
}

// plainText is a schedule of pieces that the quick reader knows, and of some that
// it must leave alone.
func plainText(r *rand.Rand) string {
	fs := make([]string, 5)
	for i := range fs {
		fs[i] = plainPieces[r.IntN(len(plainPieces))]
		if r.IntN(3) == 0 {
			fs[i] = "*"
		}
		for r.IntN(4) == 0 {
			fs[i] += "," + plainPieces[r.IntN(len(plainPieces))]
		}
	}
	sep := " "
	if r.IntN(20) == 0 {
		sep = []string{"  ", "\t", "\n", "\u00a0"}[r.IntN(4)]
	}
	return strings.Join(fs, sep)
}

// checkPlain holds the quick reader to the dialect's own parser.
func checkPlain(t testing.TB, d Dialect, text string) (taken bool) {
	t.Helper()
	var quick plan
	if !readPlain(d, text, &quick) {
		return false
	}
	whole, bad := parseIn(d, text)
	if bad != nil {
		t.Fatalf("%s %q is read in passing, and the parser refuses it: %s", d, text, bad.why)
	}
	whole.normalise()
	if !reflect.DeepEqual(quick, *whole) {
		t.Fatalf("%s %q: read in passing as\n%+v, by the parser as\n%+v", d, text, quick, *whole)
	}
	return true
}

func TestPlainIsAsTheParserReads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	taken := map[Dialect]int{}
	for range 200_000 {
		text := plainText(r)
		for _, d := range Dialects() {
			if checkPlain(t, d, text) {
				taken[d]++
			}
		}
	}
	for _, d := range []Dialect{Debian, Cronie, GitHub, Kubernetes} {
		if taken[d] < 500 {
			t.Errorf("%s: only %d of 200,000 were read in passing", d, taken[d])
		}
	}
}

func TestPlainAllocatesNothing(t *testing.T) {
	for _, d := range []Dialect{Debian, Cronie, GitHub, Kubernetes} {
		for _, text := range []string{"*/15 9-17 1,15 1-6 1-5", "17 3 * * *", "0 0 * * 0"} {
			if n := testing.AllocsPerRun(100, func() {
				if _, err := ParseSchedule(d, text, "UTC"); err != nil {
					t.Fatal(err)
				}
			}); n != 0 && !slow.Only() {
				t.Errorf("%s %q: %v allocations", d, text, n)
			}
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, text := range []string{"*/15 9-17 1,15 1-6 1-5", "17 3 * * *", "* */2 * * *", "0 0 31 2 *", "0 0 1-5/2 * 7"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range Dialects() {
			checkPlain(t, d, text)
		}
	})
}
