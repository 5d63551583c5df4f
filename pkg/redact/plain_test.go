package redact_test

import (
	"strings"
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
		"open root/etc/passwd: permission denied", "read /etc/passwd: is a directory", "open /run/secrets/token: no such file or directory", "passwd: permission denied",
		"rolecall: open root/etc/db-secret: permission denied; read it as root", "mount -v /etc/passwd:/etc/passwd:ro", "secret: not found", "ledger: passwd: not a regular file; name it with --ledger", "GITHUB_TOKEN: is not set",
		"mysqldump -p db", "mysqldump -u root -p db", "mysql -p shop_old < x.sql", "/opt/run --creds=/etc/secrets/creds.json", "/opt/run --token-file /etc/db/token",
		"/opt/run --token /etc/db/token --all", "/opt/run --token=/var/run/secrets/kubernetes.io/serviceaccount/token", `["--token", "/etc/db/token"]`,
		"/opt/run --key-file /etc/x.pem", "sort --key 2 x", "sort --key=2,3 x", "sort --key=2n,3.4 x", "sort -k 2 --key 1,1n", "curl --key client.key --cert x.pem x", "/opt/run --key ~/x", "redis-cli get key violet",
		"gh auth login --with-token < token.txt", "gh auth login --with-token && gh api x", "cat <<< hello", "htpasswd -c /etc/users bob", "htpasswd -v users bob",
		"see https://healthchecks.io/docs/http_api/ and https://cronitor.io/docs", "https://api.github.com/repos/a/b/hooks/12345/pings", "curl https://hc-ping.com/${CHECK}",
		"PASSWORD=Bearer ${TOKEN}", "the bearer of this", "PWD=/srv OLDPWD=/x /opt/run", "pwd && ls", "Bearer ${TOKEN}",
		"caf\xc3\xa9 \xff\xfe \x00 \x1b[2J", "job was switched off by hand", "the file /etc/cron.d/x is not readable: permission denied", "imagePullSecrets: []", "\"secret_scanning\": {", "a@b", "x:y@", "://@", "://:@", "--password", "--password=", "password:", "-p", "mysql -p",
	} {
		if got := redact.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// A value that merely begins as a path does is masked all the same.
func TestRandomPath(t *testing.T) {
	for _, secret := range []string{"/k3Jd9+fQ2mZx8Lr7Vb1Tn6Wp/0yHsGc4==", "/k3Jd9fQ2mZx8Lr7Vb1Tn6Wp", "/hunter2", "/aB3dE/fG7hI", "/qwertyuiopasdfghjklzxcvb/x"} {
		for _, around := range []string{"/opt/run --token %", "/opt/run --token=%", "TOKEN=% /opt/run", "token: %", "x?token=%"} {
			if got := redact.Text(strings.ReplaceAll(around, "%", secret)); got != strings.ReplaceAll(around, "%", redact.Mask) {
				t.Errorf("%q stays", got)
			}
		}
		if got := redact.Args([]string{"--token", secret}); got[1] != redact.Mask {
			t.Errorf("%q stays", got)
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

// What a lone -p means depends on the program, which the list may not name.
func TestArgsByProgram(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"-p violet", "-p ***"}, {"-v -p violet-77 -x", "-v -p *** -x"}, {"-p 8080", "-p 8080"}, {"-p 127.0.0.1:80:80/tcp", "-p 127.0.0.1:80:80/tcp"}, {"-p /srv/x", "-p /srv/x"},
		{"-p ${P}", "-p ${P}"}, {"/opt/own/tool -p violet-77", "/opt/own/tool -p ***"}, {"/opt/own/tool -p shop", "/opt/own/tool -p shop"}, {"mkdir -p data1", "mkdir -p data1"},
		{"ssh -p 22 host", "ssh -p 22 host"}, {"docker run -p 80:80", "docker run -p 80:80"}, {"mysqldump -p violet shop", "mysqldump -p *** shop"},
		{"--pwd violet", "--pwd ***"}, {"/opt/run --key violet", "/opt/run --key ***"}, {"sort --key 2,3n", "sort --key 2,3n"}, {"--key x.pem", "--key x.pem"},
		{"--token /etc/db/token", "--token /etc/db/token"}, {"htpasswd -b f bob violet", "htpasswd -b f bob ***"}, {"htpasswd -c f bob", "htpasswd -c f bob"},
	} {
		if got := strings.Join(redact.Args(strings.Fields(c.in)), " "); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}
