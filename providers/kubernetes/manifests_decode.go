package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// contents is what one file holds.
type contents struct {
	found    []found
	troubles []saying // what could not be understood: a gap
	remarks  []saying // what is odd and harms nothing
	// understood counts the documents without trouble that are not empty.
	understood int

	long  bool      // nothing is read by the short way
	nodes plain.Doc // is used again for the next document
}

type found struct {
	cronJob *batchv1.CronJob
	line    int
	at      place
	faults  []saying // for which a server would refuse it
}

type saying struct {
	line int
	text string
}

// readManifest is what a file of manifests holds.
func readManifest(data []byte) contents { return new(desk).manifest(data) }

// read reads a file of manifests. It takes what kubectl takes, by the
// same rules of YAML 1.1, and does not fail: what it cannot take is a trouble
// with its place.
func (r *contents) read(data []byte) {
	text, err := decodeText(data)
	if err != nil {
		r.trouble(1, err.Error())
		return
	}
	documents := split(text)
	if !mayHold(text) && allNameTheirKind(documents) {
		r.understood = 1
		return
	}
	for _, d := range documents {
		before := len(r.troubles)
		r.safely(d)
		if len(r.troubles) == before && len(bytes.TrimSpace(d.data)) > 0 {
			r.understood++
		}
	}
}

func (r *contents) trouble(line int, text string) {
	r.troubles = append(r.troubles, saying{line, text})
}

// safely keeps a panic of a parser from ending the audit.
func (r *contents) safely(d document) {
	defer func() {
		if p := recover(); p != nil {
			r.trouble(d.line, fmt.Sprintf("the parser broke down: %v; take this document out of the file", p))
		}
	}()
	r.document(d)
}

func (r *contents) document(d document) {
	start, blank := d.blank()
	if blank {
		return
	}
	if bytes.Contains(d.data, []byte("#@")) && ytt(d.data) {
		r.trouble(start, "a template of ytt; render it first (ytt -f DIR > FILE) and name the rendered file")
		return
	}
	if r.jsonStream(d) || r.plainly(d, start) {
		return
	}
	raw, twice, err := toJSON(d)
	if err != nil {
		r.trouble(syntaxLine(d, start, err), syntaxText(d, err))
		return
	}
	r.object(raw, place{in: &source{data: d.data, base: d.line, twice: twice}, line: start}, parent{})
}

// ytt says that comments of a document are statements of ytt.
func ytt(data []byte) bool {
	return bytes.HasPrefix(data, []byte("#@")) || bytes.Contains(data, []byte("\n#@")) || bytes.Contains(data, []byte(": #@"))
}

// jsonStream reads a document that is one JSON object or several, one after
// another. It says false, and has read nothing, if it is not all JSON.
func (r *contents) jsonStream(d document) bool {
	if trimmed := bytes.TrimLeft(d.data, " \t\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return false
	}
	type part struct {
		raw  json.RawMessage
		line int
	}
	var parts []part
	dec := json.NewDecoder(bytes.NewReader(d.data))
	line, at := d.line, 0
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		begin := int(dec.InputOffset()) - len(raw)
		line, at = line+bytes.Count(d.data[at:begin], []byte("\n")), begin
		parts = append(parts, part{raw, line})
	}
	for _, p := range parts {
		r.object(p.raw, place{in: &source{data: p.raw, base: p.line}, line: p.line}, parent{})
	}
	return true
}

// toJSON is a YAML document as JSON, by the parser and the rules of kubectl. A
// key that stands twice is not an error here, as it is none there.
func toJSON(d document) (raw []byte, twice bool, err error) {
	if err := refuseBomb(d.data); err != nil {
		return nil, false, err
	}
	raw, err = yaml.YAMLToJSONStrict(d.data)
	if err == nil {
		return raw, false, nil
	}
	raw, err = yaml.YAMLToJSON(d.data)
	return raw, true, err
}

// parent is what the members of a list have from it.
type parent struct{ apiVersion, kind string }

// head is what tells one object from another.
type head struct {
	APIVersion any             `json:"apiVersion"`
	Kind       any             `json:"kind"`
	Spec       json.RawMessage `json:"spec"`
	Items      json.RawMessage `json:"items"`
	Objects    json.RawMessage `json:"objects"`
}

func (r *contents) object(raw []byte, at place, p parent) {
	var h head
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &h); err != nil {
		r.trouble(at.line, "not an object: "+err.Error()+"; correct it")
		return
	}
	kind, _ := h.Kind.(string)
	version, _ := h.APIVersion.(string)
	if kind == "" && p.kind != "" {
		kind, version = p.kind, p.apiVersion
	}
	switch {
	case kind == "CronJob":
		r.cronJobOf(raw, h, version, at)
	case strings.HasSuffix(kind, "List") && len(h.Items) > 0:
		r.list(h.Items, at, kind, version)
	case kind == "Template" && bytes.Contains(h.Objects, []byte(`"CronJob"`)):
		r.trouble(at.line, "a template of OpenShift; render it first (oc process --local -f TEMPLATE -o yaml > FILE) and name the rendered file")
	}
}

func (r *contents) list(raw json.RawMessage, at place, kind, version string) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		r.trouble(at.line, "items of the "+kind+" are not a list; correct them")
		return
	}
	var p parent
	if kind == "CronJobList" {
		p = parent{version, "CronJob"}
	}
	lines := at.itemLines(len(items))
	for i, item := range items {
		if !bytes.Contains(item, []byte("CronJob")) && p.kind == "" {
			continue
		}
		r.object(item, at.item(i, lines), p)
	}
}

// cronJobOf takes a CronJob by its API version. batch/v1beta1 and v2alpha1 had
// the same fields, so they are read as batch/v1.
func (r *contents) cronJobOf(raw []byte, h head, version string, at place) {
	if !hasSchedule(h.Spec) {
		return
	}
	switch {
	case isVersion(version):
		r.cronJob(raw, at)
	case version == "":
		r.trouble(at.line, "a CronJob without apiVersion; write apiVersion: batch/v1")
	case strings.HasPrefix(version, "batch/"):
		r.trouble(at.line, "a CronJob of the unknown version "+quote(version)+"; write apiVersion: batch/v1")
	}
}

func isVersion(version string) bool {
	return version == "batch/v1" || version == "batch/v1beta1" || version == "batch/v2alpha1"
}

// hasSchedule says that a CronJob is more than a patch for one.
func hasSchedule(spec json.RawMessage) bool {
	var s struct {
		Schedule json.RawMessage `json:"schedule"`
	}
	if kjson.UnmarshalCaseSensitivePreserveInts(spec, &s) != nil {
		return len(spec) > 0 && spec[0] != '{' && !bytes.Equal(spec, []byte("null"))
	}
	return len(s.Schedule) > 0 && !bytes.Equal(s.Schedule, []byte("null"))
}

func (r *contents) cronJob(raw []byte, at place) {
	if text, ok := findHuge(raw); ok {
		r.trouble(at.line, "the quantity "+quote(text)+" is out of range; correct it")
		return
	}
	cj := &batchv1.CronJob{}
	strict, err := kjson.UnmarshalStrict(raw, cj)
	if err != nil {
		line, field := at.mismatch(err)
		r.trouble(line, "a CronJob that the API server would refuse: "+typeText(err, field))
		return
	}
	r.take(cj, strict, at)
}

// take takes a CronJob about which there may be strict errors.
func (r *contents) take(cj *batchv1.CronJob, strict []error, at place) {
	if field, text, ok := unrendered(cj); ok {
		r.trouble(at.lineOf(field), fmt.Sprintf("%s is %s, which has yet to be rendered; %s", field, quote(text), renderFirst))
		return
	}
	if nameOf(cj) == "" {
		r.trouble(at.line, "a CronJob without metadata.name; give it a name")
		return
	}
	for _, s := range strict {
		if strings.HasPrefix(s.Error(), "unknown field") {
			r.remark(s, at)
		} else {
			at.in.twice = true
		}
	}
	for _, d := range at.duplicates() {
		r.remarks = append(r.remarks, saying{d.line, "the key " + quote(d.text) + " stands twice in a CronJob and the later one holds; remove the other"})
	}
	r.found = append(r.found, found{cj, at.line, at, at.faults(cj)})
}

// remark says which field a CronJob has and the API does not.
func (r *contents) remark(err error, at place) {
	line := at.line
	var fe kjson.FieldError
	if errors.As(err, &fe) {
		line = at.lineOf(fe.FieldPath())
	}
	r.remarks = append(r.remarks, saying{line, err.Error() + "; the API server drops it, so it is not compared; correct its name or remove it"})
}

const renderFirst = "render it first (helm template CHART > FILE, or kustomize build DIR > FILE) and name the rendered file"

// unrendered finds a place-holder where no valid CronJob can have one, in a
// text that is YAML all the same.
func unrendered(cj *batchv1.CronJob) (field, text string, ok bool) {
	zone := ""
	if cj.Spec.TimeZone != nil {
		zone = *cj.Spec.TimeZone
	}
	for _, f := range [][2]string{
		{"metadata.name", nameOf(cj)}, {"metadata.namespace", cj.Namespace},
		{"spec.schedule", cj.Spec.Schedule}, {"spec.timeZone", zone},
	} {
		for _, mark := range []string{"{{", "{%", "<%", "${", "$("} {
			if strings.Contains(f[1], mark) {
				return f[0], f[1], true
			}
		}
	}
	return "", "", false
}
