package github

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/rolecall-dev/rolecall/specs/arrange"
)

// How much one query asks for at first. An answer that takes GitHub more than
// ten seconds is cut off with a 502 or 504, which is met by halves.
const (
	treesAQuery = 100
	textsAQuery = 250     // as many as 25 repositories of ten workflows have
	bytesAQuery = 4 << 20 // of texts
	largeText   = 256 << 10
)

// bulk reads the workflow folders of many repositories by GraphQL: first the
// names of all files, then the texts that are not kept yet. It only spares
// requests: what it does not say, or says oddly, is asked for over REST as if
// there were no GraphQL, and a text counts only under its own git name.
type bulk struct {
	*Provider
	ctx     context.Context
	gate    *gate // of GraphQL's own limits; closed too where the server has no GraphQL for this token
	targets []target
	found   []*folderOf
	asked   []int
}

// folderOf is the workflow folder of one repository.
type folderOf struct {
	meta  *gh.Repository
	files []*gh.RepositoryContent
}

// bulk looks at the folders of targets; nil where there are too few of them.
func (p *Provider) bulk(ctx context.Context, targets []target) ([]*folderOf, int) {
	if p.cfg.BulkFrom <= 0 || len(targets) < p.cfg.BulkFrom {
		return make([]*folderOf, len(targets)), 0
	}
	b := &bulk{Provider: p, ctx: ctx, gate: &gate{}, targets: targets, found: make([]*folderOf, len(targets))}
	b.inPages(pages(len(targets), treesAQuery), b.trees)
	wanted := b.wanted()
	b.inPages(pagesOf(wanted), func(from, to int) (int, error) { return b.texts(wanted[from:to]) })
	total := 0
	for _, n := range b.asked {
		total += n
	}
	return b.found, total
}

// stretch is from one index up to another.
type stretch struct{ from, to int }

func pages(n, size int) []stretch {
	var out []stretch
	for from := 0; from < n; from += size {
		out = append(out, stretch{from, min(from+size, n)})
	}
	return out
}

// inPages asks page by page, and by halves of one that is too large, down to
// single ones. What fails otherwise ends it.
func (b *bulk) inPages(pages []stretch, ask func(from, to int) (int, error)) {
	asked := make([]int, len(pages))
	b.each(len(pages), func(i int) {
		todo := []stretch{pages[i]}
		for len(todo) > 0 {
			p := todo[0]
			todo = todo[1:]
			n, err := ask(p.from, p.to)
			asked[i] += n
			t, _ := err.(*trouble)
			switch {
			case err == nil:
			case t != nil && t.large && p.to-p.from > 1:
				middle := (p.from + p.to) / 2
				todo = append([]stretch{{p.from, middle}, {middle, p.to}}, todo...)
			case t != nil && t.large:
			default:
				b.gate.close(err.Error())
				return
			}
		}
	})
	b.asked = append(b.asked, asked...)
}

// query asks one query, and gives how many requests that took. An answer that
// does not come in time may be one that was too large.
func (b *bulk) query(text string, into any) (map[string]bool, int, error) {
	a := &asker{ctx: b.ctx, client: b.client, gate: b.gate}
	errors, err := a.graphql(text, nil, into)
	refused := map[string]bool{}
	for _, e := range errors {
		if len(e.Path) == 0 { // of which part it is, is not said
			refused[""] = true
			continue
		}
		name, _ := e.Path[0].(string)
		refused[name] = true
	}
	return refused, a.requests, err
}

// treeAnswer is what a query says of one repository.
type treeAnswer struct {
	NameWithOwner                             string `json:"nameWithOwner"`
	IsPrivate, IsArchived, IsDisabled, IsFork *bool
	PushedAt                                  *time.Time `json:"pushedAt"`
	Root, Folder                              *struct {
		Typename string `json:"__typename"`
		Entries  []treeEntry
	}
}

type treeEntry struct {
	Name, Type string
	Mode       int
	OID        string `json:"oid"`
	Object     *struct {
		ByteSize *int `json:"byteSize"`
	}
}

const treePart = `r%d: repository(owner: %s, name: %s) { nameWithOwner isPrivate isArchived isDisabled isFork pushedAt
 root: object(expression: "HEAD:") { __typename }
 folder: object(expression: "HEAD:.github/workflows") { __typename ... on Tree { entries { name type mode oid object { ... on Blob { byteSize } } } } } }
`

// trees asks for the folders of some targets.
func (b *bulk) trees(from, to int) (int, error) {
	var q strings.Builder
	q.WriteString("query {\n")
	for i, t := range b.targets[from:to] {
		owner, name, _ := strings.Cut(t.name, "/")
		fmt.Fprintf(&q, treePart, i, strconv.Quote(owner), strconv.Quote(name))
	}
	q.WriteString("}")
	answer := map[string]*treeAnswer{}
	refused, n, err := b.query(q.String(), &answer)
	if err != nil || refused[""] {
		return n, err
	}
	for i, t := range b.targets[from:to] {
		if alias := "r" + strconv.Itoa(i); answer[alias] != nil && !refused[alias] {
			b.found[from+i] = answer[alias].folder(t)
		}
	}
	return n, nil
}

// folder is what an answer says of the target, if it says it in the way that is
// known: nil leaves it to the REST API.
func (a *treeAnswer) folder(t target) *folderOf {
	if !strings.EqualFold(a.NameWithOwner, t.name) || a.IsPrivate == nil || a.IsArchived == nil || a.IsDisabled == nil || a.IsFork == nil {
		return nil
	}
	out := &folderOf{meta: &gh.Repository{FullName: &a.NameWithOwner, Private: a.IsPrivate, Archived: a.IsArchived, Disabled: a.IsDisabled, Fork: a.IsFork}}
	if a.PushedAt != nil {
		out.meta.PushedAt = &gh.Timestamp{Time: *a.PushedAt}
	}
	switch {
	case a.Root == nil || a.Root.Typename != "Tree":
		return nil
	case a.Folder == nil: // and the root may be read
		return out
	case a.Folder.Typename != "Tree" || a.Folder.Entries == nil || len(a.Folder.Entries) >= listingLimit:
		return nil
	}
	for _, e := range a.Folder.Entries {
		f := e.content()
		if f == nil {
			return nil
		}
		out.files = append(out.files, f)
	}
	arrange.By(out.files, func(x, y *gh.RepositoryContent) int { return cmp.Compare(x.GetName(), y.GetName()) })
	return out
}

// content is an entry as the REST API has it; nil for a link or a submodule.
func (e treeEntry) content() *gh.RepositoryContent {
	kind, size := "dir", 0
	switch {
	case e.Name == "":
		return nil
	case e.Type == "tree":
	case e.Type == "blob" && (e.Mode == 0o100644 || e.Mode == 0o100755) && objectName().MatchString(e.OID) && e.Object != nil && e.Object.ByteSize != nil:
		kind, size = "file", *e.Object.ByteSize
	default:
		return nil
	}
	return &gh.RepositoryContent{Name: &e.Name, Type: &kind, SHA: &e.OID, Size: &size}
}

// wantedText is a file whose text is wanted, and of which repository.
type wantedText struct {
	repo, sha string
	size      int
}

// wanted are the texts that are not kept, each once.
func (b *bulk) wanted() []wantedText {
	var out []wantedText
	seen := map[string]bool{}
	for i, found := range b.found {
		if found == nil {
			continue
		}
		for _, f := range found.files {
			sha := f.GetSHA()
			if f.GetType() != "file" || !isWorkflow(f.GetName()) || f.GetSize() > largeText || seen[sha] {
				continue
			}
			seen[sha] = true
			if !b.blobs.has(sha) {
				out = append(out, wantedText{b.targets[i].name, sha, f.GetSize()})
			}
		}
	}
	return out
}

// pagesOf divides texts by their number and size.
func pagesOf(texts []wantedText) []stretch {
	var out []stretch
	size := 0
	for i, t := range texts {
		if n := len(out); n == 0 || i-out[n-1].from == textsAQuery || size+t.size > bytesAQuery {
			out, size = append(out, stretch{i, i}), 0
		}
		out[len(out)-1].to = i + 1
		size += t.size
	}
	return out
}

type textAnswer struct {
	IsTruncated *bool   `json:"isTruncated"`
	Text        *string `json:"text"`
}

// texts asks for some texts, and keeps those that came whole.
func (b *bulk) texts(wanted []wantedText) (int, error) {
	var q strings.Builder
	q.WriteString("query {\n")
	for i, t := range wanted {
		owner, name, _ := strings.Cut(t.repo, "/")
		fmt.Fprintf(&q, "b%d: repository(owner: %s, name: %s) { object(oid: %s) { ... on Blob { isTruncated text } } }\n", i, strconv.Quote(owner), strconv.Quote(name), strconv.Quote(t.sha))
	}
	q.WriteString("}")
	answer := map[string]*struct{ Object *textAnswer }{}
	_, n, err := b.query(q.String(), &answer)
	if err != nil {
		return n, err
	}
	for i, t := range wanted {
		a := answer["b"+strconv.Itoa(i)]
		if a == nil || a.Object == nil || a.Object.Text == nil || a.Object.IsTruncated == nil || *a.Object.IsTruncated {
			continue
		}
		if data := []byte(*a.Object.Text); isBlob(t.sha, data) {
			b.blobs.keep(t.sha, data)
		}
	}
	return n, nil
}
