package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

// The round trip: a first ledger is written from one file, and an audit by it
// finds nothing but that nobody has reviewed the roles. Then a program changes
// the file, each time in one way whose right answer is known from the change
// alone, and audits it again.
//
// The files are those of testdata/roundtrip and, where ROLECALL_CORPUS names a
// folder with the same sub-folders, those in it too; -v prints the score:
//
//	ROLECALL_CORPUS=/some/files go test -v -run TestRoundTrip ./cmd/rolecall
var roundTripSets = map[string]func(*trial){
	"crontab":            crontabTrial,
	"workflows":          workflowTrial,
	"cronjobs":           manifestTrial,
	"cronjobs-templated": templateTrial,
}

func roundTripRoots() []string {
	roots := []string{"../../testdata/roundtrip"}
	if corpus := os.Getenv("ROLECALL_CORPUS"); corpus != "" {
		roots = append(roots, corpus)
	}
	return roots
}

func TestRoundTrip(t *testing.T) {
	roots := roundTripRoots()
	for _, set := range slices.Sorted(maps.Keys(roundTripSets)) {
		t.Run(set, func(t *testing.T) {
			s := newScore()
			for _, root := range roots {
				dir, err := filepath.Abs(filepath.Join(root, set))
				if err != nil {
					t.Fatal(err)
				}
				files := filesBelow(t, dir)
				for _, rel := range files {
					data, err := os.ReadFile(filepath.Join(dir, rel))
					if err != nil {
						t.Fatal(err)
					}
					t.Run(rel, func(t *testing.T) {
						s.files++
						roundTripSets[set](&trial{T: t, score: s, rel: rel, text: string(data)})
					})
				}
				if len(files) == 0 {
					t.Errorf("there are no files in %s", dir)
				}
			}
			t.Log(s)
		})
	}
}

func filesBelow(t *testing.T, dir string) []string {
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tell counts what the set has.
func (r *trial) tell() {
	r.score.jobs++
	r.score.objects += len(r.seen)
	for _, s := range r.subjects {
		if s.pinned {
			r.score.pinned++
		}
	}
}

// score counts how often what was found is what had to be.
type score struct {
	files, jobs           int // jobs counts the files that a first ledger was written from
	objects, pinned       int
	right, wrong, skipped map[string]int
}

func newScore() *score {
	return &score{right: map[string]int{}, wrong: map[string]int{}, skipped: map[string]int{}}
}

func (s *score) count(name string, ok bool) {
	if ok {
		s.right[name]++
	} else {
		s.wrong[name]++
	}
}

func (s *score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files, %d of them with jobs: %d objects, of which %d by hash only\n%-52s %6s %6s %8s\n", s.files, s.jobs, s.objects, s.pinned, "", "right", "wrong", "skipped")
	names := map[string]bool{}
	for _, m := range []map[string]int{s.right, s.wrong, s.skipped} {
		for name := range m {
			names[name] = true
		}
	}
	right, wrong := 0, 0
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "%-52s %6d %6d %8d\n", name, s.right[name], s.wrong[name], s.skipped[name])
		right += s.right[name]
		wrong += s.wrong[name]
	}
	fmt.Fprintf(&b, "%-52s %6d %6d", "all", right, wrong)
	return b.String()
}

// TestRoundTripTogether makes one source of all files of a set, so that one ledger
// has to tell the jobs of all of them apart.
func TestRoundTripTogether(t *testing.T) {
	for _, root := range roundTripRoots() {
		for _, set := range []string{"crontab", "workflows", "cronjobs"} {
			t.Run(filepath.Base(root)+"/"+set, func(t *testing.T) { together(t, filepath.Join(root, set)) })
		}
	}
}

func together(t *testing.T, dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &trial{T: t, score: newScore(), rel: "together"}
	files := map[string]string{}
	var flags []string
	for _, rel := range filesBelow(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, rel))
		if err != nil {
			t.Fatal(err)
		}
		name := rel
		switch filepath.Base(dir) {
		case "crontab":
			flags = append(flags, "--crontab", rel)
		case "workflows":
			name, flags = ".github/workflows/"+strings.ReplaceAll(rel, "/", "+"), []string{"--workflows", "."}
		default:
			name, flags = "all/"+rel, []string{"--manifests", "all/**"}
		}
		files[name] = string(data)
	}
	r.open(filepath.Base(dir), flags)
	r.partial = true
	if !r.begin(files) {
		t.Fatal("no ledger is written")
	}
	for i, name := range slices.Sorted(maps.Keys(files)) {
		if i%7 == 0 {
			r.withoutFile(name)
		}
	}
	r.score.files = len(files)
	r.tell()
	t.Log(r.score)
}

// withoutFile takes away one file of several. Its roles are missing where a folder
// or glob was read whole, and unknown where the file itself is named or another
// could not be read.
func (r *trial) withoutFile(name string) {
	rest := maps.Clone(r.files)
	delete(rest, name)
	var want []string
	for _, s := range r.subjects {
		if s.Pos.File == name {
			want = append(want, s.missing())
		}
	}
	usual := r.usual
	defer func() { r.usual = usual }()
	if r.source == "crontab" || slices.ContainsFunc(usual, func(l string) bool { return strings.HasPrefix(l, "gap ") }) {
		for i := range want {
			want[i] = "unknown " + strings.Fields(want[i])[1] + " not-read"
		}
	}
	r.usual = nil
	for _, l := range usual {
		words := strings.Fields(l)
		r.usual = append(r.usual, "?"+l)
		for _, kind := range []string{"duplicate", "drift", "inactive"} { // of a role that has several objects, one fewer now
			r.usual = append(r.usual, "?"+kind+" "+words[1]+" *")
		}
	}
	r.change("without one of the files", rest, append(want, "?gap *")...)
}

// templateTrial wants of a template that nobody rendered a gap that says with
// what to render it, and no ledger.
func templateTrial(r *trial) {
	r.open("kubernetes", []string{"--manifests", r.rel})
	r.hold(map[string]string{r.rel: r.text})
	_, complete := r.list()
	code, _, errs := r.rolecall("ledger", "init", "--offline", "--manifests", r.rel)
	tools := []string{"helm template", "kustomize build", "ytt -f", "oc process", "envsubst", "jinja"}
	named := slices.ContainsFunc(tools, func(tool string) bool { return strings.Contains(errs, tool) })
	ok := !complete && code == 3 && named
	r.score.count("a gap that names the tool", ok)
	if !ok {
		r.Errorf("init ends with %d, want 3 and a tool to render with:\n%s", code, errs)
	}
}

func crontabTrial(r *trial) {
	r.open("crontab", []string{"--crontab", r.rel})
	if r.begin(map[string]string{r.rel: r.text}) {
		r.tell()
		mutateCrontab(r, "")
	}
	if text, ok := markedCrontab(r); ok {
		r.open("crontab", []string{"--crontab", r.rel})
		if r.begin(map[string]string{r.rel: text}) {
			mutateCrontab(r, "marked: ")
		}
	}
	otherDialects(r)
}

// otherDialects reads the table as the other daemons do.
func otherDialects(r *trial) {
	for _, d := range []specs.Dialect{specs.Cronie, specs.Busybox, specs.Supercronic} {
		r.open("crontab", nil)
		r.write("rolecall.yaml", fmt.Sprintf("sources: [{name: crontab, crontab: {dialect: %s, files: [%q]}}]\n", d, r.rel))
		r.dialect = d
		if r.begin(map[string]string{r.rel: r.text}) {
			mutateCrontab(r, string(d)+": ")
		}
	}
}

func workflowTrial(r *trial) {
	r.open("github", []string{"--workflows", "."})
	r.main = path.Join(".github/workflows", path.Base(r.rel))
	if r.begin(map[string]string{r.main: r.text}) {
		r.tell()
		mutateWorkflow(r, "")
		mutateSteps(r)
	}
	if len(r.subjects) == 0 {
		return
	}
	whole := "# rolecall: role=whole-workflow\n" + r.text
	r.open("github", []string{"--workflows", "."})
	if r.begin(map[string]string{r.main: whole}) {
		mutateWorkflow(r, "marked: ")
	}
	if text, ok := markedEntries(r); ok {
		r.open("github", []string{"--workflows", "."})
		if r.begin(map[string]string{r.main: text}) {
			mutateEntries(r)
		}
	}
}

func manifestTrial(r *trial) {
	r.open("kubernetes", []string{"--manifests", r.rel})
	if r.begin(map[string]string{r.rel: r.text}) {
		r.tell()
		mutateManifest(r, "")
	}
	if text, ok := markedManifest(r); ok {
		r.open("kubernetes", []string{"--manifests", r.rel})
		if r.begin(map[string]string{r.rel: text}) {
			mutateManifest(r, "marked: ")
		}
	}
}
