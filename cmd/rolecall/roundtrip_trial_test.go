package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/cmd/internal/cli"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// trial is one file with the ledger that was first written from it.
type trial struct {
	*testing.T
	score *score
	rel   string // the file under test, as it lies in its set
	text  string

	source   string
	dialect  specs.Dialect // of a crontab
	flags    []string      // that name the source
	main     string        // the file under test, as it lies in the working directory
	files    map[string]string
	seen     []providers.Object
	subjects []*subject
	twins    [][]providers.Object // the objects of roles that have two
	usual    []string             // what an audit of the unchanged files finds
	there    map[string]bool      // what lies in the working directory
	partial  bool                 // a ledger is written though not all files can be read
}

// subject is an object that is the only one of its role.
type subject struct {
	providers.Object
	role   string
	asleep bool // not active, and the ledger says so
	never  bool // nothing but its own schedule keeps it from running
	pinned bool // the ledger has only its hash
	// workflow is the path that the ledger states of it.
	workflow string
	match    map[string]string
}

// open makes an empty working directory.
func (r *trial) open(source string, flags []string) {
	r.source, r.flags, r.main = source, flags, r.rel
	if source == "github" {
		r.main = filepath.Join(".github/workflows", filepath.Base(r.rel))
	}
	r.dialect = specs.Debian
	r.there = map[string]bool{}
	r.subjects, r.twins, r.usual = nil, nil, nil
	r.Chdir(r.TempDir())
}

// hold makes the source hold just these files.
func (r *trial) hold(files map[string]string) {
	for p := range r.there {
		if _, ok := files[p]; !ok {
			os.Remove(p)
			delete(r.there, p)
		}
	}
	for p, text := range files {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
		r.there[p] = true
	}
}

// rolecall runs the program in this process.
func (r *trial) rolecall(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	none := func(string) (string, bool) { return "", false }
	args = append(args, "--now", "2026-11-25T12:00:00Z")
	code = cli.Main(context.Background(), args, none, cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

// begin writes a first ledger and says whether one was due. It holds the ledger
// and the audit after it to what a listing shows, and then takes the review
// marks away.
func (r *trial) begin(files map[string]string) bool {
	r.files = files
	r.hold(files)
	seen, complete := r.list()
	roles := expectedRoles(seen.Objects)
	init := append([]string{"ledger", "init", "--offline"}, r.flags...)
	if r.partial {
		init = append(init, "--allow-partial")
	}
	code, _, errs := r.rolecall(init...)
	switch {
	case !complete && !r.partial:
		r.expectExit("init of what cannot be read", code, 3, errs)
		return false
	case len(roles) == 0:
		r.expectExit("init without a job", code, 2, errs)
		return false
	case code != 0:
		r.expectExit("init", code, 0, errs)
		return false
	}
	r.seen = seen.Objects
	first := r.audit()
	r.usual = exceptions(roles, seen.Objects)
	for _, gap := range seen.Gaps() {
		r.usual = append(r.usual, "gap "+gap.Part)
	}
	want := slices.Clone(r.usual)
	for _, role := range roles {
		want = append(want, "unreviewed "+first.roleOf(role[0].ID)+" review-pending")
	}
	if !r.judged("round trip", first, want) {
		return false
	}
	again := r.audit()
	r.score.count("two audits, the same bytes", again.text == first.text)
	if again.text != first.text {
		r.Error("a second audit prints other bytes")
	}
	r.snapshot(first)
	return r.review(roles)
}

// snapshot audits a saved listing instead of the files, with the same outcome.
// Where the text of a command is sealed for a secret in it, and the ledger means
// it by a pattern around that secret, the role cannot be told from the listing.
func (r *trial) snapshot(first outcome) {
	r.rolecall(append([]string{"snapshot", "--offline", "-o", "json=saved.json"}, r.flags...)...)
	saved := r.auditOf("--snapshot", "saved.json")
	want := slices.Clone(first.lines)
	for _, o := range r.seen {
		if _, sealed := o.Sealed()["command"]; sealed && !o.Marker().Present() {
			want = append(want, "?unknown *", "?unexpected no-role")
		}
	}
	r.judged("the saved listing", saved, want)
}

func (r *trial) expectExit(what string, code, want int, errs string) {
	r.score.count(what, code == want)
	if code != want {
		r.Errorf("%s ends with %d, want %d:\n%s", what, code, want, errs)
	}
}

// list runs the listing in all of its forms.
func (r *trial) list() (providers.Observation, bool) {
	list := func(format string) (int, string) {
		code, out, errs := r.rolecall(append([]string{"list", "--offline", "-o", format}, r.flags...)...)
		if code != 0 && code != 3 {
			r.Errorf("list -o %s ends with %d:\n%s", format, code, errs)
		}
		return code, out
	}
	for _, format := range []string{"table", "wide", "yaml", "csv"} {
		list(format)
	}
	code, out := list("json")
	inv, err := providers.DecodeInventory(strings.NewReader(out))
	if err != nil || len(inv.Observations) != 1 {
		r.Fatalf("the listing is not read back: %v", err)
	}
	return inv.Observations[0], code == 0
}

// review takes the review marks away, and finds the subjects.
func (r *trial) review(roles [][]providers.Object) bool {
	data, err := os.ReadFile("ledger.yaml")
	if err != nil {
		r.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "    review: pending\n", "")
	r.write("ledger.yaml", text)
	got := r.audit()
	if !r.judged("reviewed", got, r.usual) {
		return false
	}
	r.usual = got.lines
	var ledger struct {
		Roles map[string]struct {
			State string
			Match map[string]string
			Spec  struct{ Hash, Workflow string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &ledger); err != nil {
		r.Fatal(err)
	}
	for _, role := range roles {
		if len(role) == 2 {
			r.twins = append(r.twins, role)
		}
		if len(role) > 1 {
			continue
		}
		key := got.roleOf(role[0].ID)
		in := ledger.Roles[key]
		s := &subject{Object: role[0], role: key, asleep: in.State == "suspended", pinned: in.Spec.Hash != "", workflow: in.Spec.Workflow, match: in.Match}
		s.never = s.asleep && len(s.Inactive()) == 0
		if asleep := len(s.Inactive()) > 0 || s.Spec.NeverFires(); asleep != s.asleep {
			r.Errorf("role %s: the ledger says suspended: %v, and the object is inactive: %v", s.role, s.asleep, asleep)
		}
		r.subjects = append(r.subjects, s)
	}
	return true
}

func (r *trial) write(name, text string) {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// outcome is one audit.
type outcome struct {
	code       int
	text, errs string
	report     report.Report
	lines      []string
}

func (r *trial) audit() outcome { return r.auditOf("--offline") }

func (r *trial) auditOf(what ...string) outcome {
	var o outcome
	o.code, o.text, o.errs = r.rolecall(append([]string{"audit", "-o", "json"}, what...)...)
	if o.text == "" {
		return o
	}
	var err error
	if o.report, err = report.Decode(strings.NewReader(o.text)); err != nil {
		r.Fatal(err)
	}
	for _, f := range o.report.Findings {
		o.lines = append(o.lines, foundLine(f))
	}
	for _, c := range o.report.Coverage {
		if c.Gap() {
			o.lines = append(o.lines, "gap "+c.Part)
		}
	}
	return o
}

// foundLine is a finding in short: its kind, its role if it is one's, its
// reason, and the fields that differ.
func foundLine(f report.Finding) string {
	line := string(f.Kind)
	if f.Kind != report.Unexpected {
		line += " " + f.Role
	}
	line += " " + f.Reason
	var paths []string
	for _, field := range f.Fields {
		paths = append(paths, field.Path)
	}
	if len(paths) > 0 {
		line += ": " + strings.Join(paths, ", ")
	}
	return line
}

func (o outcome) roleOf(id string) string {
	for _, role := range o.report.Roles {
		if slices.Contains(role.Objects, id) {
			return role.Role
		}
	}
	return "?" + id
}

// change makes the source hold other files, and wants the usual findings and
// these.
func (r *trial) change(name string, files map[string]string, want ...string) {
	r.hold(files)
	r.judged(name, r.audit(), append(slices.Clone(r.usual), want...))
	r.hold(r.files)
}

// edit is a change of the file under test alone.
func (r *trial) edit(name, text string, want ...string) {
	r.change(name, r.with(r.main, text), want...)
}

func (r *trial) with(file, text string) map[string]string {
	out := map[string]string{file: text}
	for p, t := range r.files {
		if p != file {
			out[p] = t
		}
	}
	return out
}

func (r *trial) skip(name string) { r.score.skipped[name]++ }

// judged compares an audit with what had to be found. A wanted line that ends
// with a star is the beginning of one; one with a question mark in front may be
// there or not.
func (r *trial) judged(name string, got outcome, want []string) bool {
	left := slices.Clone(got.lines)
	take := func(w string) bool {
		w, open := strings.CutSuffix(w, "*")
		i := slices.IndexFunc(left, func(l string) bool { return l == w || open && strings.HasPrefix(l, w) })
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	}
	ok := got.code == wantedExit(got.report)
	want = slices.SortedStableFunc(slices.Values(want), func(a, b string) int { return vagueness(a) - vagueness(b) })
	for _, w := range want {
		w, optional := strings.CutPrefix(w, "?")
		ok = (take(w) || optional) && ok
	}
	ok = ok && len(left) == 0 && got.text != ""
	r.score.count(name, ok)
	if !ok {
		r.Errorf("%s: exit %d, found:\n\t%s\nwant:\n\t%s\n%s", name, got.code, strings.Join(got.lines, "\n\t"), strings.Join(want, "\n\t"), got.errs)
		r.keep(name)
	}
	return ok
}

// vagueness is how much a wanted line leaves open: the exact ones are looked for
// first.
func vagueness(line string) int {
	return 2*strings.Count(line[:1], "?") + strings.Count(line[len(line)-1:], "*")
}

// keep shows what was audited, for those who look into it.
func (r *trial) keep(name string) {
	if os.Getenv("ROLECALL_SHOW") == "" {
		return
	}
	for p := range r.there {
		data, _ := os.ReadFile(p)
		r.Logf("%s: %s\n%s", name, p, data)
	}
	data, _ := os.ReadFile("ledger.yaml")
	r.Logf("ledger.yaml\n%s", data)
}

// wantedExit follows from the findings: everything gates but an object without
// a marker that nobody expects.
func wantedExit(rep report.Report) int {
	for _, f := range rep.Findings {
		if f.Kind != report.Unknown && (f.Kind != report.Unexpected || f.Marked) {
			return 1
		}
	}
	for _, c := range rep.Coverage {
		if c.Gap() {
			return 3
		}
	}
	return 0
}

// expectedRoles groups the objects that a first ledger can have a role for.
func expectedRoles(objects []providers.Object) [][]providers.Object {
	var out [][]providers.Object
	at := map[string]int{}
	for _, o := range objects {
		if o.Opaque || o.Marker().Invalid != "" || o.Attr("builtin") != "" && !o.Marker().Present() {
			continue
		}
		key := "role " + o.Marker().Role
		if o.Marker().Role == "" {
			named := maps.Collect(o.EachAttr)
			delete(named, "unstated") // no match can name it
			key = fmt.Sprint(named, o.Sealed())
		}
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, nil)
		}
		out[at[key]] = append(out[at[key]], o)
	}
	return out
}

// exceptions are what an audit by a first ledger is right to find: objects that
// nothing tells apart or that carry one marker, markers that are none, and
// markers above what cannot be read.
func exceptions(roles [][]providers.Object, objects []providers.Object) []string {
	var out []string
	known := map[string]bool{}
	for _, role := range roles {
		known[role[0].Marker().Role] = true
		if len(role) > 1 {
			out = append(out, "duplicate *")
			out = append(out, "?inactive *", "?drift *")
		}
	}
	seen := map[string]bool{}
	for _, o := range objects {
		switch {
		case seen[o.ID]:
		case o.Marker().Invalid != "":
			out = append(out, "unexpected invalid-marker")
		case o.Opaque && o.Marker().Role != "" && !known[o.Marker().Role]:
			out = append(out, "unexpected unknown-role")
		case o.Opaque && o.Marker().Role == "":
			out = append(out, "unexpected no-role")
		}
		seen[o.ID] = seen[o.ID] || o.Opaque || o.Marker().Invalid != ""
	}
	return out
}
