package redact_test

import (
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/pkg/redact"
	"github.com/rolecall-dev/rolecall/specs"
)

func texts(items ...string) specs.Value {
	var out []specs.Value
	for _, s := range items {
		out = append(out, specs.NewText(s))
	}
	return specs.NewList(out...)
}

func member(key string, v specs.Value) specs.Member { return specs.Member{Key: key, Value: v} }

// secrets are the marked texts of a value.
func secrets(v specs.Value) []string {
	var out []string
	if v.Secret {
		out = append(out, v.Text)
	}
	for _, m := range v.Members {
		out = append(out, secrets(m.Value)...)
	}
	return out
}

func TestMark(t *testing.T) {
	body := specs.NewMap(
		member("list", texts("--password", "violet-1", "--all", "-p", "80", "--token", "${TOKEN}", "--api-key=inner")),
		member("command", texts("/usr/bin/mysqldump", "-u", "root", "-p", "violet-2")),
		member("login", texts("docker", "login", "-p", "violet-3")),
		member("run", texts("docker", "run", "-p", "80:80")),
		member("with", specs.NewMap(member("password", specs.NewText("violet-4")), member("token", specs.NewText("${{ secrets.T }}")), member("path", specs.NewText("/x")))),
		member("env", specs.NewKeyed(member("DB_PASSWORD", specs.NewMap(member("value", specs.NewText("violet-5")))), member("MODE", specs.NewMap(member("value", specs.NewText("dim")))))),
		member("permissions", specs.NewMap(member("id-token", specs.NewText("write")))),
		member("zcontainer", specs.NewMap(member("command", texts("mysqldump")), member("args", texts("-p", "violet-6", "shop")))),
		member("zcurl", texts("curl", "-u", "me:violet-7", "-o", "/dev/null")),
		member("zdump", texts("mysqldump", "-pviolet", "shop")),
		member("zimage", specs.NewMap(member("args", texts("-p", "violet-8")))),
		member("zmkdir", specs.NewMap(member("command", texts("mkdir")), member("args", texts("-p", "data1")))),
		member("zports", texts("-p", "8080", "-p", "/srv/x")),
		member("secretName", specs.NewText("tls")),
	)
	before := specs.Spec{Body: specs.Pack(body)}.Hash()
	marked := redact.Mark(specs.Pack(body))
	if got, want := strings.Join(secrets(marked.Value()), " "), "violet-2 violet-5 violet-1 violet-3 violet-4 violet-6 me:violet-7 -pviolet violet-8"; got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	if len(secrets(body)) > 0 {
		t.Error("the value that was given is changed")
	}
	if after := (specs.Spec{Body: marked}).Hash(); after != before {
		t.Errorf("the hash was %s and is %s", before, after)
	}
}

func FuzzArgs(f *testing.F) {
	f.Add("mysql", "-p", "x")
	f.Add("curl", "-su", "a:b")
	f.Add("-", "--", "\x00\xff")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		once := redact.Args([]string{a, b, c})
		redact.Mark(specs.Pack(texts(a, b, c)))
		if len(once) != 3 {
			t.Errorf("%d arguments", len(once))
		}
		if c != "" && c[0] != '-' && strings.Trim(c, "abcdefgh") == "" && redact.Args([]string{a, "--password", c})[2] != redact.Mask {
			t.Errorf("%q survives", c)
		}
	})
}
