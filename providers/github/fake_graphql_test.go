package github

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

var (
	treeAlias = regexp.MustCompile(`(?m)^(r\d+): repository\(owner: "([^"]+)", name: "([^"]+)"\)`)
	textAlias = regexp.MustCompile(`(?m)^(b\d+): repository\(owner: "([^"]+)", name: "([^"]+)"\) \{ object\(oid: "([0-9a-f]+)"\)`)
)

// graphql answers the queries of bulk.go: an alias a line. Others, and all if
// there is no token, are refused.
func (f *fake) graphql(r *http.Request) (int, any) {
	if r.Header.Get("Authorization") == "" {
		return 401, object{"message": "This endpoint requires you to be authenticated."}
	}
	var q struct{ Query string }
	if json.NewDecoder(r.Body).Decode(&q) != nil {
		return 400, object{"message": "Problems parsing JSON"}
	}
	trees, texts := treeAlias.FindAllStringSubmatch(q.Query, -1), textAlias.FindAllStringSubmatch(q.Query, -1)
	switch {
	case len(trees)+len(texts) == 0:
		return 200, object{"errors": []any{object{"message": "no such query"}}}
	case f.mostAliases > 0 && len(trees)+len(texts) > f.mostAliases:
		return 502, object{"message": "Something went wrong while executing your query."}
	}
	data, errors := object{}, []any{}
	for _, m := range trees {
		if x := f.named(m[2] + "/" + m[3]); x != nil {
			data[m[1]] = x.tree()
		} else {
			data[m[1]] = nil
			errors = append(errors, object{"type": "NOT_FOUND", "path": []any{m[1]}, "message": "Could not resolve to a Repository"})
		}
	}
	for _, m := range texts {
		if x := f.named(m[2] + "/" + m[3]); x != nil {
			data[m[1]] = object{"object": x.blob(m[4])}
		}
	}
	out := object{"data": data}
	if len(errors) > 0 {
		out["errors"] = errors
	}
	return 200, out
}

func (f *fake) named(name string) *fakeRepo {
	i := slices.IndexFunc(f.repos, func(m *fakeRepo) bool { return strings.EqualFold(m.name, name) || m.formerly == name })
	if i < 0 {
		return nil
	}
	return f.repos[i]
}

func (m *fakeRepo) tree() any {
	out := object{"nameWithOwner": m.name, "isPrivate": m.private, "isArchived": m.archived, "isDisabled": m.disabled, "isFork": m.fork,
		"pushedAt": "2026-01-02T03:04:05Z", "root": object{"__typename": "Tree"}, "folder": nil}
	if m.noContents || m.empty {
		out["root"] = nil
		return out
	}
	if m.files != nil {
		entries := []any{}
		for name, text := range m.files {
			entries = append(entries, object{"name": name, "type": "blob", "mode": 33188, "oid": blobName(text), "object": object{"byteSize": len(text)}})
		}
		for _, name := range m.links {
			entries = append(entries, object{"name": name, "type": "blob", "mode": 40960, "oid": blobName(name), "object": object{"byteSize": 7}})
		}
		out["folder"] = object{"__typename": "Tree", "entries": entries}
	}
	return out
}

func (m *fakeRepo) blob(sha string) any {
	for _, text := range m.files {
		if blobName(text) == sha {
			return object{"isTruncated": len(text) > 512<<10, "text": strings.ToValidUTF8(text, "\uFFFD")}
		}
	}
	return nil
}
