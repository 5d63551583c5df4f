//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// units copies the units to a folder, with the program that is tested in place
// of the one that a package installs.
func units(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	self := filepath.Join(dir, "rolecall")
	text, err := os.ReadFile(program(t))
	if err == nil {
		err = os.WriteFile(self, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("deploy/systemd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join("deploy/systemd", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		writeFiles(t, dir, map[string]string{e.Name(): strings.ReplaceAll(string(data), "/usr/bin/rolecall ", self+" ")})
		names = append(names, filepath.Join(dir, e.Name()))
	}
	return dir, names
}

// TestUnits holds the units to systemd's own reading of them: every line is
// known, every unit that is named is there, and what runs could do little harm.
func TestUnits(t *testing.T) {
	analyze := needProgram(t, "systemd-analyze")
	_, names := units(t)
	if len(names) < 4 {
		t.Fatalf("only %d units", len(names))
	}
	run := func(args ...string) string {
		out, err := exec.Command(analyze, args...).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
	if out := run(append([]string{"verify", "--man=no"}, names...)...); strings.TrimSpace(out) != "" {
		t.Errorf("systemd-analyze verify says:\n%s", out)
	}
	for _, name := range names {
		for _, when := range settingsOf(t, name, "OnCalendar") {
			run("calendar", when)
		}
		for _, unit := range settingsOf(t, name, "Unit") {
			if !slices.Contains(names, filepath.Join(filepath.Dir(name), unit)) {
				t.Errorf("%s starts %s, which is not there", filepath.Base(name), unit)
			}
		}
		if strings.HasSuffix(name, ".service") {
			// Of 100; a service of which nothing is said has 96.
			run("security", "--offline=true", "--threshold=20", name)
		}
	}
}

// settingsOf are the values of a key in a unit.
func settingsOf(t *testing.T, file, key string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			out = append(out, strings.TrimSpace(value))
		}
	}
	return out
}

// TestPathUnitWatchesWhereTablesAre: what the live side reads is what the path
// unit watches.
func TestPathUnitWatchesWhereTablesAre(t *testing.T) {
	watched := settingsOf(t, "deploy/systemd/rolecall-audit.path", "PathChanged")
	for _, want := range []string{"/etc/crontab", "/etc/anacrontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily", "/etc/cron.weekly", "/etc/cron.monthly", "/var/spool/cron", "/var/spool/cron/crontabs"} {
		if !slices.Contains(watched, want) {
			t.Errorf("%s is not watched", want)
		}
	}
	if len(watched) != 9 {
		t.Errorf("watched: %q", watched)
	}
}

// TestServiceCommand runs the command of the service as the service runs it: as
// root with one of root's rights, which is enough to read the tables of all users
// and without which they are a gap.
func TestServiceCommand(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can take rights away from root")
	}
	setpriv := needProgram(t, "setpriv")
	dir, _ := units(t)
	service := filepath.Join(dir, "rolecall-audit.service")
	rights := settingsOf(t, service, "CapabilityBoundingSet")
	if len(rights) != 1 || rights[0] != "CAP_DAC_READ_SEARCH" {
		t.Fatalf("rights %q", rights)
	}
	writeFiles(t, dir, map[string]string{
		"host/var/spool/cron/crontabs/nobody": "# rolecall: role=tidy version=1\n0 3 * * * /bin/tidy\n",
		"host/etc/crontab":                    "",
		"etc/rolecall.yaml":                   fmt.Sprintf("ledger: ledger.yaml\nsources:\n  - name: web-1\n    crontab: {root: %s/host, users: [nobody], dialect: debian}\n", dir),
		"etc/ledger.yaml":                     cleanLedger,
	})
	spool := filepath.Join(dir, "host/var/spool/cron/crontabs")
	err := errors.Join(
		os.Chown(filepath.Join(spool, "nobody"), 65534, -1), os.Chmod(filepath.Join(spool, "nobody"), 0o600),
		os.Chown(spool, 65534, -1), os.Chmod(spool, 0o700), os.Chmod(dir, 0o755),
		os.WriteFile(filepath.Join(dir, "host/etc/passwd"), []byte("nobody:x:65534:65534::/:/bin/sh\n"), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
	command := strings.NewReplacer("/etc/rolecall", filepath.Join(dir, "etc"), "/var/lib/rolecall", dir, "/var/log/rolecall", dir).Replace(settingsOf(t, service, "ExecStart")[0])
	run := func(rights string) (int, string) {
		args := []string{"--no-new-privs", "--bounding-set=-all" + rights, "--inh-caps=-all", "--"}
		cmd := exec.Command(setpriv, append(args, strings.Fields(command)...)...)
		cmd.Dir = "/"
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	if code, out := run(",+dac_read_search"); code != 0 {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, name := range []string{"report.json", "rolecall.prom"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if code, out := run(""); code != 3 {
		t.Errorf("without the right: exit %d, want 3 as the table cannot be read\n%s", code, out)
	}
}
