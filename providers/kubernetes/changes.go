package kubernetes

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unique"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
)

// changesOf says which client wrote which fields last, and when. It is evidence
// of the last writer only, and of a client's name, not a person's; the time is
// that of the last of the fields. Entries about status are left out.
func changesOf(entries []metav1.ManagedFieldsEntry) []providers.Change {
	var out []providers.Change
	for _, e := range entries {
		if e.Subresource != "" || e.FieldsV1 == nil {
			continue
		}
		c := providers.Change{Who: e.Manager, Evidence: "managedFields", Paths: ownedPaths(e.FieldsV1.GetRawBytes())}
		if e.Time != nil {
			c.When = e.Time.UTC()
		}
		if len(c.Paths) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// ownedPaths are the leaves of a fieldsV1 set in the words of a spec's paths,
// sorted. A set that cannot be read owns nothing. Thousands of objects own the
// same paths, so each is kept once.
func ownedPaths(raw []byte) []string {
	var out []string
	collectPaths(raw, "", 0, &out)
	slices.Sort(out)
	return slices.Compact(out)
}

// mostDepth bounds the recursion into a set; a CronJob's goes to about 16.
const mostDepth = 64

func collectPaths(raw []byte, path string, depth int, out *[]string) {
	var set map[string]json.RawMessage
	if depth > mostDepth || json.Unmarshal(raw, &set) != nil {
		return
	}
	leaf := len(set) == 0 || len(set) == 1 && set["."] != nil
	for key, below := range set {
		kind, name, ok := strings.Cut(key, ":")
		if !ok {
			continue // "." is the field itself
		}
		switch kind {
		case "f":
			collectPaths(below, stepInto(path, name), depth+1, out)
		case "k":
			collectPaths(below, path+"["+keyText(name)+"]", depth+1, out)
		default: // v, i: a member of a set or an ordered list
			leaf = true
		}
	}
	if p := specPath(path); leaf && p != "" {
		*out = append(*out, unique.Make(p).Value())
	}
}

func stepInto(path, name string) string {
	switch {
	case path == "":
		return name
	case strings.ContainsAny(name, ".[]"):
		return path + "[\"" + name + "\"]"
	}
	return path + "." + name
}

// keyText writes the key of a list's member as a spec's path does: main,
// 8080/TCP.
func keyText(raw string) string {
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
