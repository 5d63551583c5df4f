package kubernetes

import (
	"iter"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// plainly reads a document as document does, some ten times faster, or has read
// nothing and says false. It knows what people mostly write and that all is well
// with it: what it is not sure of, and what there would be a trouble or a remark
// about, is read the long way.
func (r *contents) plainly(d document, start int) bool {
	if r.long {
		return false
	}
	doc, ok := plain.Read(string(d.data), r.nodes)
	if r.nodes = doc; !ok {
		return false
	}
	p := plainly{doc: doc}
	if !p.object(0, place{in: &source{data: d.data, base: d.line}, line: start}, parent{}) {
		return false
	}
	r.found = append(r.found, p.out.found...)
	r.troubles = append(r.troubles, p.out.troubles...)
	return true
}

// plainly is the reading of one document. Its methods say false where they are
// not sure.
type plainly struct {
	doc plain.Doc
	out contents
}

// pairs are the keys and values of a mapping, where a key is a scalar.
func (p *plainly) pairs(i int32) iter.Seq2[int32, int32] {
	return func(yield func(key, value int32) bool) {
		for c := i + 1; c < p.doc[i].End && yield(c, p.doc[c].End); c = p.doc[p.doc[c].End].End {
		}
	}
}

// members are the values of an object by what tells it from another; 0 is none.
type members struct{ version, kind, spec, items int32 }

func (m *members) of(key string) *int32 {
	switch key {
	case "apiVersion":
		return &m.version
	case "kind":
		return &m.kind
	case "spec":
		return &m.spec
	case "items":
		return &m.items
	}
	return nil
}

// members looks at the keys of the object at i.
func (p *plainly) members(i int32) (m members, ok bool) {
	if p.doc[i].Kind != plain.Mapping {
		return m, false
	}
	for key, value := range p.pairs(i) {
		if !p.isKey(key) {
			return m, false
		}
		at := m.of(p.doc[key].Text)
		switch {
		case at == nil:
		case *at != 0:
			return m, false
		default:
			*at = value
		}
	}
	return m, true
}

func (p *plainly) isKey(i int32) bool {
	return p.is(i, textScalar)
}

// text is that of a member, empty if there is none.
func (p *plainly) text(i int32) (text string, ok bool) {
	if i == 0 {
		return "", true
	}
	return p.doc[i].Text, p.is(i, textScalar)
}

func (p *plainly) object(i int32, at place, above parent) bool {
	m, ok := p.members(i)
	kind, isText := p.text(m.kind)
	version, isTextToo := p.text(m.version)
	if !ok || !isText || !isTextToo {
		return false
	}
	if kind == "" && above.kind != "" {
		kind, version = above.kind, above.apiVersion
	}
	switch {
	case kind == "CronJob":
		switch has, ok := p.hasSchedule(m.spec); {
		case has:
			return ok && isVersion(version) && p.cronJob(i, at)
		default:
			return ok && p.sound(i)
		}
	case strings.HasSuffix(kind, "List") && m.items != 0:
		return p.list(i, m.items, at, kind, version)
	}
	return kind != "Template" && p.sound(i)
}

// hasSchedule is what the function of that name says of the spec of a CronJob.
func (p *plainly) hasSchedule(spec int32) (has, ok bool) {
	if spec == 0 {
		return false, true
	}
	if p.doc[spec].Kind != plain.Mapping {
		return false, false
	}
	for key, value := range p.pairs(spec) {
		if p.doc[key].Text == "schedule" {
			return true, !p.null(value)
		}
	}
	return false, true
}

// list reads the members of a list, which are nowhere but below items.
func (p *plainly) list(i, items int32, at place, kind, version string) bool {
	if p.doc[items].Kind != plain.Sequence {
		return false
	}
	for key, value := range p.pairs(i) {
		if value != items && !p.sound(value) || !p.isKey(key) {
			return false
		}
	}
	var above parent
	if kind == "CronJobList" {
		above = parent{version, "CronJob"}
	}
	var members []int32
	for c := range p.doc.Below(items) {
		members = append(members, c)
	}
	lines := at.itemLines(len(members))
	for n, c := range members {
		read := p.sound
		if above.kind != "" || p.names(c) {
			read = func(c int32) bool { return p.object(c, at.item(n, lines), above) }
		}
		if !read(c) {
			return false
		}
	}
	return true
}

// names says that the word stands in some text of a node.
func (p *plainly) names(i int32) bool {
	for _, n := range p.doc[i:p.doc[i].End] {
		if strings.Contains(n.Text, "CronJob") {
			return true
		}
	}
	return false
}

// sound says that a node of which nothing is needed can be written as JSON: what
// cannot is an error of the whole document.
func (p *plainly) sound(i int32) bool {
	switch p.doc[i].Kind {
	case plain.Mapping:
		for key, value := range p.pairs(i) {
			if !p.isKey(key) || !p.sound(value) {
				return false
			}
		}
		return true
	case plain.Sequence:
		for c := range p.doc.Below(i) {
			if !p.sound(c) {
				return false
			}
		}
		return true
	}
	return scalarOf(&p.doc[i]) != unsure
}

// cronJob takes a CronJob that is as the API has it.
func (p *plainly) cronJob(i int32, at place) bool {
	cj := &batchv1.CronJob{}
	if !p.into(i, cronJobForm(), cj) {
		return false
	}
	own(cj)
	p.out.take(cj, nil, at)
	return true
}

// own copies what an object keeps of a CronJob beside its labels and annotations,
// so that it does not hold the whole text of the file.
func own(cj *batchv1.CronJob) {
	cj.UID = types.UID(strings.Clone(string(cj.UID)))
	cj.Spec.Schedule = strings.Clone(cj.Spec.Schedule)
	if zone := cj.Spec.TimeZone; zone != nil {
		*zone = strings.Clone(*zone)
	}
}
