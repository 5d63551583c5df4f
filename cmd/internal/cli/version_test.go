package cli

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func setting(key, value string) debug.BuildSetting {
	return debug.BuildSetting{Key: key, Value: value}
}

func TestBuiltFrom(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	of := func(version string, settings ...debug.BuildSetting) debug.BuildInfo {
		settings = append(settings, setting("GOOS", "linux"), setting("GOARCH", "arm64"))
		return debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}, Settings: settings}
	}
	vcs := []debug.BuildSetting{setting("vcs", "git"), setting("vcs.revision", commit), setting("vcs.time", "2026-11-25T12:00:00Z")}
	tail := "built    by go1.26.8 for linux/arm64; hashes are rc1\n"
	line := "commit   " + commit + " of 2026-11-25T12:00:00Z\n"
	for _, c := range []struct {
		what string
		info debug.BuildInfo
		want string
	}{
		{"a release", of("v1.2.3", append(vcs, setting("vcs.modified", "false"))...), "rolecall v1.2.3\n" + line + tail},
		{"go install of a version", of("v1.2.3"), "rolecall v1.2.3\n" + tail},
		{"a checkout with changes", of("v0.0.0-20261125120000-0123456789ab+dirty", append(vcs, setting("vcs.modified", "true"))...), "rolecall v0.0.0-20261125120000-0123456789ab+dirty\n" + line + "changed  the checkout held changes that are in no commit\n" + tail},
		{"a checkout, named by no version", of("(devel)", vcs...), "rolecall devel-0123456789ab\n" + line + tail},
		{"nothing is known", of(""), "rolecall devel\n" + tail},
	} {
		var got bytes.Buffer
		if err := builtFrom(c.info).show("text", &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.String()); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.what, diff)
		}
	}
}

// What is not known is empty in JSON, and no key is left out.
func TestVersionInJSON(t *testing.T) {
	var out bytes.Buffer
	if err := builtFrom(debug.BuildInfo{}).show("json", &out); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "rolecall", "version": "devel", "commit": "", "commit_time": "", "modified": false, "go": "", "os": "", "arch": "", "canonicalisation": "rc1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
