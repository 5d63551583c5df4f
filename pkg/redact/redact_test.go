package redact_test

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/redact"
)

// In each row S stands where a secret stands; what is expected has *** there.
var positions = []string{
	// Flags, whose names say it.
	"/opt/kitchen/dump --user cook --password=S --all",
	"/opt/kitchen/dump --password S --all",
	"/opt/kitchen/dump --password 'S' --all",
	`/opt/kitchen/dump --password="S" --all`,
	"/opt/run --token S", "/opt/run --token=S", "/opt/run --api-key S", "/opt/run --api-key=S",
	"/opt/run --apikey=S", "/opt/run --secret S", "/opt/run --client-secret=S", "/opt/run -password S",
	"/opt/run --db-pass S -v", "/opt/run --dbpass=S", "/opt/run --smtpPassword S", "/opt/run --auth S",
	"/opt/run --access-key S --secret-key S", "/opt/run --private-token=S", "/opt/run --passphrase S",
	"/opt/run --token \\\n  S --all",
	// Short flags of known programs.
	"mysql -u root -pS shop", "mysql -u root -p S", "/usr/bin/mysqldump -pS --all-databases | gzip > /srv/x.gz",
	"mysqladmin -uroot -pS ping", "mariadb-dump -pS shop", "sshpass -p S ssh deploy@host", "sshpass -pS ssh deploy@host",
	"sudo -u backup /usr/bin/mysqldump -pS shop", "docker exec db mysqldump -pS shop", "docker login -u me -p S registry.example",
	"redis-cli -a S bgsave", "mongodump -u me -p S", "mosquitto_pub -u me -P S -t x", "ldapsearch -x -w S -D cn=me",
	"sqlcmd -S host -U sa -P S", "zip -P S a.zip b", "7z a -pS x.7z y", "sh -c 'mysql -pS shop'", `sh -c "mysql -pS shop"`,
	`bash -lc "cd /srv && mysqldump -u root -pS shop > x.sql"`, "true; mysql -pS", "true && mysqldump -pS", "snmpget -v2c -c S host .1",
	"/opt/own/tool -pS",
	"x --exec='mysqldump -pS shop' --all", `x --exec="/opt/own/tool -pS shop"`, `CMD="mysqldump -u root -pS shop" && eval $CMD`, "x a'b c' /opt/own/tool -pS 'y",
	"sqlplus scott/S@orcl @job.sql", "smbclient //host/share -U me%S -c ls", "lftp -u me,S ftp.example",
	"htpasswd -b /etc/nginx/users me S", "htpasswd -cbB /etc/nginx/users me S && true", "htpasswd -bBC 12 users me 'S'", "sudo htpasswd -nb me S",
	// Flags that are words of other meanings too.
	"/opt/run --pwd=S", "/opt/run --pwd S --all", "Server=db;Pwd=S", "/opt/run --key S", "/opt/run --key=S --all", `["--key", "S"]`,
	// URLs that let in whoever knows them.
	"curl -d x https://discord.com/api/webhooks/1234567890/S", "curl https://discordapp.com/api/v10/webhooks/1234567890/S?wait=true",
	"curl https://hooks.slack.com/services/T0A1/S", "curl 'https://hooks.slack.com/workflows/T0A1/S'", "curl https://acme.webhook.office.com/webhookb2/S",
	"curl https://api.telegram.org/bot123456:S/sendMessage?chat_id=1", "curl -m 10 https://hc-ping.com/S", "curl -m 10 hc-ping.com/S/start && x", "curl HTTPS://HC-PING.COM/S",
	"curl https://healthchecks.io/ping/S", "curl https://cronitor.link/p/S/nightly", "curl https://cronitor.link/S?state=run",
	"curl https://uptime.betterstack.com/api/v1/heartbeat/S", "wget -q https://nosnch.in/S", "curl https://maker.ifttt.com/trigger/lit/with/key/S",
	// curl.
	"curl -u me:S https://feed.example/", "curl -sSu me:S https://feed.example/", "curl -ume:S https://feed.example/",
	"curl --user me:S https://feed.example/", "curl --user=me:S https://feed.example/", "curl -u 'me:S' https://feed.example/",
	"curl -u S: https://api.example/", "curl -x http://proxy:3128 -U me:S https://feed.example/",
	"curl -H 'Authorization: Bearer S' https://feed.example/", `curl -H "Authorization: Basic S" https://feed.example/`,
	`curl -H "Authorization: S" https://feed.example/`, "curl -H 'X-Api-Key: S' https://feed.example/", "curl -H X-Auth-Token:S https://feed.example/",
	`curl --header="PRIVATE-TOKEN: S" https://feed.example/`, `curl -H 'Cookie: S' x`, `curl -d '{"password":"S","user":"me"}' x`,
	"curl -b sid=S x", "wget --http-user=me --http-password=S x", "curl -H 'authorization:Bearer S' x",
	// URLs.
	"/opt/desk/pull https://reader:S@feed.example/latest", "git clone https://S@git.example/a.git", "psql postgres://me:S@db.example:5432/shop?sslmode=require",
	"x amqp://me:S@mq.example/%2F", "x redis://:S@cache.example/0", "git pull https://S:x-oauth-basic@github.com/a/b", "x https://S:@api.example/",
	"curl https://api.example/x?token=S", "curl 'https://api.example/x?a=1&token=S&b=2'", "curl https://api.example/x?api_key=S#top",
	"curl https://blob.example/x?sv=2024&sig=S", "curl https://api.example/x?key=S", "curl https://api.example/x?access_token=S&y=1",
	"http_proxy=me:S@proxy.example:3128 /opt/run",
	// Assignments.
	"PGPASSWORD=S psql -c 'select 1'", "PGPASSWORD='S' psql", "MYSQL_PWD=S mysqldump shop", "export SCALE_TOKEN=S; /opt/run",
	"X_TOKEN=S /opt/run --all", "env SECRET=S /opt/run", "AWS_SECRET_ACCESS_KEY=S aws s3 ls", "BORG_PASSPHRASE=S borg create", "DB_PASS=S cmd",
	"docker run -e DB_PASSWORD=S x", `docker run -e "DB_PASSWORD=S" x`, "ENCRYPTION_KEY=S cmd", "TOKEN = S", "password: S", "password = S", "Server=db;Password=S",
	"mount -t cifs //h/s /mnt -o username=me,password=S", "openssl enc -passin pass:S", "openssl enc -pass S -in a", "openssl x pass:S", "RESTIC_PASSWORD=S restic backup /srv 2>&1",
	"TOKEN=S >/dev/null", "KEY1_SECRET2=S",
	// Structures.
	`{"password": "S"}`, `{"password":"S","user":"me"}`, `{\"password\":\"S\"}`, `{'api_key': 'S'}`, `password => 'S'`, `token := "S"`,
	`["--password", "S", "--all"]`, `["--password","S"]`, "args:\n- --password\n- S\n- --all", "apiKey: S\nother: 1",
	// Phrases.
	"echo S | sudo -S reboot", "echo S | docker login --password-stdin -u me", "printf S | sudo -S true",
	"psql -c \"alter role me password 'S'\"", "mysql -e \"create user x identified by 'S'\"", "machine feed.example login me password S",
	"gh auth login --with-token <<< S", "gh auth login --with-token <<<S", `docker login -u me --password-stdin r.example <<< "S"`, "sudo -S reboot <<< 'S'",
	"/opt/run --token <<< S --all", "echo S | gh auth login --with-token", "Bearer S", "note: Bearer S", `{"x": "Bearer S"}`, "Authorization=S", "note: Bearer S\nother: 1",
	"vault login S", "redis-cli <<< 'AUTH S'",
}

func TestPositions(t *testing.T) {
	for _, secret := range []string{"violet-anvil-77", "Tr0ub4dor&3", "hunter2"} {
		for _, p := range positions {
			in := strings.ReplaceAll(p, "S", "\x00")
			in = restore(p, secret)
			got := redact.Text(in)
			if strings.Contains(got, secret) {
				t.Errorf("%s\n got %s\n the secret is left", in, got)
				continue
			}
			if want := restore(p, redact.Mask); secret == "violet-anvil-77" && got != want {
				t.Errorf("%s\n got %s\nwant %s", in, got, want)
			}
			if again := redact.Text(got); again != got {
				t.Errorf("%s: masked twice gives %s", got, again)
			}
			if got == in {
				t.Errorf("%s: nothing was masked", in)
			}
		}
	}
}

// On a host of one's own only what has the form of a token is one.
func TestOwnHosts(t *testing.T) {
	for _, c := range []struct{ url, secret string }{
		{"https://ping.shop.example/%", "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278"}, {"http://hc.example:8000/ping/%/start", "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278"},
		{"https://chat.example/hooks/%", "abcdefghij1234567890abcdef"}, {"https://kuma.example/api/push/%?status=up", "aBcDeFgH12"},
		{"https://hooks.zapier.com/hooks/catch/1234/%", "ab12cd/"}, {"x Authorization=Bearer %", "violet-77"}, {"token: Bearer %", "violet-77"},
	} {
		got := redact.Text("curl " + strings.ReplaceAll(c.url, "%", c.secret))
		if strings.Contains(got, c.secret) || redact.Text(got) != got {
			t.Errorf("%q stays", got)
		}
	}
	for _, s := range []string{"https://shop.example/ping/today", "https://shop.example/items/5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278", "https://shop.example/hooks/nightly-report"} {
		if got := redact.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

// restore puts a text at the lone S of a row.
func restore(row, text string) string {
	var b strings.Builder
	letter := func(i int) bool {
		return i >= 0 && i < len(row) && (row[i] == '_' || row[i] >= 'a' && row[i] <= 'z' || row[i] >= 'A' && row[i] <= 'Z' || row[i] >= '0' && row[i] <= '9')
	}
	for i := 0; i < len(row); i++ {
		attached := strings.HasSuffix(row[:i], " -p") || strings.HasSuffix(row[:i], "-ume:")
		switch {
		case row[i] == 'S' && (!letter(i-1) || attached) && !letter(i+1) && !strings.HasSuffix(row[:i], "sudo -") && !strings.HasSuffix(row[:i], "sqlcmd -"):
			b.WriteString(text)
		default:
			b.WriteByte(row[i])
		}
	}
	return b.String()
}
