package kubernetes

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// bothWays reads a text by the short way and by the long one, and says how many
// documents the short one read.
func bothWays(t *testing.T, data []byte) (short, all int) {
	t.Helper()
	one, other := contents{}, contents{long: true}
	one.read(data)
	other.read(data)
	if got, want := sayingsOf(one), sayingsOf(other); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q\n%+v\nwant %+v", data, got, want)
	}
	for i := range one.found {
		if got, want := one.found[i].cronJob, other.found[i].cronJob; !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n%+v\nwant %+v", data, got, want)
		}
	}
	text, err := decodeText(data)
	if err != nil {
		return 0, 0
	}
	for _, d := range split(text) {
		start, blank := d.blank()
		if blank {
			continue
		}
		all++
		if new(contents).plainly(d, start) {
			short++
		}
	}
	return short, all
}

// sayingsOf is what is said of a file, and where.
func sayingsOf(r contents) (out []string) {
	for _, s := range [][]saying{r.troubles, r.remarks} {
		out = append(out, fmt.Sprint(s))
	}
	for _, f := range r.found {
		out = append(out, fmt.Sprint(f.line, f.at.path, f.at.line, f.at.in.base, f.faults))
	}
	return append(out, fmt.Sprint(r.understood))
}

// manifestSeeds are the texts of this package's tests and what people write.
func manifestSeeds(t testing.TB) (out [][]byte) {
	for i := range 3 {
		out = append(out, []byte(usual(i)), []byte(unrelated(i)), []byte(usual(i)+"---\n"+unrelated(i)+"---\n"+usual(i+1)))
	}
	for _, dir := range []string{"testdata", "../../testdata", "../../cmd"} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".yaml") && !strings.HasSuffix(p, ".yml") && !strings.HasSuffix(p, ".txtar") {
				return err
			}
			data, err := os.ReadFile(p)
			out = append(out, data)
			if strings.HasSuffix(p, ".txtar") {
				out = append(out, txtarFiles(data)...)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func txtarFiles(data []byte) (out [][]byte) {
	for _, part := range bytes.Split(data, []byte("\n-- "))[1:] {
		if name, text, _ := bytes.Cut(part, []byte(" --\n")); bytes.HasSuffix(name, []byte("yaml")) {
			out = append(out, text)
		}
	}
	return out
}

// Every text of the tests says the same both ways, and most are read by the
// short one.
func TestPlainly(t *testing.T) {
	short, all := 0, 0
	for _, data := range manifestSeeds(t) {
		s, a := bothWays(t, data)
		short, all = short+s, all+a
	}
	t.Logf("%d of %d documents by the short way", short, all)
	if short*2 < all {
		t.Errorf("only %d of %d documents were read by the short way", short, all)
	}
	for name, c := range plainCases {
		short, all := bothWays(t, []byte(c.text))
		if (short == all) != c.short {
			t.Errorf("%s: %d of %d documents by the short way\n%s", name, short, all, c.text)
		}
	}
}

const plainHead = "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: a\n"

var plainCases = map[string]struct {
	text  string
	short bool
}{
	"usual":                 {usual(1), true},
	"nothing in it":         {plainHead + "spec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {}}}}}\n", true},
	"yes":                   {plainHead + "spec: {schedule: '@daily', suspend: yes}\n", false},
	"octal":                 {plainHead + "spec: {schedule: '@daily', startingDeadlineSeconds: 010}\n", false},
	"a number for a text":   {plainHead + "  namespace: 7\nspec: {schedule: '@daily'}\n", false},
	"a text for a number":   {plainHead + "spec: {schedule: '@daily', startingDeadlineSeconds: '7'}\n", false},
	"too large a number":    {plainHead + "spec: {schedule: '@daily', successfulJobsHistoryLimit: 3000000000}\n", false},
	"an unknown field":      {plainHead + "spec: {schedule: '@daily', schedules: 7}\n", false},
	"a key twice":           {plainHead + "spec: {schedule: '@daily', schedule: '@hourly'}\n", false},
	"a label twice":         {plainHead + "  labels: {a: b, a: c}\nspec: {schedule: '@daily'}\n", false},
	"a case of a name":      {plainHead + "spec: {Schedule: '@daily', schedule: '@hourly'}\n", false},
	"nulls":                 {plainHead + "  labels:\n  creationTimestamp: null\n  annotations: ~\nspec: {schedule: '@daily', timeZone: null, jobTemplate: {spec: {template: {spec: {containers: null, nodeSelector: {a: null}}}}}}\nstatus: {}\n", true},
	"no schedule":           {plainHead + "spec: {suspend: true}\n", true},
	"a schedule of null":    {plainHead + "spec: {schedule: null}\n", false},
	"no spec":               {plainHead, true},
	"no version":            {"kind: CronJob\nspec: {schedule: '@daily'}\n", false},
	"an old version":        {strings.Replace(plainHead, "v1", "v1beta1", 1) + "spec: {schedule: '@daily'}\n", true},
	"a time":                {plainHead + "  creationTimestamp: '2024-05-06T07:08:09Z'\nspec: {schedule: '@daily'}\n", true},
	"a bare time":           {plainHead + "  creationTimestamp: 2024-05-06T07:08:09Z\nspec: {schedule: '@daily'}\n", true},
	"a bad time":            {plainHead + "  creationTimestamp: yesterday\nspec: {schedule: '@daily'}\n", false},
	"quantities":            {plainHead + "spec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {overhead: {cpu: 0.5, memory: 128Mi, a: 7, b: '1e3', c: 100m, d: 0.0000001}}}}}}\n", true},
	"a huge quantity":       {plainHead + "spec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {overhead: {cpu: '1e999'}}}}}}\n", false},
	"a bad quantity":        {plainHead + "spec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {overhead: {cpu: much}}}}}}\n", false},
	"a label like one":      {plainHead + "  labels: {sizeLimit: 1e9999x}\nspec: {schedule: '@daily'}\n", false},
	"ports":                 {plainHead + "spec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {containers: [{name: a, livenessProbe: {httpGet: {port: web}}}, {name: b, livenessProbe: {httpGet: {port: 80}}}]}}}}}\n", true},
	"managed fields":        {plainHead + "  managedFields: [{fieldsV1: {}}]\nspec: {schedule: '@daily'}\n", false},
	"to be rendered":        {plainHead + "spec: {schedule: '${WHEN}'}\n", true},
	"no name":               {"apiVersion: batch/v1\nkind: CronJob\nspec: {schedule: '@daily'}\n", true},
	"a list":                {"kind: List\napiVersion: v1\nitems:\n- apiVersion: batch/v1\n  kind: CronJob\n  metadata: {name: a}\n  spec: {schedule: '@daily'}\n-\n  kind: X\n- kind: CronJob\n  spec: {}\n", true},
	"a list of CronJobs":    {"kind: CronJobList\napiVersion: batch/v1\nitems:\n  - metadata: {name: a}\n    spec: {schedule: '@daily'}\n  - metadata: {name: b}\n    spec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {containers: [{name: B_D}]}}}}}\n", true},
	"a list in a list":      {"kind: List\nitems:\n- kind: CronJobList\n  apiVersion: batch/v1\n  items:\n  - metadata: {name: a}\n    spec: {schedule: '@daily'}\n", true},
	"an infinity elsewhere": {"kind: X\ndata: [.inf]\n---\n" + usual(1), false},
	"a number for a key":    {"kind: X\ndata: {7: x}\n---\n" + usual(1), false},
	"a null for a key":      {"kind: X\ndata: {~: x}\n---\n" + usual(1), false},
	"a template":            {"kind: Template\nobjects: [{kind: CronJob}]\n", false},
	"two kinds":             {"kind: X\nkind: CronJob\n", false},
	"a fault":               {plainHead + "spec:\n  schedule: '@daily'\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n          containers:\n          - name: B_D\n            image: x\n", true},
}

// CronJobs with all fields of the API, as many people and tools write them, are
// read by the short way as by the long one.
func TestPlainlyGenerated(t *testing.T) {
	m, short, all := newMaker(11, true), 0, 0
	for i := range 300 {
		cj := m.cronJob(fmt.Sprint("g-", i))
		l := &layout{rnd: rand.New(rand.NewPCG(uint64(i), 5)), plain: i%2 == 0}
		text := l.yaml(entries{{"apiVersion", "batch/v1"}, {"kind", "CronJob"}, {"metadata", entries{{"name", cj.Name}}}, {"spec", l.value("", reflect.ValueOf(cj.Spec))}})
		tame, err := yaml.Marshal(cj)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{text, tame} {
			s, a := bothWays(t, data)
			short, all = short+s, all+a
		}
	}
	t.Logf("%d of %d documents by the short way", short, all)
	if short < 100 {
		t.Errorf("only %d of %d", short, all)
	}
}

// Mutants of what people write, most of them no CronJobs any more, are read the
// same both ways.
func TestPlainlyMutants(t *testing.T) {
	var seeds [][]byte
	for _, seed := range manifestSeeds(t) {
		if len(seed) < 4000 && mayHold(seed) {
			seeds = append(seeds, seed)
		}
	}
	for _, c := range plainCases {
		seeds = append(seeds, []byte(c.text))
	}
	rnd := rand.New(rand.NewPCG(1, 9))
	for range 4000 {
		bothWays(t, mutated(rnd, seeds))
	}
}

var mutations = strings.Split("\n|  | |- |: |'|\"|#| #|>|-|{|}|[|]|,|null|~|yes|1e5|0.5|0x1|&a |*a|!!str |\\n|---\n|...\n|<<: |\t|kind: |CronJob|items:\n|? |%|é|\r\n|007|-1|name: |spec: ", "|")

// mutated is a text with something put in, taken out, copied from another or
// moved to another line.
func mutated(rnd *rand.Rand, seeds [][]byte) []byte {
	text := seeds[rnd.IntN(len(seeds))]
	for range 1 + rnd.IntN(3) {
		at := rnd.IntN(len(text) + 1)
		switch lines := bytes.SplitAfter(text, []byte("\n")); rnd.IntN(4) {
		case 0:
			text = slices.Concat(text[:at], []byte(mutations[rnd.IntN(len(mutations))]), text[at:])
		case 1:
			text = slices.Concat(text[:at], text[min(len(text), at+1+rnd.IntN(4)):])
		case 2:
			other := seeds[rnd.IntN(len(seeds))]
			from := rnd.IntN(len(other))
			text = slices.Concat(text[:at], other[from:min(len(other), from+rnd.IntN(60))], text[at:])
		default:
			i, j := rnd.IntN(len(lines)), rnd.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			text = bytes.Join(lines, nil)
		}
	}
	return text
}

// FuzzPlainly holds the short way to the long one.
func FuzzPlainly(f *testing.F) {
	for _, seed := range manifestSeeds(f) {
		if len(seed) < 4000 && mayHold(seed) {
			f.Add(seed)
		}
	}
	for _, c := range plainCases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { bothWays(t, data) })
}

// What the short way takes a scalar for is what the parser of kubectl does.
func TestScalarOf(t *testing.T) {
	for text := range scalarTexts {
		holdScalar(t, text)
	}
}

func holdScalar(t *testing.T, text string) {
	t.Helper()
	doc, ok := plain.Read("- "+text+"\n", nil)
	if !ok || len(doc) != 2 || doc[1].Style != plain.Plain {
		return
	}
	raw, err := yaml.YAMLToJSON([]byte("- " + text + "\n"))
	if err != nil {
		if scalarOf(&doc[1]) != unsure {
			t.Errorf("%q: %v", text, err)
		}
		return
	}
	got := string(raw[1 : len(raw)-1])
	var fits bool
	switch scalarOf(&doc[1]) {
	case unsure:
		fits = true
	case nullScalar:
		fits = got == "null"
	case trueScalar:
		fits = got == "true"
	case falseScalar:
		fits = got == "false"
	case integerScalar:
		fits = got == doc[1].Text
	case decimalScalar:
		fits = got[0] != '"' && strings.Trim(got, "0123456789.e-") == ""
	case textScalar:
		fits = got[0] == '"'
	}
	if !fits {
		t.Errorf("%q is %s and taken as %d", text, got, scalarOf(&doc[1]))
	}
}

// scalarTexts are all texts of up to four characters of those that a number, a
// truth or a null is made of, and words.
func scalarTexts(yield func(string) bool) {
	var grow func(s string, left int) bool
	grow = func(s string, left int) bool {
		if s != "" && !yield(s) {
			return false
		}
		for _, c := range "0179+-._eExoabfFnNyY~ifZ:T/" {
			if left > 0 && !grow(s+string(c), left-1) {
				return false
			}
		}
		return true
	}
	if !grow("", 3) {
		return
	}
	for _, a := range []string{"", "-", "+", "0", "1", ".", "0x", "0b", "-0b", "0o", "_", "1_", "12", "2024-01-0", "2024-1-1", "1."} {
		for _, b := range []string{"", "e5", "E-3", "_1", ".inf", ".NaN", "inf", "1", "101", "7f", "g", "-", "--x", ".5", "T10:00:00Z", " 10:00:00", "Mi", "m", ":30", "99999999999999999999", "400", "e400"} {
			if !yield(a + b) {
				return
			}
		}
	}
	for _, w := range []string{"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "true", "True", "TRUE", "tRUE", "false", "False", "FALSE", "null", "Null", "NULL", "nULL", "~", "y", "n", "Y", "N", "t", "f", "nan", "inf", "infinity", "=", "!!str", "-c", "--x", "-1", "-0", "+1", "./x", "../x", "..", "./", ".x"} {
		if !yield(w) {
			return
		}
	}
}
