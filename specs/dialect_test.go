package specs

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

type measured struct {
	dialect          Dialect
	expression       string
	verdict, meaning string
}

func readMeasured(t *testing.T) []measured {
	t.Helper()
	f, err := os.Open("testdata/dialects.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []measured
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		c := strings.Split(sc.Text(), "\t")
		if len(c) != 4 || c[0] == "dialect" {
			continue
		}
		out = append(out, measured{Dialect(c[0]), strings.ReplaceAll(c[1], `\t`, "\t"), c[2], c[3]})
	}
	if len(out) < 1000 {
		t.Fatalf("only %d rows", len(out))
	}
	return out
}

func TestMeasuredVerdicts(t *testing.T) {
	for _, m := range readMeasured(t) {
		s, err := ParseSchedule(m.dialect, m.expression, "")
		got := "accept"
		switch {
		case err != nil:
			got = "refuse"
		case s.Random():
			got = "random"
		case m.verdict == "warn" && len(s.Warnings()) > 0:
			got = "warn"
		}
		if got != m.verdict {
			t.Errorf("%s %q: %s (%v), measured %s %s", m.dialect, m.expression, got, err, m.verdict, m.meaning)
		}
	}
}
