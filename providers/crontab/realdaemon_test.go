//go:build linux && amd64

package crontab

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// daemon is a program that judges what we say.
type daemon struct {
	dialect specs.Dialect
	file    string // what the program is called
	start   string // the end of a script that becomes it
	spool   string // where its users' tables stand
	hint    string // how to get it
	// values are the times to give it for one minute, which is judged after the
	// one of index judged.
	values func(minute time.Time) []time.Time
	judged int
}

// vixie wakes at any minute, and runs what is due at it, however far it is from
// the last one. Into the minute it comes at its first second.
func vixie(minute time.Time) []time.Time { return []time.Time{minute.Add(time.Second)} }

// busyboxSteps: after a leap of over an hour this daemon runs nothing, and it
// looks after the jobs that ended at the next wake only.
func busyboxSteps(minute time.Time) []time.Time {
	return []time.Time{minute.Add(-30 * time.Second), minute.Add(time.Second), minute.Add(11 * time.Second)}
}

var judges = map[specs.Dialect]daemon{
	specs.Debian: {dialect: specs.Debian, file: "cron", start: "cron -f", spool: "/var/spool/cron/crontabs", hint: "apt-get install cron", values: vixie},
	// cronie is not among Debian 12's packages; it judges where it stands.
	specs.Cronie:  {dialect: specs.Cronie, file: "crond", start: "crond -n", spool: "/var/spool/cron", values: vixie},
	specs.Busybox: {dialect: specs.Busybox, file: "busybox", start: "busybox crond -f -c /var/spool/cron/crontabs", spool: "/var/spool/cron/crontabs", hint: "apt-get install busybox-static", values: busyboxSteps, judged: 1},
}

// eachDaemon runs a test with every daemon that is here.
func eachDaemon(t *testing.T, test func(t *testing.T, d daemon), dialects ...specs.Dialect) {
	needReal(t)
	if err := traceable(); err != nil && os.Getenv("ROLECALL_REAL") == "require" {
		t.Fatal(err)
	} else if err != nil {
		t.Skip(err)
	}
	for _, dialect := range dialects {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d := judges[dialect]
			if d.missing() && os.Getenv("ROLECALL_REAL") == "require" && d.hint != "" {
				t.Fatalf("%s is not installed; %s", dialect, d.hint)
			} else if d.missing() {
				t.Skipf("%s is not installed", dialect)
			}
			test(t, d)
		})
	}
}

// traceable says why no process can be traced here.
func traceable() error {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("a daemon's clock cannot be set here: %w", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	return nil
}

func (d daemon) missing() bool {
	ask := map[specs.Dialect][]string{specs.Debian: {"cron", "-V"}, specs.Cronie: {"crond", "-V"}, specs.Busybox: {"busybox", "--list"}}[d.dialect]
	if _, err := exec.LookPath(ask[0]); err != nil {
		return true
	}
	if d.dialect == specs.Debian {
		return false
	}
	out, _ := exec.Command(ask[0], ask[1]).CombinedOutput()
	return d.dialect == specs.Cronie && !bytes.Contains(out, []byte("cronie")) || d.dialect == specs.Busybox && !bytes.Contains(out, []byte("\ncrond\n"))
}

// recorder is a shell that notes what it is called with, for SHELL=.
func (im *image) recorder() string {
	file := im.out + "/sh"
	im.must(os.WriteFile(file, []byte("#!/bin/sh\numask 0\nprintf '%s\\n' \"$2\" >> "+im.out+"/ran\n"), 0o755))
	return file
}

// recorded are the commands that the recorder was called with since it was last
// asked, and how often.
func (im *image) recorded() map[string]int {
	file := filepath.Join(im.out, "ran")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil && !os.IsNotExist(err) {
		im.must(err)
	}
	got := map[string]int{}
	for line := range strings.Lines(string(data)) {
		got[strings.TrimSuffix(line, "\n")]++
	}
	return got
}

// performance is what a daemon ran at boot and in each minute that it was given.
type performance struct {
	boot map[string]int
	at   []map[string]int
}

// perform gives a daemon in a zone one minute after the other.
func (im *image) perform(d daemon, zone string, minutes []time.Time) performance {
	im.t.Helper()
	var p performance
	var steps []time.Time
	each := len(d.values(minutes[0]))
	for _, m := range minutes {
		steps = append(steps, d.values(m)...)
	}
	i := 0
	for j := range steps {
		if j > 0 && steps[j].Before(steps[j-1]) {
			im.t.Fatalf("minute %d is given before the one ahead of it is over", j/each)
		}
	}
	im.onStage(d.file, "exec env TZ="+zone+" "+d.start, steps[0].Add(-12*time.Hour).Unix(), func() (int64, bool) {
		ran := im.recorded()
		switch {
		case i == 0:
			p.boot = ran
		case (i-1)%each == d.judged:
			p.at = append(p.at, ran)
		case len(ran) > 0:
			im.t.Errorf("%s ran %v at %v, where nothing was due", d.file, ran, steps[i-1])
		}
		if i == len(steps) {
			return 0, false
		}
		i++
		return steps[i-1].Unix(), true
	})
	if len(p.at) != len(minutes) {
		im.t.Fatalf("%s saw %d of %d minutes", d.file, len(p.at), len(minutes))
	}
	return p
}
