package ledger

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

// Waive writes a waiver into a ledger: a new one behind those that are there, or,
// where the finding is waived already, its new reason and end (and owner, if one
// is given) in place of the old. All else of the file stays byte for byte. Was is
// the waiver that was there, nil if there was none.
//
// The file is held to the rules of Parse before and after; where that fails, or
// the file would say anything else than before, nothing is to be written.
func Waive(path string, data []byte, read ReadFile, w Waiver) (out []byte, was *Waiver, err error) {
	defer sound(&out, &err)
	before, _, err := Parse(path, data, read)
	if err != nil {
		return nil, nil, err
	}
	for what, s := range map[string]string{"finding": w.Finding, "reason": w.Reason, "owner": w.Owner, "until": w.UntilText} {
		if err := writable(what, s); err != nil {
			return nil, nil, err
		}
	}
	want := slices.Clone(before.Waivers)
	if i := slices.IndexFunc(want, func(x Waiver) bool { return x.Finding == w.Finding }); i >= 0 {
		was = &before.Waivers[i]
		out, err = extend(data, i, w, was.Owner)
		want[i].Reason, want[i].UntilText = w.Reason, w.UntilText
		if w.Owner != "" {
			want[i].Owner = w.Owner
		}
	} else {
		out, err = addWaiver(data, w)
		want = append(want, w)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the waiver cannot be written into it: %w", path, err)
	}
	after, _, err := Parse(path, out, read)
	if err != nil {
		return nil, nil, fmt.Errorf("with the waiver the ledger would not be sound, and it is left as it is: %w", err)
	}
	if !sameWaivers(want, after.Waivers) || len(before.Roles) != len(after.Roles) {
		return nil, nil, fmt.Errorf("%s: the waiver cannot be written into it: %w", path, errPlace)
	}
	return out, was, nil
}

// sameWaivers compares what two lists say, in any order.
func sameWaivers(a, b []Waiver) bool {
	said := func(list []Waiver) []string {
		var out []string
		for _, w := range list {
			out = append(out, strings.Join([]string{w.Finding, w.Reason, w.Owner, w.UntilText}, "\x00"))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(said(a), said(b))
}

func addWaiver(data []byte, w Waiver) ([]byte, error) {
	s, err := newSheet(data)
	if err != nil {
		return nil, err
	}
	return s.make(s.addTo("waivers", waiverEntry(w), -1, false))
}

// waiverEntry is a waiver in lines, in braces and as a tree.
func waiverEntry(w Waiver) entry {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	var lines, flow []string
	for _, f := range []struct{ key, value string }{
		{"finding", w.Finding}, {"reason", w.Reason}, {"owner", w.Owner}, {"until", w.UntilText},
	} {
		if f.value == "" {
			continue
		}
		node.Content = append(node.Content, text(f.key), text(f.value))
		lines = append(lines, "  "+f.key+": "+plain(f.value))
		flow = append(flow, quoted(f.key)+": "+quoted(f.value))
	}
	lines[0] = "- " + lines[0][2:]
	return entry{lines, "{" + strings.Join(flow, ", ") + "}", []*yaml.Node{node}}
}

// extend gives the waiver at an index another reason and end.
func extend(data []byte, index int, w Waiver, owner string) ([]byte, error) {
	s, err := newSheet(data)
	if err != nil {
		return nil, err
	}
	k, list := find(s.root, "waivers")
	if k == nil || list.Kind != yaml.SequenceNode || index >= len(list.Content) || list.Content[index].Kind != yaml.MappingNode {
		return nil, errPlace
	}
	item := list.Content[index]
	bound := s.bound(k)
	if index+1 < len(list.Content) {
		bound = s.firstLineOf(list.Content[index+1])
	}
	inFlow := (s.root.Style|list.Style|item.Style)&yaml.FlowStyle != 0
	change := extension{sheet: s, item: item, index: index, bound: bound, inFlow: inFlow}
	change.set("reason", w.Reason)
	change.set("until", w.UntilText)
	switch {
	case w.Owner == "":
	case owner == "":
		change.insert("owner", w.Owner)
	default:
		change.set("owner", w.Owner)
	}
	return s.make(change.attempts())
}

// extension is a change of one waiver in the making.
type extension struct {
	*sheet
	item    *yaml.Node
	index   int
	bound   int
	inFlow  bool
	splices []splice
	trees   []func(item *yaml.Node)
	failed  bool
}

// set gives a field another value.
func (x *extension) set(key, value string) {
	k, v := find(x.item, key)
	if k == nil {
		x.failed = true
		return
	}
	bound := x.bound
	for i := 0; i+2 < len(x.item.Content); i += 2 {
		if x.item.Content[i] == k {
			bound = x.item.Content[i+2].Line - 1
		}
	}
	tries := x.replace(v, x.inFlow, max(bound, v.Line), k.Column-1, value, nil)
	if len(tries) == 0 {
		x.failed = true
		return
	}
	x.splices = append(x.splices, tries[0].splices...)
	x.trees = append(x.trees, func(item *yaml.Node) {
		_, v := find(item, key)
		v.Value, v.Tag, v.Style = value, "!!str", 0
	})
}

// insert puts a field before until.
func (x *extension) insert(key, value string) {
	k, _ := find(x.item, "until")
	if k == nil {
		x.failed = true
		return
	}
	add := x.before(x.at(k), k.Column, []string{key + ": " + plain(value)})
	if x.inFlow {
		add = splice{x.at(k), x.at(k), quoted(key) + ": " + quoted(value) + ", "}
	}
	x.splices = append(x.splices, add)
	x.trees = append(x.trees, func(item *yaml.Node) {
		for i := 0; i < len(item.Content); i += 2 {
			if item.Content[i].Value == "until" {
				item.Content = slices.Insert(item.Content, i, text(key), text(value))
				return
			}
		}
	})
}

func (x *extension) attempts() []attempt {
	if x.failed {
		return nil
	}
	return []attempt{{x.splices, func(root *yaml.Node) {
		_, list := find(root, "waivers")
		for _, change := range x.trees {
			change(list.Content[x.index])
		}
	}}}
}

// CheckFinding says why an id is none that a report on this ledger could print
// and a waiver could name; nil if it may be one.
func (l Ledger) CheckFinding(id string) error {
	kind, rest, ok := strings.Cut(id, ":")
	role, source, named := strings.Cut(rest, "@") // a role's key holds no @
	const paste = "paste the id that a report prints, like drift:ROLE@SOURCE or unexpected:OBJECT"
	switch {
	case unwaivable[kind] != "":
		return fmt.Errorf("a finding of the kind %s cannot be waived: %s", kind, unwaivable[kind])
	case !ok || !contains(waivable, kind):
		return fmt.Errorf("%s does not begin with a kind of finding and a colon%s; %s", strict.Quote(id), suggest(kind, waivable), paste)
	case kind == "unexpected":
		return unexpectedID(id, rest)
	case !named || source == "" || !specs.ValidRoleKey(role):
		return fmt.Errorf("%s is not the id of a finding, like %s:ROLE@SOURCE; %s", strict.Quote(id), kind, paste)
	case kind == "removed": // of a role that the ledger does not have any more
		return nil
	}
	return l.knows(id, role, source)
}

// unexpectedID holds what is behind unexpected: to the shape of an object's id.
func unexpectedID(id, object string) error {
	provider, rest, _ := strings.Cut(object, ":")
	known := []string{"crontab", "github", "kubernetes"}
	source, path, _ := strings.Cut(rest, "/")
	switch {
	case !contains(known, provider):
		return fmt.Errorf("%s names no object of crontab, github or kubernetes%s; paste the id that a report prints", strict.Quote(id), suggest(provider, known))
	case source == "" || path == "":
		return fmt.Errorf("%s names no object, like unexpected:%s:SOURCE/…; paste the id that a report prints", strict.Quote(id), provider)
	}
	return nil
}

// knows suggests the nearest role, and then the nearest of its sources.
func (l Ledger) knows(id, role, source string) error {
	var keys []string
	for _, r := range l.Roles {
		keys = append(keys, r.Key)
		if r.Key != role {
			continue
		}
		if contains(r.Sources, source) {
			return nil
		}
		return fmt.Errorf("%s: the ledger does not look for role %s in the source %s%s", strict.Quote(id), role, strict.Quote(source), suggest(source, r.Sources))
	}
	if strict.Nearest(role, keys) == "" && len(keys) > 12 {
		keys = append(keys[:12:12], "…")
	}
	return fmt.Errorf("%s: the ledger has no role %s%s", strict.Quote(id), role, suggest(role, keys))
}
