//go:build linux && amd64

package crontab

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// The daemons are the judges of what loads: those jobs of the probes run that
// the table names and that we call active, and no others.
func TestRealDaemonsLoadWhatWeSay(t *testing.T) {
	_, rows := loadRules(t)
	eachDaemon(t, func(t *testing.T, d daemon) {
		im := newImage(t)
		if d.dialect == specs.Cronie {
			im.must(os.Remove(im.root + "/var/spool/cron/crontabs"))
		}
		cfg := Config{Live: true, System: true, Root: im.root, Dialect: d.dialect, Users: probeUsers()}
		for _, p := range probes() {
			im.put(p, d.spool)
		}
		o := observe(t, NewHost(im.root, nil), cfg)
		im.perform(d, "UTC", []time.Time{sunday})
		ran := im.ran()
		same(t, "the daemon and we", ran, activeJobs(o, ": > "+im.out+"/"))
		column := map[specs.Dialect]string{specs.Debian: debianColumn(t, im), specs.Cronie: "cronie 1.7.2"}[d.dialect]
		for job, r := range rows {
			if want, measured := r[column]; measured && ran[job] != want {
				t.Errorf("%s ran: %v, the table says %v", job, ran[job], want)
			}
		}
		for _, job := range slices.Sorted(maps.Keys(ran)) {
			if _, known := rows[job]; !known {
				t.Errorf("%s ran and has no row", job)
			}
		}
		if gaps := o.Gaps(); len(gaps) > 0 {
			t.Errorf("gaps: %+v", gaps)
		}
	}, specs.Debian, specs.Cronie)
}

// debianColumn is the column of the version that is installed; none if it is
// neither that nor one that reads files as it does.
func debianColumn(t *testing.T, im *image) string {
	l := &look{Provider: &Provider{host: NewHost(im.root, nil)}}
	recent, known := recentCron(l.installed("cron"))
	switch {
	case !known:
		t.Log("the version of cron is none that was measured")
		return ""
	case recent:
		return "debian 3.0pl1-197"
	}
	return "debian 3.0pl1-162"
}

// busyboxProbe is a user's table below a line that has its jobs recorded, and
// the commands that busybox crond runs of it in one minute of a Sunday.
type busyboxProbe struct {
	user string
	text string
	uid  int
	mode os.FileMode
	want []string
	// bare leaves the line that records out.
	bare bool
}

func busyboxProbes() []busyboxProbe {
	const always = "* * * * * "
	lines := []struct {
		text string
		want []string
	}{
		{always + "plain", []string{"plain"}},
		{" \t*\t*  *\t*\t* \tblanks  a  b \t", []string{"blanks  a  b"}},
		{"# " + always + "commented", nil},
		{always + "hash # cut", []string{"hash"}},
		{always + "hash '# \"cut", []string{"hash '"}},
		{always + "hash\\#cut", []string{"hash\\"}},
		{always + "# nothing", nil},
		{"* * * * #* x", nil},
		{always + "percent%a\\%b", []string{"percent%a\\%b"}},
		{always + "joined \\\n  with", []string{"joined   with"}},
		{always + "joined\\\n\\\ntwice", []string{"joinedtwice"}},
		{"# comment \\\n" + always + "swallowed", nil},
		{always + "return\r", []string{"return\r"}},
		{"\r", nil},
		{"* * * * *\r cr-in-field", []string{"cr-in-field"}},
		{always + "nul\x00cut", []string{"nul"}},
		{"\x00" + always + "cut", nil},
		{"\xef\xbb\xbf" + always + "bom", nil},
		{"\f" + always + "formfeed", nil},
		{always + "- option", []string{"- option"}},
		{"-" + always + "dash", nil},
		{"* * * * *", nil},
		{"* * * * few", nil},
		{always + "* star", []string{"* star"}},
		{"@daily", nil},
		{"@every 5m every", nil},
		{"@fortnightly a b c d e", nil},
		{"A=b", nil},
		{"A = b c d e f", nil},
		{"HOME=/x", nil},
		{"CRON_TZ=Asia/Tokyo", nil},
		{"TZ=UTC " + always + "zone", nil},
		{"TZ=UTC 12 * * * zone", nil},
		{"MAILTO=nobody@example.org", nil},
		{"MAILTO=", nil},
		{"* * * * 7 seven", []string{"seven"}},
		{"* * * * mon-sun names", []string{"names"}},
		{"* * * * sunday long-name", []string{"long-name"}},
		{"* * * * mon#1 nth", nil},
		{"* * * * 1,,0 empty-item", nil},
		{"60 * * * * minute-60", []string{"minute-60"}},
		{"* 24 * * * hour-24", []string{"hour-24"}},
		{"0 12 1 aug * due", []string{"due"}},
		{"0 12 2 * sun either", []string{"either"}},
		{"0 12 */2 * * even-days", nil},
		{"0 12 1-31/2 * * odd-days", []string{"odd-days"}},
		{"1 12 * * * a-minute-late", nil},
		{"? * * * * quartz", nil},
		{always + "long " + strings.Repeat("x", 5000), []string{"long " + strings.Repeat("x", 5000)}},
		{always + "last", []string{"last"}},
	}
	all := busyboxProbe{user: "root", mode: 0o600}
	for _, l := range lines {
		all.text += l.text + "\n"
		all.want = append(all.want, l.want...)
	}
	all.text = strings.TrimSuffix(all.text, "\n") + "\\" // no newline, and one too many
	one := func(user string, uid int, mode os.FileMode, want ...string) busyboxProbe {
		return busyboxProbe{user: user, text: always + user + "\n", uid: uid, mode: mode, want: want}
	}
	limit := busyboxProbe{user: "games", mode: 0o600, text: strings.Repeat("# c\n\n", 200) + strings.Repeat("0 0 1 1 * x\n", 252) + always + "line-254\n" + always + "line-255\n" + always + "line-256\n", want: []string{"line-254", "line-255"}}
	return []busyboxProbe{
		all, limit,
		one("bin", 2, 0o600), one("sys", 0, 0o666, "sys"), one("man", 0, 0o000, "man"), one("nobody", 0, 0o644, "nobody"),
		one("no.dot", 0, 0o600), one("stranger", 0, 0o600),
		{user: "mail", mode: 0o600, text: always + "unfinished", want: []string{"unfinished"}},
		{user: "news", mode: 0o600, bare: true, text: "SHELL=RECORDER # the rest\n" + always + "one\nSHELL=/bin/false\n" + always + "two\n  SHELL=RECORDER\n" + always + "three\nSHELL=\"RECORDER\"\n" + always + "four\n", want: []string{"one", "three"}},
	}
}

// Busybox crond is the judge of what its lines mean.
func TestRealBusyboxReadsWhatWeSay(t *testing.T) {
	eachDaemon(t, func(t *testing.T, d daemon) {
		im := newImage(t)
		shell := im.recorder()
		im.write("/etc/passwd", passwd()+"no.dot:*:4243:4243::/srv:/bin/sh\n", 0o644)
		im.must(os.Chmod(im.out, 0o777))
		cfg := Config{Live: true, Root: im.root, Dialect: d.dialect}
		want := map[string]int{}
		for _, p := range busyboxProbes() {
			head := "SHELL=" + shell + "\n"
			if p.bare {
				head = ""
			}
			im.write(d.spool+"/"+p.user, head+strings.ReplaceAll(p.text, "RECORDER", shell), p.mode)
			im.must(os.Chown(im.root+d.spool+"/"+p.user, p.uid, -1))
			for _, w := range p.want {
				want[w]++
			}
			if p.user != "stranger" {
				cfg.Users = append(cfg.Users, p.user)
			}
		}
		o := observe(t, NewHost(im.root, nil), cfg)
		ran := im.perform(d, "UTC", []time.Time{sunday}).at[0]
		sameRuns(t, "the table", ran, want)
		timed, _ := activeEntries(o)
		timed = slices.DeleteFunc(timed, func(o providers.Object) bool { // that the shell is none is no matter of the table
			return o.Attr("command") == "two" || o.Attr("command") == "four"
		})
		sameRuns(t, "the daemon", ran, due(timed, sunday, time.UTC))
		if gaps := o.Gaps(); len(gaps) > 0 {
			t.Errorf("gaps: %+v", gaps)
		}
	}, specs.Busybox)
}

// Debian's build of busybox crond ends with a fault at a line that begins with a
// word which it knows, and passes the others by.
func TestRealBusyboxEndsAtWords(t *testing.T) {
	eachDaemon(t, func(t *testing.T, d daemon) {
		for line, ends := range map[string]bool{
			"@daily x": true, "@hourly x": true, "@reboot x y": true, "@midnight x": true, "@daily": false, "@every 5m x": false, "@Daily x": false,
		} {
			im := newImage(t)
			im.write(d.spool+"/root", line+"\n1 1 1 1 * x\n", 0o600)
			cmd := im.command("exec " + d.start)
			cmd.Stderr = io.Discard
			im.must(cmd.Start())
			over := make(chan error, 1)
			go func() { over <- cmd.Wait() }()
			ended := false
			until(t, func() bool {
				select {
				case <-over:
					ended = true
				default:
				}
				return ended || asleep(cmd.Process.Pid)
			}, func() string { return "the daemon neither ends nor sleeps" })
			if !ended {
				cmd.Process.Kill()
				<-over
			}
			if ended != ends {
				t.Errorf("%q: the daemon ended: %v", line, ended)
			}
			warned := strings.Contains(show(observe(t, NewHost(im.root, nil), Config{Live: true, Users: []string{"root"}, Root: im.root, Dialect: d.dialect})), "note early-warning at 1")
			if warned != ends {
				t.Errorf("%q: we warn: %v", line, warned)
			}
		}
	}, specs.Busybox)
}

// asleep says that a daemon waits for its next minute.
func asleep(pid int) bool {
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	call, _ := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
	return filepath.Base(exe) == "busybox" && strings.HasPrefix(string(call), fmt.Sprint(syscall.SYS_CLOCK_NANOSLEEP, " "))
}
