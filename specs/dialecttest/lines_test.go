package dialecttest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aptible/supercronic/crontab"

	"github.com/rolecall-dev/rolecall/providers"
	ours "github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/specs"
)

// readCrontab is supercronic's own reading of a file.
func readCrontab(data string) (*crontab.Crontab, error) {
	return guard(func() (*crontab.Crontab, error) {
		tab, err := crontab.ParseCrontab(strings.NewReader(data))
		if err != nil {
			return nil, err
		}
		for _, job := range tab.Jobs {
			job.Expression.Next(time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC))
		}
		return tab, nil
	})
}

// readOurs is what the crontab provider says of the same bytes.
func readOurs(t testing.TB, data string) providers.Observation {
	t.Helper()
	p, err := ours.New(ours.NewHost("", strings.NewReader(data)), ours.Config{
		Source: "s", Dialect: specs.Supercronic, Files: []ours.File{{Path: "-"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p.Observe(context.Background(), providers.Selection{})
}

func active(o providers.Observation) (out []providers.Object) {
	for _, one := range o.Objects {
		if !one.Opaque && len(one.Inactive()) == 0 {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b providers.Object) int { return a.Pos.Line - b.Pos.Line })
	return out
}

// sameJobs says where two readings of a crontab differ: jobs, commands, next
// instants, environment. A file that the program does not take runs nothing.
func sameJobs(data string, tab *crontab.Crontab, err error, objects []providers.Object) string {
	if err != nil {
		if len(objects) > 0 {
			return fmt.Sprintf("the program refuses it (%v), and %d jobs are active", err, len(objects))
		}
		return ""
	}
	if len(objects) != len(tab.Jobs) {
		return fmt.Sprintf("%d jobs are active, the program has %d", len(objects), len(tab.Jobs))
	}
	for i, job := range tab.Jobs {
		o := objects[i]
		if got := o.Spec.Body.Get("command").Text; got != job.Command {
			return fmt.Sprintf("job %d: command %q, the program's %q", i, got, job.Command)
		}
		s := o.Spec.Schedules[0]
		at := time.Date(2027, 1, 1, 0, 0, 0, 0, tab.Context.Timezone)
		if s.Zone != specs.Local && s.Zone != tab.Context.Timezone.String() {
			return fmt.Sprintf("job %d: zone %s, the program's %s", i, s.Zone, tab.Context.Timezone)
		}
		if bad := follow(s, job.Expression, runSupercronic, at, at.AddDate(100, 0, 0), 3); bad != "" {
			return fmt.Sprintf("job %d: %s", i, bad)
		}
		for name, value := range tab.Context.Environ {
			if got := o.Env.Get(name); got.Kind != specs.Text || got.Text != value {
				return fmt.Sprintf("job %d: %s=%q, the program's %q", i, name, got.Text, value)
			}
		}
	}
	return ""
}

// TestLinesAsSupercronic: rows measured on supercronic 0.2.48, and what its
// limits and quotes make of a file. want is how many jobs run; -1 where the
// program takes none of the file, -2 where it breaks.
func TestLinesAsSupercronic(t *testing.T) {
	const job = "* * * * * x"
	for _, c := range []struct {
		name, data string
		want       int
	}{
		{"a bare setting", "FOO=\n" + job, -2},
		{"CRLF", "FOO=bar\r\n" + job + "\r\n", 1},
		{"no newline at the end", job, 1},
		{"no user column", "* * * * * root cmd arg\n", 1},
		{"a late setting", job + "\nFOO=late\n", 1},
		{"two zones", "CRON_TZ=Asia/Tokyo\n0 1 * * * a\nCRON_TZ=America/New_York\n0 2 * * * b\n", 2},
		{"a blank in the name", "A B=c\n" + job, -1},
		{"reboot", "@reboot x\n" + job, -1},
		{"six fields", "0 0 * * * 2030 x\n", 1},
		{"seven fields", "5 4 * * * * * x y\n", 1},
		{"five fields and a number", "0 0 * * 0 1 y\n", 1},
		{"byte order mark", "\ufeff" + job + "\n", -1},
		{"percent", "* * * * * echo a%b\n", 1},
		{"a schedule without a command", "* * * * *\n", -1},
		{"a word", "@daily x\n@hourly y z\n", 2},
		{"a word that is none", "@midnight x\n", -1},
		{"TZ in front", "TZ=UTC 0 0 * * * x\n" + job, 1},
		{"quotes", "A=\"b c\"\nB='d'\nC=\"e\nD=\"\"\n" + job, 1},
		{"an equals sign in the command", "* * * * * A=b x\n", 1},
		{"blanks in front", " \t* * * * * x\n\t# comment\n\n", 1},
		{"an empty range", "5-1/2 * * * * x\n", -2},
		{"the longest line", job + strings.Repeat("y", 65534-len(job)) + "\n", 1},
		{"a byte more", job + strings.Repeat("y", 65535-len(job)) + "\n", 1},
		{"a line too long", job + strings.Repeat("y", 65536-len(job)) + "\n", -1},
		{"a longest last line", job + strings.Repeat("y", 65535-len(job)), 1},
		{"a last line too long", job + strings.Repeat("y", 65536-len(job)), -1},
		{"no such zone", "CRON_TZ=Mars/Base\n" + job, -1},
		{"NUL", "* * * * * x\x00y\n", 1},
		{"nothing", "", 0},
	} {
		tab, err := readCrontab(c.data)
		got := -1
		switch {
		case verdict(err) == "panic":
			got = -2
		case err == nil:
			got = len(tab.Jobs)
		}
		if got != c.want {
			t.Errorf("%s: the program has %d (%v), want %d", c.name, got, err, c.want)
		}
		if bad := sameJobs(c.data, tab, err, active(readOurs(t, c.data))); bad != "" {
			t.Errorf("%s: %s", c.name, bad)
		}
	}
}

func FuzzLinesAsSupercronic(f *testing.F) {
	for _, data := range []string{
		"FOO=bar\n* * * * * x\n", "CRON_TZ=Asia/Tokyo\n@daily a\nCRON_TZ=\"UTC\"\n", "0 0 L * 5L 2030 x\ny=\"z'\n", "A =\tb\n\v1 1 1 1 1 x", "#\n\r\n1,2 0-5/2 ? jan sun#2 a=b\r\r\n",
	} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if len(data) > 4096 {
			return
		}
		tab, err := readCrontab(data)
		if bad := sameJobs(data, tab, err, active(readOurs(t, data))); bad != "" {
			t.Errorf("%q: %s", data, bad)
		}
	})
}
