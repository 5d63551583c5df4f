package crontab

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// lineRules says of each rule of how a crontab is read which proof holds it for
// each of four dialects, in this order: debian, cronie, busybox, supercronic. A
// proof is a job of testdata/load_rules.tsv, a case of a table by its name, a
// line that busybox crond is given, or a test; - where a dialect has no such
// rule, or none that was measured. Several are parted by |.
var lineRules = []struct {
	rule   string
	proofs [4]string
}{
	{"a bad line", [4]string{"badmiddle_after", "badmiddle_after", "minute-60", "blank in the name of supercronic's"}},
	{"no newline at the end", [4]string{"noeol2_first", "noeol2_last", "unfinished", "no newline at the end of supercronic's"}},
	{"no newline behind a comment, blanks or a setting", [4]string{"eolcomment|eolblank|eolsetting", "eolcomment|eolblank|eolsetting", "unfinished", "no newline at the end of supercronic's"}},
	{"a blank line with CRLF", [4]string{"crlfblank_after", "crlfblank_after", "return", "CRLF of supercronic's"}},
	{"a job with CRLF", [4]string{"crlfcomment|CRLF job", "crlfcomment", "return", "CRLF of supercronic's"}},
	{"a setting with CRLF", [4]string{"crlfsetting", "crlfsetting", "-", "CRLF of supercronic's"}},
	{"a byte order mark", [4]string{"bom_after|bomcomment_after|bomsetting_after", "bom_after|bomcomment_after", "bom", "BOM of supercronic's"}},
	{"a NUL", [4]string{"nul_after|nulcomment_after|settingnul", "nul_after|nulcomment_after|settingnul", "nul", "-"}},
	{"# in the middle", [4]string{"comment_middle|hash in a command", "comment_middle", "hash|hash anywhere", "hash in a command of supercronic's"}},
	{"a backslash at the end", [4]string{"cont_after", "cont|cont_after", "joined|continuation|swallowed|backslash at the very end", "backslash at the end of supercronic's"}},
	{"%", [4]string{"percent|TestPercent|TestRealDaemonHandsOverWhatWeSay", "percent|TestPercent", "percent", "percent of supercronic"}},
	{"leading blanks", [4]string{"leading", "leading", "blanks", "leading blanks of supercronic's"}},
	{"other white space in front", [4]string{"formfeed", "formfeed", "formfeed", "-"}},
	{"- in front", [4]string{"dash", "dash|user_probe_dash", "dash", "dash of supercronic's"}},
	{"-n before the command", [4]string{"dashn", "dashn|cronie's -n", "option", "-n of supercronic's"}},
	{"a user column", [4]string{"nouser_bad|baduser_bad", "nouser_bad|baduser_bad", "-", "no user column"}},
	{"no command", [4]string{"nocommand_before|nothing_before|no command", "nothing_after|no command of cronie's", "few", "no command of supercronic's"}},
	{"an empty value", [4]string{"envempty|envquotedempty|TestBareSettingByVersion", "envempty|bare setting", "MAILTO=", "bare setting of supercronic's|quoted empty setting"}},
	{"quotes around a name or value", [4]string{"envquotedname_after|envequalsname_after", "envquotedname_after|equals sign in a quoted name", "RECORDER", "quoted empty setting"}},
	{"text behind a closing quote", [4]string{"envbehindquote_after", "envbehindquote_after", "-", "text behind the quote of supercronic's"}},
	{"a blank in a name", [4]string{"envspaces_after", "envspaces_after", "A = b", "blank in the name of supercronic's"}},
	{"which settings count, and where", [4]string{"TestEnvironment|TestRealDaemonHandsOverWhatWeSay", "TestEnvironment", "TestEnvironment|HOME=/x|search path of busybox's", "TestEnvironment"}},
	{"a zone in front of the fields", [4]string{"envtz_after", "envtz_after", "zone", "-"}},
	{"CRON_TZ", [4]string{"zone without effect", "positional zone|no such zone", "CRON_TZ=Asia/Tokyo", "global zone|no such zone of supercronic's"}},
	{"the longest command", [4]string{"long998|long999|long5000", "long140000|longest command of cronie's", "long ", "long line"}},
	{"the longest setting", [4]string{"envlong_after|envlongquoted_after|envquoted998_after|envquoted999_after|TestRealDaemonHandsOverWhatWeSay", "envlongquoted_after", "-", "long line"}},
	{"the most lines", [4]string{"lines10003|lines10004", "TestCronieLimits", "line-255|line-256|TestBusyboxLimits", "-"}},
	{"@words", [4]string{"reboot|reboot_tab|capital", "reboot|capital", "TestRealBusyboxEndsAtWords", "no reboot for supercronic"}},
	{"six and seven fields", [4]string{"TestSurplus|starcommand_bad", "TestSurplus|starcommand_bad", "TestSurplus|star", "TestSurplus|seven fields|a year"}},
	{"names in cron.d", [4]string{"name_dot.sh|name_x.bak|name_plus+|name_tilde~|name_com.example-job", "name_x.rpmsave|name_DOTrpmsave|name_tilde~|name_x.bak", "-", "-"}},
	{"mode, owner and links in cron.d", [4]string{"mode_664|mode_0|owner1000|hard|symlink_owner1000|symlink_to_owner1000", "mode_755|mode_0|owner1000|hard|symlink_owner1000", "-", "-"}},
	{"mode, owner and links in the spool", [4]string{"user_daemon_0644|user_sys_wrong_owner|user_man_link|user_lp_hard|user_backup_0400", "user_daemon_0644|user_sys_wrong_owner|user_man_link|user_lp_hard", "bin|sys|no.dot|stranger", "-"}},
	{"a home that is not there", [4]string{"user_nobody_0600_root_owner", "user_nobody_0600_root_owner|user_probe_home", "nobody", "-"}},
	{"cron.allow and cron.deny", [4]string{"TestRealDaemonRunsDeniedUsers", "TestUsers", "-", "-"}},
	{"a user without a table, and an empty one", [4]string{"TestUsers|TestRealCrontabReadBack", "TestUsers", "TestUsers", "-"}},
}

// No rule is without its proof, and no proof has gone.
func TestEveryLineRuleHasAProof(t *testing.T) {
	_, rows := loadRules(t)
	sources := ""
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f == "rules_test.go" {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sources += string(data)
	}
	columns := map[specs.Dialect][]string{specs.Debian: {"debian 3.0pl1-162"}, specs.Cronie: {"cronie 1.7.2"}}
	for _, r := range lineRules {
		for i, d := range []specs.Dialect{specs.Debian, specs.Cronie, specs.Busybox, specs.Supercronic} {
			for proof := range strings.SplitSeq(r.proofs[i], "|") {
				_, job := rows[proof]
				switch {
				case proof == "-":
				case job && !slices.ContainsFunc(columns[d], func(c string) bool { _, measured := rows[proof][c]; return measured }) && len(columns[d]) > 0:
					t.Errorf("%s, %s: job %s was not measured", r.rule, d, proof)
				case job && len(columns[d]) > 0:
				case strings.HasPrefix(proof, "Test"):
					if !strings.Contains(sources, "func "+proof+"(t *testing.T)") {
						t.Errorf("%s, %s: there is no test %s", r.rule, d, proof)
					}
				case !regexp.MustCompile(`["+ ]` + regexp.QuoteMeta(proof)).MatchString(sources):
					t.Errorf("%s, %s: there is no case %q", r.rule, d, proof)
				}
			}
		}
	}
}
