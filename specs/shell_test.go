package specs

import "testing"

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"": "''", "/srv/a.b-c": "/srv/a.b-c", ".github/workflows/a.yml": ".github/workflows/a.yml", "crontab:web-1/x#y": "crontab:web-1/x#y",
		"roles/a-1.yml": "roles/a-1.yml", "$(x)": "'$(x)'", "-f": "'-f'",
		"-rf": "'-rf'", "#x": "'#x'", "a b": "'a b'", "it's": `'it'\''s'`, "a;b": "'a;b'", "$HOME": "'$HOME'", "~x": "'~x'", "a=b": "'a=b'", "a\nb": "'a\nb'",
	} {
		if got := ShellWord(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
