package specs

import "testing"

func TestEvidenceInASource(t *testing.T) {
	terms := EvidenceTerms{Executed: EvidenceSource{Runs: "r/{source}/{source}"}, Succeeded: EvidenceSource{Query: `max(t{host="{source}"})`}, Progressed: EvidenceSource{File: "{source.gz"}}
	got := terms.In("web-1")
	if got.Executed.Place() != "r/web-1/web-1" || got.Succeeded.Place() != `max(t{host="web-1"})` || got.Progressed.Place() != "{source.gz" {
		t.Errorf("%+v", got)
	}
	if terms.Executed.Runs != "r/{source}/{source}" {
		t.Error("the terms themselves were changed")
	}
}
