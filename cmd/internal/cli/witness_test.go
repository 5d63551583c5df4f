package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestFilesAsEvidence(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 11, 25, 3, 5, 0, 0, time.UTC)
	put := func(name string) {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	put("dump")
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link": "dump", "dangling": "nowhere", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]providers.Trace{
		"dump": known(at), filepath.Join(dir, "dump"): known(at), "link": known(at), "dangling": known(time.Time{}), "none": known(time.Time{}),
		"folder": {State: providers.Unreadable}, "loop": {State: providers.Unreadable}, "none/none": {State: providers.Unreadable},
		"dump/x": {State: providers.Unreadable}, os.DevNull: {State: providers.Unreadable}, strings.Repeat("x", 5000): {State: providers.Unreadable},
	} {
		if got := (placed{}).find(dir, name).file(); got.State != want.State || !got.Last.Equal(want.Last) || got.State == providers.Unreadable && got.Reason == "" {
			t.Errorf("%.60s: %+v", name, got)
		}
	}
}

// A folder that a ledger names tells of the stages that name it, and of no other.
func TestFoldersAsEvidence(t *testing.T) {
	r := newRecording(t)
	r.run("a", hour(1), runs.Completed, runs.Terminal{})
	r.run("a", hour(2), "", runs.Terminal{})
	a, b, c := specs.Ref{Role: "a", Source: "s"}, specs.Ref{Role: "b", Source: "s"}, specs.Ref{Role: "c", Source: "s"}
	from := specs.EvidenceSource{Runs: filepath.Base(r.dir)}
	w := placeWitness{base: filepath.Dir(r.dir), terms: map[specs.Ref]placed{
		a: {EvidenceTerms: specs.EvidenceTerms{Executed: from, Succeeded: from}},
		b: {EvidenceTerms: specs.EvidenceTerms{Succeeded: from, Progressed: from}},
		c: {EvidenceTerms: specs.EvidenceTerms{Succeeded: specs.EvidenceSource{Query: "x"}}},
	}}
	got := w.Testify(context.Background(), []specs.Ref{a, b, c})
	if ev := got[a]; !ev.Executed.Last.Equal(hour(2)) || !ev.Succeeded.Last.Equal(hour(1).Add(time.Minute)) || ev.Progressed.State != providers.Untracked || len(ev.Running) != 1 {
		t.Errorf("a: %+v", ev)
	}
	if ev := got[b]; ev.Executed.State != providers.Untracked || ev.Succeeded.State != providers.Known || ev.Progressed.State != providers.Known || !ev.Progressed.Last.IsZero() {
		t.Errorf("b: %+v", ev)
	}
	shared := from
	shared.Shared = true
	w.terms[b] = placed{EvidenceTerms: specs.EvidenceTerms{Executed: shared, Succeeded: shared, Progressed: shared}}
	if ev := w.Testify(context.Background(), []specs.Ref{b})[b]; ev.Executed.State != providers.Known || ev.Progressed.State != providers.Untracked {
		t.Errorf("b, of whose progress nothing was ever said: %+v", ev)
	}
	within := time.Hour
	w.terms[b] = placed{EvidenceTerms: specs.EvidenceTerms{ProgressWithin: &within, Executed: shared, Succeeded: shared, Progressed: shared}}
	if ev := w.Testify(context.Background(), []specs.Ref{b})[b]; ev.Progressed.State != providers.Known || !ev.Progressed.Last.IsZero() {
		t.Errorf("b, whose progress the ledger wants: %+v", ev)
	}
	if _, ok := got[c]; ok {
		t.Errorf("c: %+v", got[c])
	}
	// On another machine an absolute path names something else.
	w.terms[a] = placed{EvidenceTerms: specs.EvidenceTerms{Succeeded: specs.EvidenceSource{Runs: r.dir}}, elsewhere: true}
	if ev := w.Testify(context.Background(), []specs.Ref{a})[a]; ev.Succeeded.State != providers.Unreadable {
		t.Errorf("elsewhere: %+v", ev)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if ev := w.Testify(ctx, []specs.Ref{b})[b]; ev.Succeeded.State != providers.Unreadable {
		t.Errorf("broken off: %+v", ev)
	}
}
