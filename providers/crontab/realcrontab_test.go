//go:build linux

package crontab

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// What crontab(1) installed for a user is read back: as root from the spool, as
// the user through crontab -l, and by nobody else.
func TestRealCrontabReadBack(t *testing.T) {
	needReal(t)
	im := newImage(t)
	const text = "PATH=/opt/bin\n# rolecall: role=a version=2\n5 4 * * 1-5 /opt/a --on 50\\% \\\\ %to stdin%more\n\n@daily /opt/b\n"
	im.must(os.WriteFile(im.out+"/table", []byte(text), 0o644))
	if out, err := im.command(`crontab -u probe "$1"`, im.out+"/table").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// within runs a child test on the machine's own paths, which the image covers.
	within := func(uid string) func(*exec.Cmd) *exec.Cmd {
		return func(cmd *exec.Cmd) *exec.Cmd {
			return im.command(`exec setpriv --reuid "$1" --regid "$1" --clear-groups "$2" "$3"`, uid, cmd.Path, cmd.Args[1])
		}
	}
	live := Config{Live: true, Users: []string{"probe"}, Root: "/"}
	root := asUser(t, 0, 0, live, within("0"))
	// Older versions put three lines of header above.
	numbers := strings.NewReplacer("6 <a", "3 <a", "8 @daily", "5 @daily")
	check(t, numbers.Replace(show(root)), `
			3 <a 2> 5 4 * * 1-5 by probe "/opt/a --on 50% \\ " fed "to stdin\nmore"
			5 @daily by probe "/opt/b"
			`)
	spool := asUser(t, 0, 0, Config{Live: true, Users: []string{"probe"}, Root: im.root}, nil)
	if show(spool) != show(root) {
		t.Errorf("below another root: %s", show(spool))
	}
	own := asUser(t, 0, 0, live, within("4242"))
	check(t, show(own), show(root)+"note not-checked\n")
	for i := range own.Objects {
		if own.Objects[i].ID != root.Objects[i].ID || own.Objects[i].Spec.Hash() != root.Objects[i].Spec.Hash() {
			t.Errorf("%s as the user, %s as root", own.Objects[i].ID, root.Objects[i].ID)
		}
	}
	if c := root.Objects[0].Changes(); len(c) != 1 || c[0].Who != "probe" {
		t.Errorf("changes %+v", c)
	}
	check(t, show(asUser(t, 0, 0, live, within("65534"))), "gap user/probe denied\n")

	// A user without a table has none, whoever asks.
	live.Users = []string{"nobody"}
	check(t, show(asUser(t, 0, 0, live, within("0"))), "")
	check(t, show(asUser(t, 0, 0, live, within("65534"))), "")
	live.Users = []string{"no-such-user"}
	check(t, show(asUser(t, 0, 0, live, within("0"))), "gap user/no-such-user absent\n")
}

// crontab(1) refuses what we call a bad line, and takes what we call a good one.
func TestRealCrontabTakesWhatWeRead(t *testing.T) {
	needReal(t)
	im := newImage(t)
	for _, text := range []string{
		"5 4 * * * /opt/a\n", "5 4 * * */opt/a\n", "@daily\n", "@fortnightly x\n", "60 4 * * * x\n", "5 24 * * * x\n", "5 4 0 * * x\n", "5 4 32 * * x\n",
		"5 4 * 13 * x\n", "5 4 * * 8 x\n", "5 4 * * 7 x\n", "*/5 */2 1,15 jan-mar mon-fri x\n", "5 4 * * monday x\n", "0/20 * * * * x\n", "*/0 * * * * x\n",
		"5-1 * * * * x\n", "5, * * * * x\n", "mon#2 * * * * x\n", "* * * * mon#2 x\n", "* * * * * * x\n", "A=b\n", "A = 'b'\n", "A='b\n", "A B=c\n", "=b\n", "# x\n", "\n", " \t\n",
		"5 4 * * * x", "# x", "\r\n", "\xef\xbb\xbf# x\n", "- 5 4 * * * x\n", "? 4 * * * x\n", "1-5/2 * * * * x\n", "~ * * * * x\n", "5 4 * * * x\x00y\n", "5 4 * * * " + strings.Repeat("x", 998) + "\n", "5 4 * * * " + strings.Repeat("x", 999) + "\n",
		"007 4 * * * x\n", "+5 4 * * * x\n", "5 4 L * * x\n", "TZ=UTC 5 4 * * * x\n", "@every 5m x\n", "@Daily x\n",
	} {
		im.must(os.WriteFile(im.out+"/table", []byte(text), 0o644))
		out, err := im.command(`crontab -u probe "$1"`, im.out+"/table").CombinedOutput()
		good := true
		g := grammar{dialect: specs.Debian, personal: true, zone: specs.Local, recent: true, schedules: readings{}, refusals: map[string]string{}}
		g.read(text, func(it *item) { good = good && it.kind != badLine })
		if good != (err == nil) {
			t.Errorf("%.60q: we say %v, crontab(1) says %v %s", text, good, err, out)
		}
	}
}
