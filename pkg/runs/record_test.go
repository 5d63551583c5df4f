package runs_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func someGate(t testing.TB) []byte {
	data, err := runs.Encode(runs.Record[runs.Gate]{
		Header: runs.Header{Schema: runs.Schema, Kind: runs.KindGate, RunID: "000001-aa", Role: "backup", Seq: 3,
			Wall: time.Date(2026, 11, 25, 12, 0, 0, 5, time.UTC), Boot: 7, BootID: "b"},
		Body: runs.Gate{Verdict: runs.Commit, Cause: runs.CauseExit, By: "run\u2028\x00<", Token: "000001-aa", Exit: &runs.Exit{Code: 0},
			Promotion: []runs.Promotion{{Staged: "/a", Final: "/b", Size: 3, SHA256: "aa"}}, Watermark: &runs.Move{From: "1", To: "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRecordRoundTrip(t *testing.T) {
	data := someGate(t)
	r, err := runs.Decode[runs.Gate](runs.KindGate, data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := runs.Encode(r)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("%v\n%s%s", err, data, again)
	}
	if !bytes.HasSuffix(data, []byte("}\n")) || bytes.Count(data, []byte("\n")) != 1 {
		t.Errorf("a record is one line: %q", data)
	}
	if _, err := runs.Decode[runs.Terminal](runs.KindTerminal, data); !errors.Is(err, runs.ErrCorrupt) {
		t.Errorf("a gate was read as a terminal: %v", err)
	}
}

// A record that is cut at any byte, or of which any bit is flipped, is corrupt.
func TestRecordTorn(t *testing.T) {
	data := someGate(t)
	for n := range data {
		if _, err := runs.Decode[runs.Gate](runs.KindGate, data[:n]); !errors.Is(err, runs.ErrCorrupt) {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
	}
	for n := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[n] ^= 1 << bit
			if _, err := runs.Decode[runs.Gate](runs.KindGate, bad); !errors.Is(err, runs.ErrCorrupt) {
				t.Fatalf("bit %d of byte %d flipped: %v", bit, n, err)
			}
		}
	}
	for _, bad := range [][]byte{nil, {}, []byte("\n"), bytes.Repeat([]byte{0}, len(data)), append(bytes.Clone(data), '\n'), append([]byte(" "), data...)} {
		if _, err := runs.Decode[runs.Gate](runs.KindGate, bad); !errors.Is(err, runs.ErrCorrupt) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(someGate(f))
	f.Add([]byte("{}"))
	f.Add([]byte(strings.Repeat("[", 1000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := runs.Decode[runs.Gate](runs.KindGate, data)
		if err != nil {
			if !errors.Is(err, runs.ErrCorrupt) {
				t.Errorf("another error: %v", err)
			}
			return
		}
		if again, err := runs.Encode(r); err != nil || len(again) == 0 {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
