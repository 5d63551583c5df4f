package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

// ManifestConfig says where the manifests of one source lie.
type ManifestConfig struct {
	Source string // the source's name
	Base   string // the folder to which patterns are relative
	// Patterns are paths, globs with ** or folders; "-" is Stdin.
	Patterns []string
	Stdin    io.Reader
	// Namespaces are those that the source answers for; empty means all. A
	// manifest that states another one is left out, with a note. A manifest that
	// states none is taken to be in the only one of them, or in "default": which
	// namespace kubectl would put it in is not known from the file.
	Namespaces []string
	// Each runs f for 0 … n-1, in parallel as far as it likes; nil: in turn.
	Each func(n int, f func(i int))
}

// Manifests looks at the CronJobs in manifest files: YAML with several
// documents, JSON, and lists of objects. It implements providers.Provider and
// providers.Translator.
type Manifests struct {
	cfg   ManifestConfig
	stdin func() ([]byte, error)
}

// mostBytes is the size of a file from which on it is not read. A dump of
// 10,000 CronJobs with managed fields has about 60 MB.
const mostBytes = 256 << 20

// inFolder are the files of a folder that are manifests.
var inFolder = []string{"**/*.{yaml,yml,json}"}

// NewManifests makes a provider of one source. No pattern, or "-" without a
// Stdin, is an error.
func NewManifests(cfg ManifestConfig) (*Manifests, error) {
	if len(cfg.Patterns) == 0 {
		return nil, fmt.Errorf("source %q: no manifests are named; give a file, a glob or a folder as manifests", cfg.Source)
	}
	if slices.Contains(cfg.Patterns, "-") && cfg.Stdin == nil {
		return nil, fmt.Errorf("source %q: manifests are to come from standard input and there is none; give a file, a glob or a folder", cfg.Source)
	}
	read := func() ([]byte, error) { return readAll(cfg.Stdin) }
	return &Manifests{cfg: cfg, stdin: sync.OnceValues(read)}, nil
}

// Translate puts a ledger's statement in the terms of a CronJob.
func (m *Manifests) Translate(st specs.Statement) (specs.Desired, error) {
	return m.scope().translate(st)
}

// Reads says that the source can hold CronJobs of a namespace, as far as its
// configuration says; the source of manifests for several namespaces also holds
// those of default, where manifests are put that state none.
func (m *Manifests) Reads(namespace string) bool { return m.scope().reads(namespace) }

func (m *Manifests) scope() scope {
	s := scope{source: m.cfg.Source, namespaces: m.cfg.Namespaces}
	if len(s.namespaces) > 0 {
		s.unstated = m.namespace()
	}
	return s
}

// Observe reads the files of the source. Each is an area, and standard input
// one. A file that cannot be read as a whole keeps the objects that could.
func (m *Manifests) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	o := providers.Observation{Source: m.cfg.Source, Provider: "kubernetes"}
	named, gaps := files.Expand(m.cfg.Base, m.filePatterns(), inFolder)
	for _, gap := range gaps {
		if sel.Wants(gap.Part) {
			o.Areas = append(o.Areas, gap)
		}
	}
	if slices.Contains(m.cfg.Patterns, "-") && sel.Wants("stdin") {
		m.observe(ctx, &o, sel, &desk{known: newRepeated()}, "stdin", "stdin", m.stdin)
	}
	named = slices.DeleteFunc(named, func(f files.File) bool { return !sel.Wants(partOf(f)) })
	o.Areas = slices.Grow(o.Areas, len(named))
	var free desks
	for chunk := range slices.Chunk(named, atATime) {
		m.observeFiles(ctx, &o, sel, &free, chunk)
		clear(chunk) // the name of a file without a CronJob is not held on to
	}
	o.Sort()
	return o
}

// atATime bounds how many files are read before what is in them is put in order.
const atATime = 256

func partOf(f files.File) string { return "file/" + strings.TrimPrefix(f.Rel, "/") }

// observeFiles adds what files hold, in their order.
func (m *Manifests) observeFiles(ctx context.Context, o *providers.Observation, sel providers.Selection, free *desks, named []files.File) {
	seen := make([]providers.Observation, len(named))
	m.each(len(named), func(i int) {
		d := free.take()
		m.observeFile(ctx, &seen[i], sel, d, named[i])
		free.put(d)
	})
	for i := range seen {
		o.Objects, o.Areas, o.Notes = append(o.Objects, seen[i].Objects...), append(o.Areas, seen[i].Areas...), append(o.Notes, seen[i].Notes...)
	}
}

func (m *Manifests) each(n int, f func(int)) {
	if m.cfg.Each != nil {
		m.cfg.Each(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// observeFile keeps a fault of ours in one file, since what is read in parallel
// is beyond what the caller can catch.
func (m *Manifests) observeFile(ctx context.Context, o *providers.Observation, sel providers.Selection, d *desk, f files.File) {
	defer func() {
		if fault := recover(); fault != nil {
			*o = providers.Observation{Areas: []providers.Area{{Part: partOf(f), State: providers.Failed, Reason: fmt.Sprintf("%s: cannot be read: %v; report it as a fault of rolecall", f.Path, fault)}}}
		}
	}()
	m.observe(ctx, o, sel, d, partOf(f), f.Path, func() ([]byte, error) { return d.read(f) })
	if isKustomization(f.Path) {
		o.Notes = append(o.Notes, providers.Note{
			Code: "not-checked", Pos: specs.Pos{File: f.Path},
			Message: "a kustomization is not rendered here: its patches, and bases outside the source, are not seen; name the output of kustomize build DIR instead",
		})
	}
}

// isKustomization tells by the names that kustomize looks for.
func isKustomization(path string) bool {
	switch filepath.Base(path) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

func (m *Manifests) filePatterns() []string {
	return slices.DeleteFunc(slices.Clone(m.cfg.Patterns), func(p string) bool { return p == "-" })
}

// observe adds what one file holds to the observation.
func (m *Manifests) observe(ctx context.Context, o *providers.Observation, sel providers.Selection, d *desk, part, path string, read func() ([]byte, error)) {
	if err := ctx.Err(); err != nil {
		o.Areas = append(o.Areas, providers.Area{Part: part, State: providers.Failed, Reason: "not reached: " + err.Error() + "; run it again"})
		return
	}
	data, err := read()
	if err != nil {
		o.Areas = append(o.Areas, providers.Area{Part: part, State: files.StateOf(err), Reason: err.Error() + "; make the file readable"})
		return
	}
	r := d.manifest(data)
	o.Areas = append(o.Areas, r.area(part, path))
	for _, s := range r.remarks {
		o.Notes = append(o.Notes, providers.Note{Code: "bad-line", Message: s.text, Pos: specs.Pos{File: path, Line: s.line}})
	}
	elsewhere := 0
	for _, f := range r.found {
		if !m.wants(f.cronJob.Namespace) {
			elsewhere++
			continue
		}
		unstated := f.cronJob.Namespace == ""
		if unstated {
			f.cronJob.Namespace = m.namespace()
		}
		m.add(o, sel, d, f, part, specs.Pos{File: path, Line: f.line})
		if unstated && len(m.cfg.Namespaces) != 1 {
			o.Objects[len(o.Objects)-1].SetAttr("unstated", "namespace") // that is for who applies it to say
		}
	}
	if elsewhere > 0 {
		o.Notes = append(o.Notes, providers.Note{Code: "out-of-scope", Message: fmt.Sprintf("%d CronJobs of namespaces other than %s are left out", elsewhere, strings.Join(m.cfg.Namespaces, ", ")), Pos: specs.Pos{File: path}})
	}
}

// add puts a CronJob and what is to be noted about it into the observation.
func (m *Manifests) add(o *providers.Observation, sel providers.Selection, d *desk, f found, part string, pos specs.Pos) {
	cj := f.cronJob
	var literal []byte
	if sel.Literals {
		literal, _ = literalOf(cj) // without one a ledger pins the hash
	}
	obj, problems := objectFrom(cj, specs.Pack(bodyFrom(&cj.Spec)), m.cfg.Source, part, pos, false, d.known)
	if literal != nil {
		obj.Extra().Literal = literal
	}
	if len(f.faults) > 0 {
		obj.Extra().Inactive = append(obj.Inactive(), invalidManifest(pos.File, f.faults))
	}
	o.Objects = append(o.Objects, obj)
	o.Notes = append(o.Notes, notesAbout(cj, problems, pos)...)
	if len(cj.Spec.JobTemplate.Spec.Template.Spec.Containers) == 0 {
		o.Notes = append(o.Notes, providers.Note{Code: "bad-line", Message: fmt.Sprintf("CronJob %s/%s has no containers, so a server would refuse it; if it is a patch, name the rendered file instead", cj.Namespace, nameOf(cj)), Pos: pos})
	}
}

func (m *Manifests) wants(namespace string) bool {
	return namespace == "" || len(m.cfg.Namespaces) == 0 || slices.Contains(m.cfg.Namespaces, namespace)
}

func (m *Manifests) namespace() string {
	if len(m.cfg.Namespaces) == 1 {
		return m.cfg.Namespaces[0]
	}
	return "default"
}

// area says how well a file was read: Failed if there is nothing in it that
// could be understood, Partial if there is.
func (r contents) area(part, path string) providers.Area {
	if len(r.troubles) == 0 {
		return providers.Area{Part: part, State: providers.Read}
	}
	state := providers.Partial
	if r.understood == 0 {
		state = providers.Failed
	}
	var reasons []string
	for i, t := range r.troubles {
		if i == 3 {
			reasons = append(reasons, fmt.Sprintf("and %d more", len(r.troubles)-i))
			break
		}
		reasons = append(reasons, specs.Pos{File: path, Line: t.line}.String()+": "+t.text)
	}
	return providers.Area{Part: part, State: state, Reason: strings.Join(reasons, "; ")}
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err == nil && len(data) > mostBytes {
		err = errors.New("larger than 256 MiB; split it")
	}
	return data, err
}
