package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/pkg/redact"
)

func FuzzText(f *testing.F) {
	for _, p := range positions {
		f.Add(restore(p, "violet-anvil-77"))
	}
	for _, token := range tokens {
		f.Add("x " + token)
	}
	f.Add("\x00\xff\x1b[2J --password=\xfe\xff x")
	f.Add("password='a\\'b' \"c d\\\" e")
	f.Fuzz(func(t *testing.T, s string) {
		once := redact.Text(s)
		if again := redact.Text(once); again != once {
			t.Errorf("not the same when masked twice\n   in %q\n once %q\ntwice %q", s, once, again)
		}
		if len(once) > 2*len(s)+len(redact.Mask) {
			t.Errorf("%d bytes became %d", len(s), len(once))
		}
		if utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Errorf("valid text became invalid: %q", once)
		}
	})
}

// FuzzPlanted puts a secret of any letters at every known position.
func FuzzPlanted(f *testing.F) {
	for i := range positions {
		f.Add("violet-anvil-77", uint(i))
		f.Add("p@ss:w/rd", uint(i))
		f.Add("a&b;c|d", uint(i))
		f.Add("geheim\xc3\xa4\xff", uint(i))
		f.Add("$ecret", uint(i))
	}
	f.Fuzz(func(t *testing.T, secret string, i uint) {
		if !plantable(secret) {
			t.Skip()
		}
		row := positions[i%uint(len(positions))]
		if strings.Contains(row, "tool -pS") && strings.Trim(secret, "abcdefghijklmnopqrstuvwxyz0123456789.:,/-") == "" || strings.Contains(row, "tool -pS") && strings.IndexByte("./=$", secret[0]) >= 0 {
			t.Skip("an unknown program's -pvz, -p8080 and -p/path are no secrets")
		}
		if strings.Contains(row, "://S") && strings.ContainsAny(secret, "/?#&@:") {
			t.Skip("no user of a URL: it ends the user")
		}
		if strings.Contains(row, "://") && strings.HasPrefix(strings.TrimLeft(secret, "0123456789"), "/") {
			t.Skip("a port and a path")
		}
		if strings.Contains(row, "-u S:") && strings.Contains(secret, ":") {
			t.Skip("a user and a password")
		}
		if strings.Contains(row, "mysql -u root -p S") && strings.Trim(secret, "abcdefghijklmnopqrstuvwxyz_") == "" {
			t.Skip("a database after a flag that asks")
		}
		if strings.Contains(row, "--key") && (strings.ContainsAny(secret, ".,/") || strings.IndexByte("0123456789", secret[0]) >= 0) {
			t.Skip("a column or a file")
		}
		if strings.Contains(row, ".") && strings.Contains(row, "/S") && strings.ContainsAny(secret, "/?#") {
			t.Skip("it ends the part of a URL's path")
		}
		if key, _, ok := strings.Cut(secret, "="); ok && strings.Contains(row, "vault login") && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == "" {
			t.Skip("a parameter of the login")
		}
		in := restore(row, secret)
		if got := redact.Text(in); strings.Contains(got, secret) {
			t.Errorf("the secret %q survives\n in %q\ngot %q", secret, in, got)
		}
	})
}

// plantable keeps to secrets that could stand unquoted where no shell reads the
// text, and that no text around a position holds by itself.
func plantable(secret string) bool {
	if len(secret) < 5 || len(secret) > 60 || strings.ContainsAny(secret, " \t\r\n\v\f\"'`\\") || strings.ContainsAny(secret[:1], "-$&?#/|;,)]}>{(%=:@") {
		return false
	}
	for _, p := range positions {
		if strings.Contains(restore(p, redact.Mask), secret) {
			return false
		}
	}
	return !map[string]bool{"true": true, "false": true}[strings.ToLower(secret)]
}

func TestLongText(t *testing.T) {
	plain := strings.Repeat("/opt/run --all ", 70000)
	got := redact.Text(plain)
	if len(got) > len(plain) || !strings.HasSuffix(got, " "+redact.Mask) || redact.Text(got) != got {
		t.Errorf("a text of %d bytes became one of %d, ending %q", len(plain), len(got), got[max(0, len(got)-20):])
	}
	if got := redact.Text(strings.Repeat("x", 1<<20)); got != redact.Mask {
		t.Errorf("a word of 1 MiB became %d bytes", len(got))
	}
	secret := "violet-anvil-77"
	late := strings.Repeat("--all ", 6000) + "--password " + secret + strings.Repeat(" --all", 40000)
	if strings.Contains(redact.Text(late), secret) {
		t.Error("a secret late in a long text survives")
	}
}

func BenchmarkText(b *testing.B) {
	for name, s := range map[string]string{
		"short":   "/opt/x/run --all 2>&1",
		"secret":  "/usr/bin/mysqldump -u backup -phunter2 shop | gzip > /srv/dump.gz; curl -H 'Authorization: Bearer abcdef' https://x.example",
		"long":    strings.Repeat("/opt/run --all ", 70000),
		"hostile": strings.Repeat("-p api key=token; secret: Bearer AKIA ghp_ eyJ sk_ https://a:b@c 'auth\" ", 850),
		"quotes":  strings.Repeat(`"'password=`, 5000),
		"slashes": strings.Repeat(`://a:b/c`, 7000),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				redact.Text(s)
			}
		})
	}
}
