package conformance

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // it holds the schema
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// official is OASIS' schema of SARIF 2.1.0 with errata 01. A Go module carries it
// as a constant that it does not export.
func official(t testing.TB) *jsonschema.Schema {
	t.Helper()
	const pkg = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	ast.Inspect(f, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text = lit.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	const id = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	if got := document.(map[string]any)["id"]; got != id {
		t.Fatalf("the schema is %v", got)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(id, document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func TestSARIFSchema(t *testing.T) {
	schema := official(t)
	holds := func(what, document string) {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		placed(t, document)
	}
	holds("the sample", sample(t, "sample.sarif"))
	for _, s := range texts(400) {
		for _, place := range []render.Place{checkout, {}} {
			holds(strconv.Quote(s), show(t, render.SARIF(place), saved(t, filled(s))))
		}
	}
	// The schema is one that refuses.
	for _, bad := range []string{"{}", `{"version":"2.1.0","runs":[{}]}`, strings.Replace(sample(t, "sample.sarif"), `"level": "error"`, `"level": "fatal"`, 1), strings.Replace(sample(t, "sample.sarif"), `"uri": "ledger.yaml"`, `"uri": "%zz"`, 1), strings.Replace(sample(t, "sample.sarif"), `"ruleId"`, `"rule"`, 1)} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("taken: %.80s", bad)
		}
	}
}

// reference is a path or file URI of RFC 3986 that needs no more than these.
var reference = regexp.MustCompile(`^(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+$`)

// placed holds every result to what GitHub wants beyond the schema: a physical
// location in the checkout, by a path that cannot lead out of it.
func placed(t *testing.T, document string) {
	t.Helper()
	var log struct {
		Runs []struct {
			Results []struct {
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(document), &log); err != nil {
		t.Fatal(err)
	}
	for _, r := range log.Runs[0].Results {
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.Region.StartLine < 1 {
			t.Fatalf("not placed: %+v", r)
		}
		at := r.Locations[0].PhysicalLocation.ArtifactLocation
		u, err := url.Parse(at.URI)
		if err != nil || !reference.MatchString(at.URI) {
			t.Fatalf("%q: %v", at.URI, err)
		}
		if at.URIBaseID == "%SRCROOT%" && (u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || strings.HasPrefix(u.Path, "/")) {
			t.Errorf("%q does not stay below the top", at.URI)
		}
	}
}
