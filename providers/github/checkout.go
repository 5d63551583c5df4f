package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/files"
	"github.com/rolecall-dev/rolecall/specs"
)

// folder is where GitHub looks for workflows, in it and not below.
const folder = ".github/workflows"

// CheckoutConfig names a checkout.
type CheckoutConfig struct {
	Source string
	Base   string // what Dir is relative to: the folder of the config
	Dir    string // the root of the checkout
	// Repo is owner/name, if it is known whose checkout this is. Without it
	// objects are called github:SOURCE/-/-/PATH and have no attribute repo.
	Repo string
	// Each runs f for 0 … n-1, in parallel as far as it likes; nil: in turn.
	Each func(n int, f func(i int))
}

// Checkout looks at the workflow files of a checkout. It opens no connection.
type Checkout struct {
	cfg  CheckoutConfig
	lent sync.Pool // of *scratch
}

// NewCheckout makes a provider of a checkout. It reads nothing yet.
func NewCheckout(cfg CheckoutConfig) (*Checkout, error) {
	if cfg.Source == "" || cfg.Dir == "" {
		return nil, errors.New("a checkout needs the name of its source and a folder; set workflows: in the config, for example workflows: .")
	}
	if cfg.Repo != "" && !validRepo(cfg.Repo) {
		return nil, fmt.Errorf("repository %q is not owner/name", cfg.Repo)
	}
	return &Checkout{cfg: cfg}, nil
}

// Translate gives what a statement wants. A workflow that it names is not
// compared with itself: only its path, presence and schedule count.
func (c *Checkout) Translate(st specs.Statement) (specs.Desired, error) {
	return translate(st, nil, nil)
}

// Observe reads the files .github/workflows/*.yml and *.yaml. Its areas are the
// folder and each file. A checkout without that folder is read and empty, since
// git keeps no empty folder; but a folder that is no checkout's root is a
// wrong path, and so a gap.
func (c *Checkout) Observe(ctx context.Context, sel providers.Selection) providers.Observation {
	out := providers.Observation{Source: c.cfg.Source, Provider: "github"}
	dir := path.Join(filepath.ToSlash(c.cfg.Dir), folder)
	entries, area := c.list(dir)
	if sel.Wants(area.Part) {
		out.Areas = append(out.Areas, area)
	}
	var places []place
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		part := "file/" + rel
		if !isWorkflow(e.Name()) || e.IsDir() || !sel.Wants(part) {
			continue
		}
		places = append(places, place{c.cfg.Source, c.cfg.Repo, path.Join(folder, e.Name()), part, files.Join(c.cfg.Base, rel)})
	}
	readings := make([]reading, len(places))
	c.each(len(places), func(i int) { readings[i] = c.safely(ctx, places[i], sel.Literals) })
	for _, r := range readings {
		out.Areas = append(out.Areas, r.area)
		out.Objects = append(out.Objects, r.objects...)
		out.Notes = append(out.Notes, r.notes...)
	}
	for i := range out.Objects {
		out.Objects[i].SetAttr("file", path.Join(filepath.ToSlash(c.cfg.Dir), out.Objects[i].Attr("workflow")))
	}
	out.Notes = append(out.Notes, topOfHour(out.Objects)...)
	out.Sort()
	return out
}

func (c *Checkout) each(n int, f func(int)) {
	if c.cfg.Each != nil {
		c.cfg.Each(n, f)
		return
	}
	for i := range n {
		f(i)
	}
}

// safely keeps a fault of ours in one file, since what is read in parallel is
// beyond what the caller can catch.
func (c *Checkout) safely(ctx context.Context, p place, literals bool) (r reading) {
	defer func() {
		if fault := recover(); fault != nil {
			r = reading{area: providers.Area{Part: p.part, State: providers.Failed, Reason: fmt.Sprintf("%s: the workflow cannot be read: %v; report it as a fault of rolecall", p.file, fault)}}
		}
	}()
	return c.read(ctx, p, literals)
}

func isWorkflow(name string) bool {
	return strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".yaml")
}

// list reads the folder of workflows, as far as it can be read.
func (c *Checkout) list(dir string) ([]fs.DirEntry, providers.Area) {
	area := providers.Area{Part: "folder/" + dir, State: providers.Read}
	entries, err := os.ReadDir(files.Join(c.cfg.Base, dir))
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist) && c.isRoot():
	case errors.Is(err, fs.ErrNotExist):
		area.State = providers.Missing
		area.Reason = fmt.Sprintf("there is no %s in %s, and nothing that shows a whole checkout there; set workflows: to the root of one", folder, c.cfg.Dir)
	default:
		area.State = files.StateOf(err)
		area.Reason = cause(err) + "; make the folder readable"
	}
	return entries, area
}

// isRoot says that the folder is the root of a whole checkout: .git or .github
// stands in it. A sparse checkout may lack the workflows and proves nothing.
func (c *Checkout) isRoot() bool {
	has := func(name string) bool {
		_, err := os.Lstat(files.Join(c.cfg.Base, path.Join(filepath.ToSlash(c.cfg.Dir), name)))
		return err == nil
	}
	return (has(".git") || has(".github")) && !has(".git/info/sparse-checkout")
}

// reading is what came of one file.
type reading struct {
	area    providers.Area
	objects []providers.Object
	notes   []providers.Note
}

func (c *Checkout) read(ctx context.Context, p place, literals bool) reading {
	area := providers.Area{Part: p.part, State: providers.Read}
	if err := ctx.Err(); err != nil {
		area.State, area.Reason = providers.Failed, "not reached: "+err.Error()+"; run the audit again with more time"
		return reading{area: area}
	}
	data, err := readFile(p.file)
	if err != nil {
		area.State, area.Reason = files.StateOf(err), cause(err)+"; make the file readable"
		return reading{area: area}
	}
	s := c.scratch()
	got := s.readText(data, p, area, literals, c.open)
	if s.lendable() {
		c.lent.Put(s)
	}
	return got
}

func (c *Checkout) scratch() *scratch {
	if s, ok := c.lent.Get().(*scratch); ok {
		return s
	}
	return new(scratch)
}

// open reads a workflow file that another one calls.
func (c *Checkout) open(name string) ([]byte, error) {
	data, err := readFile(files.Join(c.cfg.Base, path.Join(filepath.ToSlash(c.cfg.Dir), name)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New(cause(err) + "; make the file readable")
	}
	return data, err
}

// readText turns a file's text into objects. A text that cannot be read and
// could hold a schedule is a gap, and so is a workflow that a scheduled one
// calls and that cannot be read.
func (s *scratch) readText(data []byte, p place, area providers.Area, literals bool, open opener) reading {
	if !mayHold(data) {
		return reading{area: area}
	}
	w, err := s.readWorkflow(data, p.file)
	if err != nil {
		area.State = providers.Partial
		area.Reason = placed(p.file, err, "correct the workflow: GitHub cannot read it either").Error()
		return reading{area: area}
	}
	var hidden error
	if len(w.entries) > 0 {
		hidden = w.resolve(open)
	}
	objects := w.objects(p)
	if hidden != nil {
		area.State, area.Reason = providers.Partial, p.file+": "+hidden.Error()
		for i := range objects {
			objects[i].Opaque = true
		}
	}
	if literals {
		addLiterals(objects, data)
	}
	return reading{area, objects, w.notes}
}

// readFile reads a file of bounded size. It never waits for a pipe.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := files.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, min(info.Size(), maxFile)+1) // the byte more finds the end
	n, err := io.ReadFull(f, data)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return data[:n], nil
	case err != nil:
		return nil, err
	}
	more, err := readBounded(f) // it has grown
	if err == nil && len(data)+len(more) > maxFile {
		err = errTooLarge
	}
	return append(data, more...), err
}

var (
	errNotRegular = errors.New("not a regular file")
	errTooLarge   = fmt.Errorf("larger than %d MiB", maxFile>>20)
)

func readBounded(f io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, errTooLarge
	}
	return data, err
}

// cause is an error of the file system without the path, which stands beside
// it anyway.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
