package render_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

var documents = []string{
	"plain", "two\nlines\nwith an end\n", "\u009b31mred", "\u202egnp\u202c", "\u2066x", "a\u2028b\u2029c", "tag \U000e0041", "\ufeffmark", "\x1b[2J\x00\a\x7f", "\ufffe\uffff\U0010ffff",
	"emoji \U0001f980", "ümlaut 漢字", "- a: b # c", "true", "0x1f", "1e3", "~", "null", "2026-11-25", "", " blank ", `back\slash "quoted" 'single'`, "tab\there", "\u00a0\u00ad",
	"long " + strings.Repeat("word\u202e ", 500), "010", "12:30:45", "!tag", "&a *a", "%d", "---", "...", "=", "<<",
	"a ##[error]b ${x##[0-9]} ##vso[task.x]", "##[", "###[\n#[", "#\n#[x", "a\n  ::error::b\n", "::x",
}

func FuzzDocuments(f *testing.F) {
	for _, s := range documents {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		in := map[string]any{"text": text, "k" + key: []any{text, nil, true, json.Number("1.5"), map[string]any{}, []any{}}}
		if err := enc.Encode(in); err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := json.Unmarshal(b.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		shown := render.JSON(b.Bytes())
		if err := json.Unmarshal(shown, &got); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("JSON: %v: %q is not %q", err, got, want)
		}
		laid, err := render.YAML(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got = nil
		if err := yaml.Unmarshal(laid, &got); err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("YAML: %v: %q is not %q:\n%q", err, got, want, laid)
		}
		for _, document := range [][]byte{shown, laid} {
			for line := range strings.Lines(string(document)) {
				if line = strings.TrimSuffix(line, "\n"); render.Escape(line) != line || strings.HasPrefix(strings.TrimLeft(line, " "), "::") {
					t.Errorf("not safe to show: %q", line)
				}
			}
		}
	})
}
