package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/plain"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// MaxBytes is the size of the largest file that is decoded. A ledger of 10,000
// roles has about 4 MB; in memory its nodes need twice that where it is plain
// YAML, and some 20 times that where it is not.
const MaxBytes = 32 << 20

// CheckSize refuses a file by its size in bytes, so that it need not be read.
func CheckSize(file string, size int64) error {
	if size <= MaxBytes {
		return nil
	}
	return fmt.Errorf("%s: the file has %d bytes and at most %d are read; split it, or correct the path", file, size, int64(MaxBytes))
}

// parse gives the one document of a file. All errors are those of the whole
// reader.
func (d *decoder) parse(data []byte) (root node, ok bool) {
	if err := CheckSize(d.file, int64(len(data))); err != nil {
		d.errs.Add(specs.Pos{File: d.file}, "the file has %d bytes and at most %d are read; split it, or correct the path", len(data), MaxBytes)
		return node{}, false
	}
	if !slow.Only() {
		if doc, ok := plain.Read(string(data), nil); ok {
			return node{doc: &doc}, true
		}
	}
	whole := d.whole(data)
	return node{whole: whole}, whole != nil && d.bounded(whole)
}

func (d *decoder) whole(data []byte) (root *yaml.Node) {
	defer func() {
		if r := recover(); r != nil {
			d.errs.Add(specs.Pos{File: d.file}, "not YAML that can be read: %s", Quote(fmt.Sprint(r)))
			root = nil
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		d.errs.Add(specs.Pos{File: d.file, Line: 1, Column: 1}, "the file is empty")
		return nil
	} else if err != nil {
		d.syntax(data, err)
		return nil
	}
	if err := dec.Decode(&second); err == nil {
		d.errs.Add(d.pos(node{whole: &second}), "a second document starts here; a file has exactly one")
	} else if !errors.Is(err, io.EOF) {
		d.syntax(data, err)
	}
	if len(doc.Content) != 1 {
		d.errs.Add(d.pos(node{whole: &doc}), "the file is empty")
		return nil
	}
	return doc.Content[0]
}

var (
	atLine   = regexp.MustCompile(`^line (\d+): `)
	noAnchor = regexp.MustCompile(`^unknown anchor '(.+)' referenced$`)
)

// lineOfVersion is the first line that names a version of YAML.
func lineOfVersion(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		if n++; bytes.HasPrefix(bytes.TrimPrefix(line, []byte("\ufeff")), []byte("%YAML")) {
			return n
		}
	}
	return 0
}

// syntax notes an error of the YAML library, which gives a line at best.
func (d *decoder) syntax(data []byte, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	pos := specs.Pos{File: d.file}
	if strings.HasSuffix(text, "found incompatible YAML document") { // in yaml.v3, for any version but 1.1
		pos.Line = lineOfVersion(data)
		d.errs.Add(pos, "only YAML 1.1 can be named here, and a file is read the same without it: remove the %%YAML line")
		return
	}
	if m := atLine.FindStringSubmatch(text); m != nil {
		pos.Line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
		if strings.HasPrefix(text, "did not find expected ") {
			pos.Line++ // the parser, unlike the scanner, counts lines from 0
		}
	} else if m := noAnchor.FindStringSubmatch(text); m != nil {
		pos.Line = 1 + bytes.Count(data[:max(0, bytes.Index(data, []byte("*"+m[1])))], []byte("\n"))
	} else if pos.Line, pos.Column = firstBad(data); pos.Line == 0 && !strings.HasPrefix(text, "exceeded ") {
		pos.Line = 1 // the library leaves out the number of the first line
	}
	d.errs.Add(pos, "not YAML: %s", strings.Trim(strconv.Quote(text), `"`))
}

// firstBad is the line and column, in bytes, of the first byte that no YAML
// may hold; zeros if there is none.
func firstBad(data []byte) (line, column int) {
	line, column = 1, 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f {
			return line, column
		}
		column += n
		if r == '\n' {
			line, column = line+1, 1
		}
		data = data[n:]
	}
	return 0, 0
}

// maxExpanded is how many nodes aliases may add to those that are written out.
const maxExpanded = 1_000_000

// bounded says that the tree with its aliases unfolded is finite and not much
// larger than what is written. It counts without unfolding anything.
func (d *decoder) bounded(root *yaml.Node) bool {
	c := counter{sizes: map[*yaml.Node]int{}}
	c.size(root)
	switch {
	case c.cycle != nil:
		d.errs.Add(d.pos(node{whole: c.cycle}), "alias %s stands inside the value that it names; write the value out", Quote("*"+c.cycle.Value))
	case c.bomb != nil:
		d.errs.Add(d.pos(node{whole: c.bomb}), "the aliases of the file unfold to more than %d values; write them out", maxExpanded)
	default:
		return true
	}
	return false
}

type counter struct {
	sizes       map[*yaml.Node]int // of anchored nodes; 0 while being counted
	added       int
	cycle, bomb *yaml.Node
}

// size is the number of nodes below one, itself included, with aliases
// unfolded; it stops growing once the budget is spent.
func (c *counter) size(n *yaml.Node) int {
	if n.Anchor != "" {
		c.sizes[n] = 0
	}
	total := 1
	for _, m := range n.Content {
		if c.cycle != nil || c.bomb != nil {
			return total
		}
		if m.Kind != yaml.AliasNode {
			total += c.size(m)
			continue
		}
		s := c.sizes[m.Alias]
		if s == 0 {
			c.cycle = m
			return total
		}
		total += s
		if c.added += s; c.added > maxExpanded {
			c.bomb = m
		}
	}
	if n.Anchor != "" {
		c.sizes[n] = total
	}
	return total
}
