package redact_test

import (
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/redact"
)

// Text without a secret stays as it is.
func TestReadable(t *testing.T) {
	for _, s := range []string{
		"", " ", "/opt/x/run --all 2>&1", "PATH=/usr/local/bin:/usr/bin:/bin", "SHELL=/bin/sh", "MAILTO=ops@shop.example",
		"cd / && run-parts --report /etc/cron.hourly", "test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )",
		"*/5 * * * * root /usr/lib/sysstat/debian-sa1 1 1", "registry.example/street/light-lamps:1.0",
		"registry.example/auth-service:1.4", "registry.example/token-refresher:2.0", "ghcr.io/acme/secret-sync:v1.2.3",
		"registry.example/a/b@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"alpine:3.20@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"ssh -p22 deploy@host uptime", "ssh -p 2222 deploy@host", "docker run -p 8080:80 -p127.0.0.1:80:80 nginx", "mkdir -p /srv/x", "cp -pr a b", "rsync -avz -e 'ssh -p 22' a deploy@host:/srv/",
		"tar -cpzf /srv/x.tgz /etc", "git clone https://github.com/acme/shop.git", "git clone ssh://git@git.example:22/a.git", "git clone git@github.com:acme/shop.git",
		"psql postgres://reader@db.example/shop", "curl -fsS https://hc.example/ping?runs=3", "curl -u me https://feed.example/",
		"/opt/run --password-file=/run/secrets/db", "/opt/run --token-file /run/secrets/t --all", "docker login --password-stdin registry.example", "psql --no-password -c x",
		"/opt/run --password ${DB_PASSWORD}", "/opt/run --token=$(TOKEN)", "TOKEN=${{ secrets.DEPLOY }} /opt/run", "echo ${{ secrets.GITHUB_TOKEN }}",
		"find /var/tmp -mtime +7 -print0 | xargs -0 rm", "python3 -m shop.jobs.retry --since 2h --limit 500", "/opt/token-refresh --all", "author=bob", "/bin/sh -c 'exit 0'",
		"0 2 * * 1-5", "kubernetes:prod/batch/retry", "drift:retry@prod", "ledger.yaml:14:3", "use_token=true", "https://host.example:8443/a/@scope/pkg",
		"openssl x509 -in /etc/ssl/x.pem -noout", "nice -n 10 ionice -c3 /opt/run", "perl -pe s/a/b/ x", "sort -k2 x | uniq -c", "--bypass=all", "PWD=/srv",
		"caf\xc3\xa9 \xff\xfe \x00 \x1b[2J", "job was switched off by hand", "the file /etc/cron.d/x is not readable: permission denied", "imagePullSecrets: []", "\"secret_scanning\": {", "a@b", "x:y@", "://@", "://:@", "--password", "--password=", "password:", "-p", "mysql -p",
	} {
		if got := redact.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestEnvValue(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"PATH", "/usr/bin:/bin", "/usr/bin:/bin"}, {"SHELL", "/bin/bash", "/bin/bash"}, {"LC_ALL", "C.UTF-8", "C.UTF-8"},
		{"MAILTO", "ops@shop.example", "ops@shop.example"}, {"CRON_TZ", "Europe/Berlin", "Europe/Berlin"}, {"DEBUG", "true", "true"},
		{"WORKERS", "12", "12"}, {"TIMEOUT", "30s", "30s"}, {"LOG_LEVEL", "debug", "debug"}, {"EMPTY", "", ""}, {"TOKEN", "${TOKEN}", "${TOKEN}"},
		{"SCALE_TOKEN", "birch-cobalt-41", "***"}, {"LAMP_PASSWORD", "tallow-heron-55", "***"}, {"MODE", "dim", "***"}, {"ANY", "x", "***"},
		{"PIN", "1234", "***"}, {"ACCOUNT", "123456", "***"}, {"DB_PASSWORD", "true", "***"}, {"HOME", "https://u:pw1@h/", "https://u:***@h/"}, {"X", "***", "***"},
	} {
		if got := redact.EnvValue(c.name, c.value); got != c.want {
			t.Errorf("EnvValue(%q, %q) = %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

func TestArgs(t *testing.T) {
	in := []string{"/usr/bin/mysqldump", "--password", "violet-anvil-77", "-p", "copper", "-pheron", "--all", "--token=abc", "--password", "--all", "--password", "${P}", "curl", "-u", "me:anvil", "-o", "x:y"}
	want := []string{"/usr/bin/mysqldump", "--password", "***", "-p", "***", "-p***", "--all", "--token=***", "--password", "--all", "--password", "${P}", "curl", "-u", "me:***", "-o", "x:y"}
	got := redact.Args(in)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("argument %d: got %q, want %q", i, got[i], want[i])
		}
	}
}
