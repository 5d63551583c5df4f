package draft

import (
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

func TestProgramOf(t *testing.T) {
	for command, want := range map[string][2]string{
		"/opt/shop/retry":                                           {"retry", ""},
		"/opt/shop/retry.sh --all eu":                               {"retry", "eu"},
		"cd /srv && ./run.sh":                                       {"run", ""},
		"[ -x /usr/bin/x ] && /usr/bin/x start":                     {"x", "start"},
		"A=1 B=2 /bin/report > /dev/null 2>&1":                      {"report", ""},
		"flock -n /var/lock/q.lock php artisan queue":               {"artisan", "queue"},
		"sudo -u deploy nice -n 10 /usr/bin/python3 /srv/mail.py":   {"mail", ""},
		"timeout 30m backup full":                                   {"backup", "full"},
		"sleep 5; /bin/late":                                        {"late", ""},
		"if true; then /bin/a; fi":                                  {"a", ""},
		"root  if [ -x /usr/sbin/check ]; then /usr/sbin/check; fi": {"check", ""},
		"ubuntu /usr/bin/python /srv/log.py":                        {"log", ""},
		"php <root>/stat/cron.php 1 >> <logs>/x":                    {"stat-cron", "1"},
		"bash /home/me/five/5.sh":                                   {"five-5", ""},
		"/var/lib/app/bin/run.sh":                                   {"run", ""},
		"sleep $((RANDOM ":                                          {"sleep", ""},
		"*":                                                         {"", ""},
		"":                                                          {"", ""},
	} {
		if p, a := programOf(command); [2]string{p, a} != want {
			t.Errorf("%q: %q %q, want %q", command, p, a, want)
		}
	}
}

func TestWordsOf(t *testing.T) {
	for command, want := range map[string]string{
		". ~/.rc && $BIN/run.pl --config $CORE --process-hooks --granularity hourly > /tmp/x 2>&1": "config process-hooks granularity hourly",
		"cd /app && /opt/python -m jobs.test --name=Blue -v | tee log":                             "jobs.test name Blue",
		"": "",
	} {
		if got := strings.Join(wordsOf(command), " "); !strings.HasSuffix(got, want) {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestAssign(t *testing.T) {
	for _, c := range []struct {
		wants [][]string
		taken []string
		want  []string
	}{
		{[][]string{{"a"}, {"b"}}, nil, []string{"a", "b"}},
		{[][]string{{"a", "a-x"}, {"a", "a-y"}}, nil, []string{"a-x", "a-y"}},
		{[][]string{{"a"}, {"a"}, {"a-2"}}, nil, []string{"a", "a-2", "a-2-2"}},
		{[][]string{{"a", "a-x"}}, []string{"a"}, []string{"a-x"}},
		{[][]string{{"a", "a-x"}, {"a", "a-x"}}, nil, []string{"a", "a-2"}},
		{[][]string{{"a", "a-x"}, {"a", "a-x"}, {"a", "a-y"}}, nil, []string{"a-x", "a-x-2", "a-y"}},
		{[][]string{{"a"}}, []string{"a"}, []string{"a-2"}},
		{[][]string{{"a", "b"}, {"b"}, {"a", "c"}}, nil, []string{"b", "b-2", "c"}},
	} {
		taken := map[string]bool{}
		for _, k := range c.taken {
			taken[k] = true
		}
		if got := assign(c.wants, taken); !slices.Equal(got, c.want) {
			t.Errorf("%v beside %v: %v, want %v", c.wants, c.taken, got, c.want)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("cd /srv && ./run.sh", "x y")
	f.Add("'\"`$(", "\xff\x00")
	f.Add("sudo", "sudo -u")
	f.Fuzz(func(t *testing.T, a, b string) {
		p, arg := programOf(a)
		for _, s := range []string{a, b, p, arg} {
			if key := slug(s); key != "" && !specs.ValidRoleKey(key) {
				t.Errorf("%q makes the key %q", s, key)
			}
		}
		wants := [][]string{{"job"}, {"job", slug(a) + "x"}, {slug(b) + "x", "job"}, {"job"}}
		keys := assign(wants, map[string]bool{"job": true})
		slices.Sort(keys)
		if len(slices.Compact(keys)) != len(wants) || slices.Contains(keys, "job") {
			t.Errorf("%v: keys %v", wants, keys)
		}
	})
}

// What is written as a text is read back as that text, or is said to be not
// writable.
func FuzzScalar(f *testing.F) {
	for _, s := range []string{"a", "", " a ", "a: b # c", "true", "0x1", "\x00", "\xff", "é\u2028", "- a", "'\"", "a\nb\n", "\ufeff", "<<", "*a", "\u0085", "😀"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !writable(s) {
			if asGlob(s) == s {
				t.Errorf("%q is not writable and its glob is the same", s)
			}
			return
		}
		if got := readScalar(t, encode(mapping("k", scalar(s)))); got != s {
			t.Errorf("%q is read back as %q", s, got)
		}
		if n := len(slices.Collect(lines(encode(mapping("k", scalar(s)))))); n != 1 {
			t.Errorf("%q takes %d lines", s, n)
		}
	})
}
