package crontab

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// table is one crontab, as far as it was read.
type table struct {
	source string
	part   string // the area it belongs to
	name   string // in ids: a user, or a file without a leading slash
	file   string // in match: the path as listed
	open   string // for people to open
	data   string
	// cut says that the end of the data is not the end of the file.
	cut  bool
	user string // whose table it is, where it has no user column and that is known
	// refused is why the daemon does not load the file, whatever stands in it.
	refused string
	// unnamed says that the daemon passes the file by for its name: beside
	// entries and markers nothing in it matters.
	unnamed bool
	changes []providers.Change
	// stops says why an entry cannot run for a reason outside of the file.
	stops func(user string, env specs.Value) *providers.Inactive
	// stock says of an entry that the distribution put it there.
	stock func(file, command string) bool
}

// tableReader makes objects of a table's lines.
type tableReader struct {
	table
	g       *grammar
	env     *environment
	pending *label
	// sentence is a comment below the marker that may be prose or an entry that
	// was commented out: it is prose if an entry follows.
	sentence *item
	objects  []providers.Object
	notes    []providers.Note
	first    *item // the first bad line
	broken   string
	guests   int // entries whose command begins with what looks like an account
	entries  int
	// What entries share.
	origin   *providers.Origin
	running  *providers.More
	shared   providers.Attrs
	sharedBy string
}

// readTable translates a table into objects and notes.
func readTable(t table, g grammar) ([]providers.Object, []providers.Note, error) {
	if t.cut {
		t.data = t.data[:strings.LastIndexByte(t.data, '\n')+1]
	}
	r := &tableReader{table: t, g: &g, env: newEnvironment(g.dialect), objects: make([]providers.Object, 0, entriesIn(t.data))}
	if g.dialect == specs.Supercronic {
		r.broken = g.supercronicGlobals(t.data, r.env)
	}
	g.read(t.data, r.take)
	r.dropPending()
	r.refuseAll()
	r.doubtFormat()
	if r.unnamed && len(r.objects) == 0 {
		r.notes = slices.DeleteFunc(r.notes, func(n providers.Note) bool { return n.Code != "dangling-marker" })
	}
	if r.env.left < 0 {
		return r.objects, r.notes, errors.New("too many environment lines stand between the entries of the table to keep what each entry gets; move them together")
	}
	return r.objects, r.notes, nil
}

// entriesIn is about how many entries a table has: growing a slice of objects
// would take three times the memory that they hold in the end.
func entriesIn(data string) int {
	n := 0
	for line := range strings.Lines(data) {
		if c := line[0]; c >= '0' && c <= '9' || c == '*' || c == '@' {
			n++
		}
	}
	return n
}

func (r *tableReader) pos(line int) specs.Pos { return specs.Pos{File: r.open, Line: line} }

func (r *tableReader) note(code string, line int, format string, args ...any) {
	r.notes = append(r.notes, providers.Note{Code: code, Message: fmt.Sprintf(format, args...), Pos: r.pos(line)})
}

func (r *tableReader) take(it *item) {
	switch it.kind {
	case blankLine:
		r.dropPending()
	case commentLine:
		r.comment(it)
	case settingLine:
		r.setting(it)
	case entryLine:
		r.add(it, nil)
	case badLine:
		r.bad(it)
	}
}

// comment takes a marker, or under a marker an entry that was commented out.
func (r *tableReader) comment(it *item) {
	if l, ok := parseLabel(it.text, r.pos(it.line)); ok {
		r.label(l)
		return
	}
	if r.pending == nil || !r.pending.marker.Present() {
		return
	}
	text := strings.TrimLeft(it.text, "#"+blanks)
	out := r.g.commented(text)
	switch {
	case (out.kind == entryLine || out.whole) && out.entry.command != "":
		it.entry = out.entry
		if isProse(it.entry) {
			kept := *it
			r.sentence = &kept
			return
		}
		r.add(it, r.commentedOut(it))
	case looksLikeEntry(text):
		r.opaque(it, r.commentedOut(it))
	}
}

func (r *tableReader) commentedOut(it *item) []providers.Inactive {
	return []providers.Inactive{{Code: "commented-out", Detail: fmt.Sprintf("the line is commented out at %s", r.pos(it.line))}}
}

// isProse says that a comment which could be read as an entry may as well be a
// sentence about one: * * * * * means every minute. Its command is words of
// letters alone, some behind five stars, or many.
func isProse(e entry) bool {
	words := strings.Fields(e.user + " " + e.command)
	for _, w := range words {
		if w = strings.TrimRight(w, ".,:;!"); w == "" || w[0] == '-' || strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz-'") != "" {
			return false
		}
	}
	return len(words) >= 4 || len(words) >= 2 && e.written == "* * * * *"
}

// commented reads what a comment would be without its #.
func (g *grammar) commented(text string) item {
	switch {
	case g.line != nil:
		return g.line(text)
	case g.dialect == specs.Busybox:
		return g.busyboxLine(text)
	case g.dialect == specs.Supercronic:
		return g.supercronicLine(text)
	}
	var it item
	g.vixieLine(&it, text, true)
	return it
}

// looksLikeEntry tells a commented-out entry whose schedule is bad from prose.
func looksLikeEntry(text string) bool {
	fields, rest := timeFields(text)
	if fields == "" || rest == "" || strings.HasPrefix(text, "@") {
		return false
	}
	for _, f := range strings.Fields(fields) {
		if strings.Trim(f, "0123456789*/,-?") != "" && !isName(f) {
			return false
		}
	}
	return true
}

func isName(field string) bool {
	return len(field) == 3 && strings.Contains(" jan feb mar apr may jun jul aug sep oct nov dec sun mon tue wed thu fri sat ", " "+strings.ToLower(field)+" ")
}

// label makes a comment that names a role the one of the next entry. Our own
// marker is stronger than another tool's.
func (r *tableReader) label(l label) {
	if l.strange != "" {
		r.note("bad-line", l.marker.Pos.Line, "the marker has the word %q, which means nothing; a marker is # rolecall: role=KEY version=V", l.strange)
	}
	switch {
	case r.pending == nil:
	case l.foreign && !r.pending.foreign:
		return
	case l.foreign == r.pending.foreign:
		r.dropPending()
	}
	r.pending, r.sentence = &l, nil
}

// dropPending ends a marker that no entry followed.
func (r *tableReader) dropPending() {
	if it := r.sentence; it != nil && !r.cut {
		r.add(it, r.commentedOut(it))
	}
	if l := r.pending; l != nil && l.marker.Present() && !r.cut {
		r.note("dangling-marker", l.marker.Pos.Line, "no entry follows the marker of role %q; a blank line or the end of the file ends a marker", l.marker.Role+l.marker.Invalid)
	}
	r.pending, r.sentence = nil, nil
}

func (r *tableReader) setting(it *item) {
	if r.g.dialect == specs.Supercronic {
		return
	}
	if it.reason != "" {
		r.note("bad-line", it.line, "%s", it.reason)
		return
	}
	r.env.set(it.name, it.value)
	if it.unset && r.g.dialect == specs.Debian && !r.g.versioned {
		r.note("dialect-assumed", it.line, "Debian 12's cron and older refuse a file for an environment line without a value, newer ones take it; write "+`%s=""`, it.name)
	}
	if it.name == "PATH" && r.g.dialect == specs.Busybox && !r.g.versioned {
		r.note("dialect-assumed", it.line, "busybox crond sets PATH from 1.36 on, and older ones pass the line by; set it in the command")
	}
	if it.name != "CRON_TZ" {
		return
	}
	if r.g.dialect == specs.Cronie {
		// also an empty one keeps cronie's find_jobs from making up for a skipped hour
		r.g.zone, r.g.zoned = cmp.Or(it.value, r.g.own), true
		r.checkZone(it.line)
		return
	}
	r.note("ineffective-zone", it.line, "%s does not look at CRON_TZ: the schedules below stay in the host's own zone", daemonOf(r.g.dialect))
}

// checkZone handles a CRON_TZ that names no zone, which the C library takes for
// UTC.
func (r *tableReader) checkZone(line int) {
	if validZone(r.g.dialect, r.g.zone) {
		return
	}
	r.note("ineffective-zone", line, "CRON_TZ=%s names no time zone; the daemon takes it for UTC", r.g.zone)
	r.g.zone = "UTC"
}

func (r *tableReader) bad(it *item) {
	if r.first == nil || it.fatal && !r.first.fatal {
		kept := *it
		r.first = &kept
	}
	off := []providers.Inactive{{Code: "invalid-line", Detail: r.refusal(it)}}
	if it.grave != "" {
		r.note("early-warning", it.line, "%s", it.grave)
	}
	if !it.whole && strings.Trim(it.text, cBlanks) == "" {
		r.dropPending()
	}
	switch {
	case it.whole:
		r.add(it, off)
	case r.pending != nil && r.pending.marker.Present():
		r.opaque(it, off)
	default:
		r.pending = nil
		r.note("bad-line", it.line, "%s", it.reason)
	}
}

// refusal says where a line is refused, and why.
func (r *tableReader) refusal(it *item) string {
	return fmt.Sprintf("%s: %s", r.pos(it.line), it.reason)
}

// add makes the object of an entry.
func (r *tableReader) add(it *item, off []providers.Inactive) {
	all, env := r.env.effective()
	user := it.entry.user
	if !r.g.system {
		user = r.user
	}
	o := r.object(it, off, r.attrs(user))
	o.Env = r.env.packed
	o.Spec = specs.Spec{Schedules: it.entry.schedules, Body: bodyOf(it.entry, user, env), Cosmetic: r.env.spelled}
	if o.Spec.Written() != it.entry.written {
		o.SetAttr("schedule", it.entry.written)
	}
	if r.stock != nil && r.stock(r.file, it.entry.command) {
		o.SetAttr("builtin", "true")
	}
	if r.stops != nil && len(off) == 0 {
		if why := r.stops(user, all); why != nil {
			o.Extra().Inactive = append(o.Inactive(), *why)
		}
	}
	if len(off) == 0 {
		r.doubt(it)
	}
	r.keep(o, "")
}

// bodyOf is what an entry runs. Its members stand in the order of their keys.
func bodyOf(e entry, user string, env specs.Value) specs.Packed {
	var few [4]specs.Member
	members := few[:0]
	members = append(members, specs.Member{Key: "command", Value: specs.NewText(e.command)})
	if !env.Empty() {
		members = append(members, specs.Member{Key: "env", Value: env})
	}
	if e.fed {
		members = append(members, specs.Member{Key: "stdin", Value: specs.NewText(e.stdin)})
	}
	if user != "" {
		members = append(members, specs.Member{Key: "user", Value: specs.NewText(user)})
	}
	return specs.Pack(specs.Value{Kind: specs.Map, Members: members})
}

// opaque makes the object of a line that cannot be read, under a marker.
func (r *tableReader) opaque(it *item, off []providers.Inactive) {
	o := r.object(it, off, providers.Attrs{{Name: "file", Text: r.file}})
	o.Opaque = true
	r.keep(o, specs.Seal(it.text))
}

// object is what an entry and a line that cannot be read have in common.
func (r *tableReader) object(it *item, off []providers.Inactive, attrs providers.Attrs) providers.Object {
	if r.origin == nil {
		r.origin = &providers.Origin{Source: r.source, Provider: "crontab", Part: r.part}
	}
	o := providers.Object{Origin: r.origin, Pos: r.pos(it.line), Attrs: attrs, More: r.more(off)}
	if l := r.pending; l != nil {
		o.Marked = providers.Keep(apart(l.marker))
		if l.foreign && l.marker.Role == "" {
			o.SetAttr("comment", strings.Clone(l.text))
		}
	}
	r.pending, r.sentence = nil, nil
	return o
}

// apart is a marker whose texts do not hold the whole table.
func apart(m providers.Marker) providers.Marker {
	m.Role, m.Version, m.Invalid = strings.Clone(m.Role), strings.Clone(m.Version), strings.Clone(m.Invalid)
	return m
}

// more is shared by all that will run.
func (r *tableReader) more(off []providers.Inactive) *providers.More {
	switch {
	case off != nil:
		return &providers.More{Inactive: off, Changes: r.changes}
	case r.running == nil && r.changes != nil:
		r.running = &providers.More{Changes: r.changes}
	}
	return r.running
}

// attrs are shared by the entries of an account that follow each other.
func (r *tableReader) attrs(user string) providers.Attrs {
	if r.shared == nil || r.sharedBy != user {
		user = strings.Clone(user)
		r.sharedBy, r.shared = user, providers.Attrs{{Name: "command", OfSpec: true}, {Name: "file", Text: r.file}, {Name: "schedule", OfSpec: true}}
		if user != "" {
			r.shared = append(r.shared, providers.Attr{Name: "user", Text: user})
		}
	}
	return r.shared
}

// keep names the object: by its role, else by what it runs and when.
func (r *tableReader) keep(o providers.Object, digits string) {
	o.ID = objectID(r.source, r.name, &o, digits)
	r.objects = append(r.objects, o)
}

// objectID holds no line number, so that it survives an edit above the entry.
func objectID(source, name string, o *providers.Object, digits string) string {
	tail := o.Marker().Role
	if tail == "" {
		if tail = digits[:min(8, len(digits))]; tail == "" {
			tail = o.Spec.Hash().Short()
		}
	}
	return "crontab:" + source + "/" + name + "#" + tail
}

// refuseAll makes every object of a file inactive that the daemon does not load:
// for its name, mode or owner, or for a bad line where one takes the file down.
func (r *tableReader) refuseAll() {
	reason := r.refused
	if reason == "" {
		reason = r.broken
	}
	own := 0
	if f := r.first; reason == "" && f != nil && (f.fatal || wholeFile(r.g.dialect) && !r.g.tolerant) {
		reason, own = fmt.Sprintf("%s refuses the whole file for a bad line, %s", daemonOf(r.g.dialect), r.refusal(f)), f.line
	}
	if reason == "" {
		return
	}
	off := providers.Inactive{Code: "file-not-loaded", Detail: reason}
	shared := &providers.More{Inactive: []providers.Inactive{off}, Changes: r.changes}
	for i := range r.objects {
		o := &r.objects[i]
		switch {
		case len(o.Inactive()) == 0, own != 0 && o.Pos.Line == own && o.Inactive()[0].Code == "invalid-line":
			o.More = shared
		case o.Inactive()[0].Code == "commented-out":
			o.Extra().Inactive = append(o.Inactive(), off)
		default:
			o.Extra().Inactive = append([]providers.Inactive{off}, o.Inactive()...)
		}
	}
	if len(r.objects) == 0 && own == 0 {
		r.note("bad-line", 0, "the file is not loaded: %s", reason)
	}
}

// wholeFile says whether one bad line takes the file down.
func wholeFile(d specs.Dialect) bool { return d == specs.Debian || d == specs.Supercronic }

func daemonOf(d specs.Dialect) string {
	switch d {
	case specs.Debian:
		return "Debian's cron"
	case specs.Busybox:
		return "busybox crond"
	}
	return string(d)
}

// doubt notes what is valid and surely not meant: more time fields than five, or
// an account where the command begins.
func (r *tableReader) doubt(it *item) {
	for _, w := range it.entry.warnings {
		r.note("suspicious-schedule", it.line, "%s", w)
	}
	if it.entry.command == "" {
		r.note("bad-line", it.line, "the line has no command; it is loaded and runs nothing")
	}
	if mayHaveSurplus(it.entry) {
		if named := r.g.surplus(it.entry.written + " " + it.entry.user + " " + it.entry.command); named != "" {
			r.note("suspicious-schedule", it.line, "%s. As it stands %s", named, readAs(r.g.dialect, it.entry))
		}
	}
	word, rest := cutField(it.entry.command)
	r.entries++
	if !r.g.system && rest != "" && (commonAccounts[word] || word == r.user) {
		r.guests++
	}
}

// commonAccounts are names by which a user column can be told in a table that
// should have none.
var commonAccounts = map[string]bool{
	"root": true, "nobody": true, "www-data": true, "daemon": true, "mail": true, "backup": true,
	"apache": true, "nginx": true, "postgres": true, "mysql": true, "git": true, "ubuntu": true, "debian": true,
}

func (r *tableReader) doubtFormat() {
	if r.entries > 0 && r.guests == r.entries {
		r.note("suspicious-schedule", 0, "every command begins with what looks like an account name; if the table has a user column, give it with format: system")
	}
}
