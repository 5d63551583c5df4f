package conformance

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// FuzzFormats puts any text everywhere and asks each reader that needs no
// process of its own.
func FuzzFormats(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	schema := official(f)
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	f.Fuzz(func(t *testing.T, s string) {
		r := saved(t, filled(s))
		sarif := show(t, render.SARIF(checkout), r)
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(sarif))
		if err == nil {
			err = schema.Validate(v)
		}
		if err != nil {
			t.Errorf("SARIF: %v", err)
		}
		placed(t, sarif)
		source := []byte(show(t, render.Markdown(render.CommentRoom), r))
		if why := foreign(md.Parser().Parse(text.NewReader(source)), source); why != "" {
			t.Errorf("Markdown: %s", why)
		}
		if problems, err := promlint.New(strings.NewReader(show(t, render.Prometheus, r))).Lint(); err != nil || len(problems) > 0 {
			t.Errorf("Prometheus: %v %v", err, problems)
		}
	})
}
