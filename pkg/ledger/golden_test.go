package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/specs/schema"
)

var update = flag.Bool("update", false, "write the golden files anew")

const folder = "../../testdata/ledger"

// beyondSchema are the faults that no schema can see: they lie between two
// places of the file, or in a table that is not part of it.
var beyondSchema = []string{
	"match-the-same.yaml",           // two roles claim one object
	"previous-role-is-a-role.yaml",  // an old key is in use
	"previous-role-is-itself.yaml",  // the same
	"previous-role-twice.yaml",      // two roles claim one old key
	"waiver-twice.yaml",             // two waivers for one finding
	"paused-until-no-such-day.yaml", // the calendar
	"zone-not-in-the-database.yaml", // the zones that there are
	"ignore-beside-hash.yaml",       // a rule without effect
	"ignore-no-path.yaml",           // what a path is made of
	"ignore-open-step.yaml",         // likewise
	"template-absent.yaml",          // the files that there are
	"tag-unknown.yaml",              // YAML's tags are gone before a schema looks
	"tag-binary.yaml",               // the same
	"run-output-twice.yaml",         // two of one list
	"evidence-shared.yaml",          // several sources and one place
}

func files(t *testing.T, kind string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(folder, kind, "*.yaml"))
	if err != nil || len(out) == 0 {
		t.Fatalf("no files of the kind %s: %v", kind, err)
	}
	return out
}

// parse reads a file as if it stood in the working directory.
func parse(t *testing.T, file string) (ledger.Ledger, []ledger.Warning, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return ledger.Parse(filepath.Base(file), data, func(rel string) ([]byte, error) {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(file), rel))
		if err != nil {
			return nil, errors.New("no such file")
		}
		return data, nil
	})
}

func TestGoodLedgers(t *testing.T) {
	for _, file := range files(t, "ok") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if _, _, err := parse(t, file); err != nil {
				t.Errorf("parser:\n%v", err)
			}
			if err := schemaVerdict(t, "ledger", file); err != nil {
				t.Errorf("schema:\n%v", err)
			}
		})
	}
}

func TestBadLedgers(t *testing.T) {
	for _, file := range files(t, "err") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, _, err := parse(t, file)
			if err == nil {
				t.Fatal("the parser takes it")
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".out", err.Error()+"\n")
			beyond := slices.Contains(beyondSchema, filepath.Base(file))
			if err := schemaVerdict(t, "ledger", file); (err == nil) != beyond {
				t.Errorf("schema says %v; is it known to be beyond the schema: %v", err, beyond)
			}
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// schemaVerdict is what an editor says of a file: it is not one YAML document,
// or the schema refuses it, or nil.
func schemaVerdict(t *testing.T, name, file string) error {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return err
	}
	if err := dec.Decode(new(any)); err != io.EOF {
		return errors.New("more than one document")
	}
	asJSON, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	return compiled(t, name).Validate(instance)
}

func compiled(t *testing.T, name string) *jsonschema.Schema {
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
