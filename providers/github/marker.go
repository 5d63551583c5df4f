package github

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
	"github.com/rolecall-dev/rolecall/specs/lazy"
	"github.com/rolecall-dev/rolecall/specs/slow"
)

// parseMarker reads a comment line such as
//
//	# rolecall: role=retry version=7
//
// Words that are neither role= nor version= are left for later forms of it. A
// marker without a role, or with one that cannot be a key, is invalid.
func parseMarker(line string, pos specs.Pos) (providers.Marker, bool) {
	said, ok := markerLine(line)
	if !ok {
		return providers.Marker{}, false
	}
	said = strings.Clone(said) // lest it keep the file's text
	out := providers.Marker{Pos: pos}
	for _, word := range strings.Fields(said) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "role":
			out.Role = value
		case "version":
			out.Version = value
		}
	}
	if !specs.ValidRoleKey(out.Role) {
		out.Invalid, out.Role = out.Role, ""
		if out.Invalid == "" {
			out.Invalid = strings.TrimSpace(said)
		}
		if out.Invalid == "" {
			out.Invalid = "rolecall:"
		}
	}
	return out, true
}

// comments are the comment lines of a text, by their line number from 1. Lines
// inside block scalars and quoted texts are no comments, whatever they look
// like: a script that writes a crontab holds markers too. The raw lines are
// used since the YAML library moves comments to where they do not stand.
type comments struct {
	file  string
	lines []string
	is    []bool // by line number; a line that holds nothing but a comment
	used  map[int]bool
	seen  map[int]bool // lines above which was looked already
	// where byteAt stopped last, so that a line of a megabyte is gone through once
	line0, column0, byte0 int
}

func newComments(file, text string, root *node) *comments {
	c := &comments{file: file}
	if !strings.Contains(text, "rolecall:") && !slow.Only() { // no line is a marker, and nothing else is asked
		return c
	}
	c.lines, c.used, c.seen = splitLines(text), map[int]bool{}, map[int]bool{}
	c.is = make([]bool, len(c.lines)+1)
	for i, l := range c.lines {
		c.is[i+1] = strings.HasPrefix(strings.TrimLeft(l, " \t"), "#")
	}
	if root != nil {
		c.exclude(root)
	}
	return c
}

func (c *comments) line(n int) string {
	if n < 1 || n > len(c.lines) {
		return ""
	}
	return c.lines[n-1]
}

func (c *comments) comment(n int) bool { return n >= 1 && n < len(c.is) && c.is[n] }

// blank says that there is a line and nothing in it.
func (c *comments) blank(n int) bool {
	return n >= 1 && n <= len(c.lines) && strings.TrimSpace(c.lines[n-1]) == ""
}

// exclude takes the lines of texts that go over several lines out.
func (c *comments) exclude(n *node) {
	if n.Kind == yaml.ScalarNode {
		switch {
		case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
			c.excludeBlock(n.Line)
		case n.Style&yaml.DoubleQuotedStyle != 0:
			c.excludeQuoted(n, '"')
		case n.Style&yaml.SingleQuotedStyle != 0:
			c.excludeQuoted(n, '\'')
		}
	}
	for _, child := range n.Content {
		c.exclude(child)
	}
}

// excludeBlock takes out the lines below a block scalar's header that are
// indented like its first line, or blank.
func (c *comments) excludeBlock(header int) {
	indent := -1
	for n := header + 1; n <= len(c.lines); n++ {
		l := c.line(n)
		if strings.TrimSpace(l) == "" {
			continue
		}
		if indent < 0 {
			indent = max(indentOf(l), 1)
		}
		if indentOf(l) < indent {
			return
		}
		c.is[n] = false
	}
}

// byteAt is where a node begins in its line. Nodes are met in their order.
func (c *comments) byteAt(n *node) int {
	if n.Line != c.line0 || n.Column < c.column0 {
		c.line0, c.column0, c.byte0 = n.Line, 1, 0
	}
	c.byte0 += byteColumn(c.line(n.Line)[c.byte0:], n.Column-c.column0+1)
	c.column0 = n.Column
	return c.byte0
}

func (c *comments) excludeQuoted(n *node, quote byte) {
	at, open := c.byteAt(n), false
	for l := n.Line; l <= len(c.lines); l++ {
		text := c.line(l)
		if l > n.Line {
			c.is[l] = false
			at = 0
		}
		for ; at < len(text); at++ {
			switch {
			case !open:
				open = text[at] == quote
			case quote == '"' && text[at] == '\\':
				at++
			case text[at] == quote && quote == '\'' && at+1 < len(text) && text[at+1] == quote:
				at++
			case text[at] == quote:
				return
			}
		}
		if !open {
			return
		}
	}
}

// above is the nearest marker in the comment lines above a line. Blank lines
// among them end nothing, since a marker can be meant for nothing else there. An
// entry that is commented out ends them: a marker above it is that entry's.
func (c *comments) above(line int) providers.Marker {
	if c.lines == nil || c.seen[line] {
		return providers.Marker{}
	}
	c.seen[line] = true
	for n := line - 1; (c.comment(n) || c.blank(n)) && !c.commentedItem(n); n-- {
		if m, ok := c.pick(n); ok {
			return m
		}
	}
	return providers.Marker{}
}

// head is the last marker above the first line of content.
func (c *comments) head(line int) providers.Marker {
	for n := line - 1; n >= 1; n-- {
		if m, ok := c.pick(n); ok {
			return m
		}
	}
	return providers.Marker{}
}

func (c *comments) pick(n int) (providers.Marker, bool) {
	if !c.comment(n) || c.used[n] {
		return providers.Marker{}, false
	}
	m, ok := parseMarker(c.line(n), specs.Pos{File: c.file, Line: n})
	if ok {
		c.used[n] = true
	}
	return m, ok
}

// marks says that a line has the form of a marker.
func (c *comments) marks(n int) bool {
	_, ok := markerLine(c.line(n))
	return ok
}

var commentedCron = lazy.Expression(`^\s*#+\s*-\s*\{?\s*["']?cron["']?\s*:\s*(.*?)\s*$`)

var commentedZone = lazy.Expression(`^\s*#+\s*-\s*timezone\s*:`)

// commentedItem says that an entry that is commented out begins on a line: with
// its cron, or with its timezone and the cron below.
func (c *comments) commentedItem(n int) bool {
	if !c.comment(n) {
		return false
	}
	line := c.line(n)
	below := c.comment(n+1) && strings.HasPrefix(uncomment(c.line(n+1)), "cron:")
	return strings.Contains(line, "cron") && commentedCron().MatchString(line) || below && commentedZone().MatchString(line)
}

// commentedOut are the entries that are commented out right under a marker.
func (c *comments) commentedOut() []entry {
	var out []entry
	for n := 1; n <= len(c.lines); n++ {
		if !c.comment(n) || c.used[n] || !c.marks(n) {
			continue
		}
		at := n + 1
		for (c.blank(at) || c.comment(at)) && !c.commentedItem(at) && !c.marks(at) {
			at++
		}
		if !c.commentedItem(at) {
			continue
		}
		e := c.commentedEntry(at)
		e.marker, _ = c.pick(n)
		out = append(out, e)
	}
	return out
}

// commentedEntry reads an entry as it would stand without the comment signs,
// and its other key in the line below it.
func (c *comments) commentedEntry(line int) entry {
	e := entry{line: line, commented: true, zone: "UTC"}
	other := "timezone:"
	if commentedZone().MatchString(c.line(line)) {
		other = "cron:"
	}
	text := uncomment(c.line(line)) + "\n"
	if t := uncomment(c.line(line + 1)); c.comment(line+1) && strings.HasPrefix(t, other) {
		text += "  " + t + "\n"
	}
	var items []struct{ Cron, Timezone string }
	if yaml.Unmarshal([]byte(text), &items) != nil || len(items) != 1 {
		e.refuse("commented out, and not readable as an entry")
		return e
	}
	e.text = strings.TrimRight(items[0].Cron, " \t\r\n")
	if items[0].Timezone != "" {
		e.zone = items[0].Timezone
	}
	e.parse()
	return e
}

func uncomment(line string) string {
	return strings.TrimLeft(strings.TrimLeft(line, " \t"), "# \t")
}

// dangling are the places of markers that belong to nothing.
func (c *comments) dangling() []specs.Pos {
	var out []specs.Pos
	for n := 1; n <= len(c.lines); n++ {
		if c.comment(n) && !c.used[n] && c.marks(n) {
			out = append(out, specs.Pos{File: c.file, Line: n})
		}
	}
	return out
}
