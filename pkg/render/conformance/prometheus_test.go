package conformance

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// TestPrometheusLint is what promtool check metrics does, and more: a text that
// Prometheus' own parser takes, with no series twice.
func TestPrometheusLint(t *testing.T) {
	documents := map[string]string{"the sample": sample(t, "sample.prom")}
	for _, s := range texts(400) {
		documents[s] = show(t, render.Prometheus, saved(t, filled(s)))
	}
	for what, text := range documents {
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("%q: %v %v", what, err, problems)
		}
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%q: %v", what, err)
		}
		for name, f := range families {
			if !strings.HasPrefix(name, "rolecall_") || f.GetHelp() == "" {
				t.Errorf("%q: a family %s", what, name)
			}
			seen := map[string]bool{}
			for _, m := range f.GetMetric() {
				labels := ""
				for _, l := range m.GetLabel() {
					labels += l.String() + " "
				}
				if seen[labels] {
					t.Errorf("%q: twice: %s %s", what, name, labels)
				}
				seen[labels] = true
			}
		}
	}
}
