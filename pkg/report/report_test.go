package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestVerdict is the whole table: what was found and not read, against what the
// gate takes into account.
func TestVerdict(t *testing.T) {
	finding := func(k Kind) Finding { return Finding{Kind: k} }
	read := Coverage{State: "read"}
	denied := Coverage{State: "denied"}
	skipped := Coverage{State: string(OutOfScope)}
	waived := Finding{Kind: Drift, Waiver: &Waiver{}}
	ended := Finding{Kind: Drift, Waiver: &Waiver{Ended: true}}
	marked := Finding{Kind: Unexpected, Marked: true}
	for _, c := range []struct {
		name     string
		gate     Gate
		findings []Finding
		coverage []Coverage
		want     Verdict
		code     int
	}{
		{"nothing", Gate{}, nil, []Coverage{read}, Clean, 0},
		{"missing", Gate{}, []Finding{finding(Missing)}, []Coverage{read}, Findings, 1},
		{"missing and a gap", Gate{}, []Finding{finding(Missing)}, []Coverage{denied}, Findings, 1},
		{"a gap", Gate{}, nil, []Coverage{read, denied}, Incomplete, 3},
		{"unknown", Gate{}, []Finding{finding(Unknown)}, []Coverage{read}, Incomplete, 3},
		{"unreviewed", Gate{}, []Finding{finding(Unreviewed)}, nil, Findings, 1},
		{"unexpected", Gate{}, []Finding{finding(Unexpected)}, nil, Clean, 0},
		{"unexpected with a marker", Gate{}, []Finding{marked}, nil, Findings, 1},
		{"unexpected, asked for", Gate{Kinds: []Kind{Unexpected}}, []Finding{finding(Unexpected)}, nil, Findings, 1},
		{"marked, not asked for", Gate{Kinds: []Kind{Missing}}, []Finding{marked}, nil, Passed, 0},
		{"no kind", Gate{Kinds: []Kind{}}, []Finding{finding(Missing), marked}, nil, Passed, 0},
		{"no kind, unknown", Gate{Kinds: []Kind{}}, []Finding{finding(Unknown)}, nil, Incomplete, 3},
		{"waived", Gate{}, []Finding{waived}, nil, Passed, 0},
		{"waiver over", Gate{}, []Finding{ended}, nil, Findings, 1},
		{"source not looked at", Gate{}, nil, []Coverage{skipped}, Clean, 0},
		{"source not looked at, all required", Gate{RequireAllSources: true}, nil, []Coverage{skipped}, Incomplete, 3},
		{"exit zero", Gate{ExitZero: true}, []Finding{finding(Missing)}, nil, Passed, 0},
		{"exit zero, a gap", Gate{ExitZero: true}, []Finding{finding(Missing)}, []Coverage{denied}, Incomplete, 3},
		{"allow partial", Gate{AllowPartial: true}, []Finding{finding(Unknown)}, []Coverage{denied}, Passed, 0},
		{"allow partial, missing", Gate{AllowPartial: true}, []Finding{finding(Missing)}, []Coverage{denied}, Findings, 1},
		{"both", Gate{ExitZero: true, AllowPartial: true}, []Finding{finding(Missing)}, []Coverage{denied}, Passed, 0},
	} {
		if got, code := c.gate.Judge(c.findings, c.coverage); got != c.want || code != c.code {
			t.Errorf("%s: %s %d, want %s %d", c.name, got, code, c.want, c.code)
		}
	}
}

func TestCatalogueIsWhole(t *testing.T) {
	seen := map[Kind]bool{}
	for i, e := range Catalogue() {
		if e.Title == "" || e.Meaning == "" || e.NextStep == "" || seen[e.Kind] || e.Kind.order() != i {
			t.Errorf("entry %d is not whole: %+v", i, e)
		}
		if e.Severity != "error" && e.Severity != "warning" && e.Severity != "note" {
			t.Errorf("%s has the severity %q", e.Kind, e.Severity)
		}
		seen[e.Kind] = true
	}
	for _, k := range []Kind{Missing, Duplicate, Ambiguous, Inactive, Drift, Unknown, Unreviewed, Unexpected} {
		if !seen[k] {
			t.Errorf("%s is not in the catalogue", k)
		}
	}
}

func TestParseKinds(t *testing.T) {
	if k, err := ParseKinds([]string{"none"}); err != nil || k == nil || len(k) != 0 {
		t.Errorf("none: %v %v", k, err)
	}
	if k, err := ParseKinds([]string{"missing", " drift", "missing"}); err != nil || len(k) != 2 {
		t.Errorf("two kinds: %v %v", k, err)
	}
	for _, bad := range [][]string{{"unknown"}, {"ok"}, {"none", "missing"}, {""}} {
		if _, err := ParseKinds(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

func TestEncodeNeverNullAndBack(t *testing.T) {
	r := Report{Findings: []Finding{{ID: "b", Kind: Drift}, {ID: "a", Kind: Missing}}, Roles: []Role{{}}}
	var first, second bytes.Buffer
	if err := Encode(&first, r); err != nil {
		t.Fatal(err)
	}
	for _, list := range []string{"fail_on", "coverage", "roles", "findings", "notes", "objects", "fields", "hints", "cosmetic"} {
		if strings.Contains(first.String(), `"`+list+`": null`) {
			t.Errorf("%s is null", list)
		}
	}
	back, err := Decode(bytes.NewReader(first.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if back.Findings[0].ID != "a" || back.Findings[0].Severity != "error" {
		t.Errorf("order or severity: %+v", back.Findings)
	}
	if err := Encode(&second, back); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the second encoding differs: %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, bad := range []string{"", "{}", `{"schema":"rolecall.report/v9"}`, `{"schema":"rolecall.report/v1","x":1}`, `{"schema":"rolecall.report/v1"}{}`, "[]"} {
		if _, err := Decode(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
