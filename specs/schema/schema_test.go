package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Get(name)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile(name + ".json")
}

func TestEverySchemaCompiles(t *testing.T) {
	for _, name := range schema.Names() {
		compile(t, name)
		if !bytes.Contains(schema.Get(name), []byte("https://json-schema.org/draft/2020-12/schema")) {
			t.Errorf("%s names another draft", name)
		}
	}
	for _, name := range []string{"", "nothing", "../schema", "*"} {
		if schema.Get(name) != nil {
			t.Errorf("there is a schema %q", name)
		}
	}
}

// TestReportSchemaIsTheReport walks the Go form: each key is there, required,
// of the same type, and no other.
func TestReportSchemaIsTheReport(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(schema.Get("report"), &root); err != nil {
		t.Fatal(err)
	}
	walk(t, root, root, reflect.TypeFor[report.Report](), "report")
}

func walk(t *testing.T, root, node map[string]any, typ reflect.Type, path string) {
	node = follow(root, node)
	switch {
	case typ == reflect.TypeFor[time.Time]():
		wantType(t, node, "string", path)
	case typ.Kind() == reflect.Pointer:
		forms, _ := node["anyOf"].([]any)
		if len(forms) != 2 || forms[1].(map[string]any)["type"] != "null" {
			t.Errorf("%s: a pointer must be allowed to be null", path)
			return
		}
		walk(t, root, forms[0].(map[string]any), typ.Elem(), path)
	case typ.Kind() == reflect.Struct:
		walkStruct(t, root, node, typ, path)
	case typ.Kind() == reflect.Slice:
		wantType(t, node, "array", path)
		items, _ := node["items"].(map[string]any)
		walk(t, root, items, typ.Elem(), path+"[]")
	case typ.Kind() == reflect.String:
		wantType(t, node, "string", path)
	case typ.Kind() == reflect.Bool:
		wantType(t, node, "boolean", path)
	case typ.Kind() == reflect.Int, typ.Kind() == reflect.Int64:
		wantType(t, node, "integer", path)
	default:
		t.Errorf("%s: no rule for %s", path, typ)
	}
}

func walkStruct(t *testing.T, root, node map[string]any, typ reflect.Type, path string) {
	props, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	if node["additionalProperties"] != false {
		t.Errorf("%s: other keys are allowed", path)
	}
	var keys []string
	for _, f := range reflect.VisibleFields(typ) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if key == "-" || f.Anonymous {
			continue
		}
		keys = append(keys, key)
		sub, ok := props[key].(map[string]any)
		if !ok {
			t.Errorf("%s: the schema lacks %s", path, key)
			continue
		}
		if !slices.Contains(required, any(key)) {
			t.Errorf("%s: %s is not required", path, key)
		}
		walk(t, root, sub, f.Type, path+"."+key)
	}
	for key := range props {
		if !slices.Contains(keys, key) {
			t.Errorf("%s: the schema has %s and the report has not", path, key)
		}
	}
}

func follow(root, node map[string]any) map[string]any {
	if ref, ok := node["$ref"].(string); ok {
		return root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	return node
}

func wantType(t *testing.T, node map[string]any, want, path string) {
	got := node["type"]
	if values, ok := node["enum"].([]any); ok {
		got = map[bool]string{true: "integer", false: "string"}[reflect.TypeOf(values[0]) == reflect.TypeFor[float64]()]
	}
	if _, ok := node["const"].(string); ok {
		got = "string"
	}
	if got != want {
		t.Errorf("%s: the schema says %v, the report has %s", path, got, want)
	}
}

// TestReportSchemaNamesEveryKind holds the enums to the catalogue.
func TestReportSchemaNamesEveryKind(t *testing.T) {
	s := compile(t, "report")
	for _, e := range report.Catalogue() {
		r := sample()
		r.Findings[0].Kind = e.Kind
		if e.Kind != report.Unknown {
			r.FailOn = []report.Kind{e.Kind}
		}
		if e.Kind != report.Unexpected && !e.Kind.OfChange() {
			r.Roles[0].State = report.State(e.Kind)
		}
		if err := s.Validate(encoded(t, r)); err != nil {
			t.Errorf("%s: %v", e.Kind, err)
		}
	}
	r := sample()
	r.Findings[0].Kind = "odd"
	if s.Validate(encoded(t, r)) == nil {
		t.Error("a kind that does not exist passes")
	}
}

func TestReportSchemaTakesWhatIsWritten(t *testing.T) {
	s := compile(t, "report")
	for name, r := range map[string]report.Report{"empty": {Mode: "live", Verdict: report.Clean, Canonicalisation: specs.Canonicalisation}, "full": sample()} {
		if err := s.Validate(encoded(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sample() report.Report {
	due := "2026-11-29T03:17:00Z"
	at := specs.Pos{File: "ledger.yaml", Line: 14, Column: 3}
	return report.Report{
		Tool: report.Tool{Name: "rolecall", Version: "1.0.0"}, Mode: "offline", ObservedAt: time.Date(2026, 11, 28, 12, 0, 0, 5e6, time.UTC),
		Canonicalisation: specs.Canonicalisation, Ledger: report.Ledger{Path: "ledger.yaml", Name: "shop", Revision: 12, SHA256: strings.Repeat("0f", 32)},
		Verdict: report.Findings, ExitCode: 1,
		Coverage: []report.Coverage{{Source: "prod", Provider: "kubernetes", Part: "namespace/batch", State: "denied", Reason: "ask for list"}},
		Roles: []report.Role{{Role: "retry", Source: "prod", State: "drift", Hash: specs.Spec{}.Hash().String(), NextDue: &due,
			Next24h: &report.Day{Minutes: 288, Due: []report.Series{{At: time.Date(2026, 11, 28, 12, 5, 0, 0, time.UTC), Every: 5, Minutes: 288}}},
			Stages:  report.Stages{Registered: "yes", Executed: report.Yes, Succeeded: report.Stale, Progressed: report.NotTracked}, Location: at, Objects: []string{"kubernetes:prod/batch/retry"}}},
		Findings: []report.Finding{{ID: "drift:retry@prod", Kind: report.Drift, Role: "retry", Source: "prod",
			Fields:    []report.Field{{Path: "schedule", Desired: "a", Observed: "b"}},
			ChangedBy: &report.Change{Who: "kubectl", When: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Evidence: "managedFields"},
			Waiver:    &report.Waiver{Reason: "trial", Until: "2026-12-24", Pos: at}, Location: at}},
		Notes: []report.Note{{Code: "unused-waiver", Message: "m", Location: at}},
		Gate:  &report.Against{Rev: "main", Base: strings.Repeat("0f", 20), MergeBase: true, Changes: edits()},
	}
}

func edits() []report.Edit {
	return []report.Edit{{Of: "role", Name: "retry", What: "changed", Location: specs.Pos{File: "ledger.yaml", Line: 3},
		Fields: []report.EditField{{Path: "schedule", Before: "0 1 * * *", After: "0 2 * * *", BeforeWords: "at 01:00 every day", AfterWords: "at 02:00 every day"}}}}
}

// TestLedgerDiffSchema holds the schema to the Go form and to what is written.
func TestLedgerDiffSchema(t *testing.T) {
	var root map[string]any
	if err := json.Unmarshal(schema.Get("ledgerdiff"), &root); err != nil {
		t.Fatal(err)
	}
	walk(t, root, root, reflect.TypeFor[report.LedgerDiff](), "ledgerdiff")
	for _, d := range []report.LedgerDiff{{}, {To: report.Edition{Rev: "main", Commit: strings.Repeat("0f", 20)}, Changes: edits()}} {
		var b bytes.Buffer
		if err := report.EncodeLedgerDiff(&b, d); err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(&b)
		if err != nil {
			t.Fatal(err)
		}
		if err := compile(t, "ledgerdiff").Validate(doc); err != nil {
			t.Error(err)
		}
	}
}

func encoded(t *testing.T, r report.Report) any {
	t.Helper()
	var b bytes.Buffer
	if err := report.Encode(&b, r); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
