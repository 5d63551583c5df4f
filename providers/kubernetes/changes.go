package kubernetes

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
)

// changesOf says which client wrote which fields last, and when. It is evidence
// of the last writer only, and of a client's name, not a person's; the time is
// that of the last of the fields. Entries about status are left out. Sets that
// were read before are taken from known, which may be nil.
func changesOf(entries []metav1.ManagedFieldsEntry, known ownedSets) []providers.Change {
	var out []providers.Change
	for _, e := range entries {
		if e.Subresource != "" || e.FieldsV1 == nil {
			continue
		}
		c := providers.Change{Who: e.Manager, Evidence: "managedFields", Paths: known.paths(e.FieldsV1.GetRawBytes())}
		if e.Time != nil {
			c.When = e.Time.UTC()
		}
		if len(c.Paths) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// ownedSets are the paths of fieldsV1 sets by their text. Objects that were made
// from one template have the same set, byte for byte, and share its paths.
type ownedSets map[string][]string

// What is kept of sets at most: some MB, and not of those that only a strange
// object has.
const (
	mostSets    = 512
	mostSetSize = 16 << 10
)

func (k ownedSets) paths(raw []byte) []string {
	if paths, ok := k[string(raw)]; ok {
		return paths
	}
	paths := slices.Clip(ownedPaths(raw))
	if k != nil && len(k) < mostSets && len(raw) <= mostSetSize {
		k[string(raw)] = paths
	}
	return paths
}

// ownedPaths are the leaves of a fieldsV1 set in the words of a spec's paths,
// sorted. A set that cannot be read owns nothing. Thousands of objects own the
// same paths, so each is kept once.
func ownedPaths(raw []byte) []string {
	r := setReader{raw: raw}
	if !r.set(0) || r.peek() != 0 {
		return nil
	}
	slices.Sort(r.out)
	return slices.Compact(r.out)
}

// setReader walks a fieldsV1 set once: objects in objects, whose keys are f:
// and a field, k: and the key of a list's member, v: or i: and a member, or a
// dot for the field itself (structured-merge-diff, fieldpath/serialize.go).
// Most of a cluster's list is such sets, so they are not decoded level by level.
type setReader struct {
	raw  []byte
	at   int
	path []byte
	out  []string
}

// mostDepth bounds the recursion into a set; a CronJob's goes to about 16.
const mostDepth = 64

// set reads one object; false if it is none. What owns nothing below is a leaf,
// and so is a list of which single members are owned.
func (r *setReader) set(depth int) bool {
	if depth > mostDepth || !r.take('{') {
		return false
	}
	leaf := true
	for more := !r.take('}'); more; {
		below, ok := r.member(depth + 1)
		if !ok {
			return false
		}
		leaf = leaf && !below
		if more = r.take(','); !more && !r.take('}') {
			return false
		}
	}
	if p := specPath(string(r.path)); leaf && p != "" {
		r.out = append(r.out, unique.Make(p).Value())
	}
	return true
}

// member reads a key and its set, and says whether it is a step down.
func (r *setReader) member(depth int) (below, ok bool) {
	key, ok := r.text()
	if !ok || !r.take(':') {
		return false, false
	}
	n := len(r.path)
	kind, name, _ := strings.Cut(key, ":")
	switch kind {
	case "f":
		r.path = stepInto(r.path, name)
	case "k":
		r.path = memberInto(r.path, keyText(name))
	default: // v and i, a member of a list, and the dot
		return false, r.skip(depth)
	}
	ok = r.set(depth)
	r.path = r.path[:n]
	return true, ok
}

// skip passes over a set that is not looked into.
func (r *setReader) skip(depth int) bool {
	inner := setReader{raw: r.raw, at: r.at}
	ok := inner.set(depth)
	r.at = inner.at
	return ok
}

// peek is the next byte that is no space, 0 at the end.
func (r *setReader) peek() byte {
	for ; r.at < len(r.raw); r.at++ {
		if c := r.raw[r.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

func (r *setReader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

// text reads a string.
func (r *setReader) text() (s string, ok bool) {
	if !r.take('"') {
		return "", false
	}
	begin, escaped := r.at, false
	for ; r.at < len(r.raw); r.at++ {
		switch r.raw[r.at] {
		case '\\':
			escaped = true
			r.at++
		case '"':
			r.at++
			if !escaped {
				return string(r.raw[begin : r.at-1]), true
			}
			return s, json.Unmarshal(r.raw[begin-1:r.at], &s) == nil
		}
	}
	return "", false
}

// stepInto and memberInto write what specs.Step does, into the same bytes.
func stepInto(path []byte, name string) []byte {
	switch {
	case name == "" || strings.ContainsAny(name, ".[]"):
		return append(strconv.AppendQuote(append(path, '['), name), ']')
	case len(path) == 0:
		return append(path, name...)
	}
	return append(append(path, '.'), name...)
}

func memberInto(path []byte, key string) []byte {
	if key == "" || strings.ContainsAny(key, "[]") || key[0] == '"' {
		return append(strconv.AppendQuote(append(path, '['), key), ']')
	}
	return append(append(append(path, '['), key...), ']')
}

// keyText writes the key of a list's member as a spec's path does: main,
// 8080/TCP.
func keyText(raw string) string {
	if name, ok := plainName(raw); ok {
		return name
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(raw)))
	dec.UseNumber()
	var fields map[string]any
	if dec.Decode(&fields) != nil {
		return raw
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	var parts []string
	for _, name := range names {
		switch v := fields[name].(type) {
		case string:
			parts = append(parts, v)
		case json.Number:
			parts = append(parts, v.String())
		}
	}
	return strings.Join(parts, "/")
}

// plainName is the name where that is the one field of a key, as in most.
func plainName(raw string) (string, bool) {
	rest, begins := strings.CutPrefix(raw, `{"name":"`)
	name, ends := strings.CutSuffix(rest, `"}`)
	return name, begins && ends && !strings.ContainsFunc(name, func(r rune) bool {
		return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError
	})
}

// specPath is the path of a field of the object as a Difference writes it;
// empty for what is no part of any comparison.
func specPath(path string) string {
	switch path {
	case "spec.schedule":
		return "schedule"
	case "spec.timeZone":
		return "time_zone"
	case "spec.suspend":
		return "state"
	case "metadata.annotations[\"" + roleAnnotation + "\"]", "metadata.annotations." + roleAnnotation:
		return "role"
	case "metadata.annotations[\"" + versionAnnotation + "\"]", "metadata.annotations." + versionAnnotation:
		return "version"
	}
	if below, ok := strings.CutPrefix(path, "spec."); ok {
		return below
	}
	return ""
}
