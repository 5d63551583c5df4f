package dialecttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/aptible/supercronic/cronexpr"
	"github.com/rhysd/actionlint"
	"github.com/robfig/cron/v3"
	"github.com/sirupsen/logrus"

	"github.com/rolecall-dev/rolecall/specs"
)

func TestMain(m *testing.M) {
	logrus.SetOutput(io.Discard) // supercronic tells there what it does
	os.Exit(m.Run())
}

// measured are the expressions of a dialect in specs/testdata/dialects.tsv.
func measured(t testing.TB, d specs.Dialect) (out []string) {
	t.Helper()
	data, err := os.ReadFile("../testdata/dialects.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if col := strings.Split(line, "\t"); len(col) == 4 && col[0] == string(d) {
			out = append(out, strings.ReplaceAll(col[1], `\t`, "\t"))
		}
	}
	if len(out) < 190 {
		t.Fatalf("%s: %d rows", d, len(out))
	}
	return out
}

// schedule is what both libraries make of an expression.
type schedule interface {
	Next(time.Time) time.Time
}

var errPanic = errors.New("panic")

// guard turns a panic of a library into errPanic.
func guard[T any](read func() (T, error)) (out T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", errPanic, r)
		}
	}()
	return read()
}

func robfig(text string) (schedule, error) {
	return guard(func() (schedule, error) { return cron.ParseStandard(text) })
}

// supercronic reads as its crontab reader does, save that there a command
// stands behind. A schedule of which one field is empty is taken and panics at
// the first Next, when the job is started; that stops the program and is an
// error here.
func supercronic(text string) (schedule, error) {
	return guard(func() (schedule, error) {
		s, err := cronexpr.ParseStrict(text)
		if err != nil {
			return nil, err
		}
		s.Next(time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)) // before any year that it may be bound to
		return s, nil
	})
}

// lint is what actionlint says of a schedule in a workflow, by its rule for
// events; nil where it says nothing.
func lint(text string) error {
	quoted, err := json.Marshal(text) // a JSON string is a YAML one
	if err != nil {
		return err
	}
	_, err = guard(func() (any, error) {
		workflow := fmt.Sprintf("on:\n  schedule:\n    - cron: %s\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{run: 'true'}]\n", quoted)
		w, errs := actionlint.Parse([]byte(workflow))
		if len(errs) > 0 {
			return nil, errs[0]
		}
		rule := actionlint.NewRuleEvents()
		if err := rule.VisitWorkflowPre(w); err != nil {
			return nil, err
		}
		if errs := rule.Errs(); len(errs) > 0 {
			return nil, errs[0]
		}
		return nil, nil
	})
	return err
}

func verdict(err error) string {
	switch {
	case err == nil:
		return "accept"
	case errors.Is(err, errPanic):
		return "panic"
	}
	return "refuse"
}

var zones = []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo"}

func load(t testing.TB, zone string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// runRobfig is the run that follows one, as the controller asks for it; zero
// if there is none.
func runRobfig(s schedule, at time.Time) time.Time { return s.Next(at) }

// runSupercronic plays supercronic's loop (startFunc in its cron/cron.go): an
// instant that lies behind makes it ask again, from the time that it is then.
func runSupercronic(s schedule, at time.Time) time.Time {
	for now := at; now.Before(at.Add(24 * time.Hour)); now = now.Add(time.Second) {
		if next := s.Next(now); next.IsZero() || next.After(now) {
			return next
		}
	}
	return time.Time{}
}

// follow walks both from an instant to another and says where they part.
func follow(s specs.Schedule, theirs schedule, run func(schedule, time.Time) time.Time, at, until time.Time, steps int) string {
	for range steps {
		got, ok := s.NextIn(at, at.Location())
		want, err := guard(func() (time.Time, error) { return run(theirs, at), nil })
		if err != nil {
			return fmt.Sprintf("after %s: %s, the program %v", at, shown(got, ok, at.Location()), err)
		}
		if ok == want.IsZero() || ok && !got.Equal(want) {
			return fmt.Sprintf("after %s: %s, the program %s", at, shown(got, ok, at.Location()), shown(want, !want.IsZero(), at.Location()))
		}
		if at = want; !ok || at.After(until) {
			break
		}
	}
	return ""
}

func shown(at time.Time, ok bool, loc *time.Location) string {
	if !ok {
		return "nothing"
	}
	return at.In(loc).String()
}

// changes are the instants at which the clock of a zone changes in some years.
func changes(loc *time.Location, from, until time.Time) (out []time.Time) {
	for at := from; at.Before(until); at = at.Add(time.Hour) {
		_, a := at.In(loc).Zone()
		_, b := at.Add(time.Hour).In(loc).Zone()
		if a != b {
			out = append(out, at)
		}
	}
	return out
}

func TestTheLintedWorkflowIsOne(t *testing.T) {
	if err := lint("17 4 * * *"); err != nil {
		t.Error(err)
	}
	if err := lint("17 4 * *"); err == nil || !bytes.Contains([]byte(err.Error()), []byte("CRON")) {
		t.Errorf("%v", err)
	}
}
