package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// manifests are the documents of a file and the CronJobs in them by their ids.
type manifests struct {
	docs []*yaml.Node
	jobs map[string]jobNode
}

type jobNode struct {
	*yaml.Node
	remove func()
}

func readManifests(text string) (*manifests, error) {
	docs, err := parseDocuments(ended(text))
	if err != nil {
		return nil, err
	}
	return manifestsOf(docs), nil
}

func manifestsOf(docs []*yaml.Node) *manifests {
	m := &manifests{docs: docs, jobs: map[string]jobNode{}}
	for _, d := range docs {
		if len(d.Content) == 0 {
			continue
		}
		m.add(d.Content[0], "", func() { m.docs = slices.DeleteFunc(m.docs, func(o *yaml.Node) bool { return o == d }) })
		items := at(d, "items")
		kind := scalarText(at(d, "kind"))
		if items == nil || !strings.HasSuffix(kind, "List") {
			continue
		}
		for _, item := range items.Content {
			m.add(item, strings.TrimSuffix(kind, "List"), func() {
				items.Content = slices.DeleteFunc(items.Content, func(o *yaml.Node) bool { return o == item })
			})
		}
	}
	return m
}

func (m *manifests) add(n *yaml.Node, kind string, remove func()) {
	if k := scalarText(at(n, "kind")); k != "" {
		kind = k
	}
	if kind != "CronJob" || at(n, "spec", "schedule") == nil {
		return
	}
	namespace, name := scalarText(at(n, "metadata", "namespace")), scalarText(at(n, "metadata", "name"))
	if namespace == "" {
		namespace = "default"
	}
	if name == "" {
		name = scalarText(at(n, "metadata", "generateName"))
	}
	m.jobs["kubernetes:kubernetes/"+namespace+"/"+name] = jobNode{n, remove}
}

// append adds a CronJob as a document of its own.
func (m *manifests) append(n *yaml.Node) {
	if at(n, "kind") == nil {
		putMember(n, "kind", textNode("CronJob"))
		putMember(n, "apiVersion", textNode("batch/v1"))
	}
	m.docs = append(m.docs, &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{n}})
}

// changedManifest is the text after a change of one CronJob; false if the file cannot be
// changed so.
func changedManifest(text, id string, change func(m *manifests, n jobNode) bool) (string, bool) {
	docs, err := parseDocuments(ended(text))
	if err != nil {
		return "", false
	}
	for i, d := range docs {
		docs[i] = copied(d)
	}
	m := manifestsOf(docs)
	n, ok := m.jobs[id]
	if !ok {
		return "", false
	}
	if !change(m, n) {
		return "", false
	}
	out, err := writeDocuments(m.docs)
	return out, err == nil
}

// giveRole gives a CronJob a role.
func giveRole(n *yaml.Node, role string) {
	meta := at(n, "metadata")
	if a := at(meta, "annotations"); a == nil || a.Kind != yaml.MappingNode {
		putMember(meta, "annotations", mapNode())
	}
	putMember(at(meta, "annotations"), "rolecall/role", textNode(role))
}

func markedManifest(r *trial) (string, bool) {
	m, err := readManifests(r.text)
	if err != nil {
		return "", false
	}
	n := 0
	for _, s := range r.subjects {
		if j, ok := m.jobs[s.ID]; ok && !s.Marker().Present() {
			n++
			giveRole(j.Node, "job-"+string(rune('a'+n%26))+"-"+s.Attr("name")[:min(20, len(s.Attr("name")))])
		}
	}
	text, err := writeDocuments(m.docs)
	return text, n > 0 && err == nil
}

type manifestChange struct {
	*trial
	*subject
	kind string
}

func mutateManifest(r *trial, kind string) {
	layouts(r, kind)
	for _, s := range r.subjects {
		m := manifestChange{r, s, kind}
		m.presence()
		m.times()
		m.template()
	}
}

// layouts write the same values in other ways.
func layouts(r *trial, kind string) {
	text := r.files[r.main]
	r.edit(kind+"comments and blank lines", "# something\n\n"+text)
	if !strings.Contains(text, "\r") && !strings.HasPrefix(strings.TrimSpace(text), "{") {
		r.edit(kind+"line ends of Windows", strings.ReplaceAll(text, "\n", "\r\n"))
		r.edit(kind+"a mark at the beginning", "\ufeff"+text)
	}
	docs, err := parseDocuments(ended(text))
	if err != nil {
		r.skip(kind + "another layout")
		return
	}
	if other, err := writeDocuments(docs); err == nil {
		r.edit(kind+"another layout", other)
	}
	if other, ok := asJSON(docs); ok {
		r.edit(kind+"JSON for YAML", other)
	}
	stranger := "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: who-is-this, namespace: elsewhere%s}\n" +
		"spec: {schedule: 17 3 9 9 *, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: x, image: x}]}}}}}\n---\n"
	if strings.HasPrefix(text, "%") || strings.HasPrefix(text, "\ufeff") {
		r.skip(kind + "a stranger")
		return
	}
	r.edit(kind+"a stranger", strings.Replace(stranger, "%s", "", 1)+text, "unexpected no-role")
	r.edit(kind+"a stranger with a marker", strings.Replace(stranger, "%s", ", annotations: {rolecall/role: who}", 1)+text, "unexpected unknown-role")
}

// ended is a text whose last line is ended, as kubectl reads it: it decides about
// a block scalar that stands there.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// asJSON writes documents as a list in JSON.
func asJSON(docs []*yaml.Node) (string, bool) {
	list := map[string]any{"apiVersion": "v1", "kind": "List"}
	items := []any{}
	for _, d := range docs {
		var v any
		if err := d.Decode(&v); err != nil {
			return "", false
		}
		if m, ok := v.(map[string]any); ok && m["kind"] == "CronJob" {
			items = append(items, v)
		} else if ok && strings.HasSuffix(scalarText(at(d, "kind")), "List") {
			return "", false
		}
	}
	list["items"] = items
	data, err := json.MarshalIndent(list, "", "  ")
	return string(data) + "\n", err == nil
}

// change changes the CronJob and wants these findings beside the usual ones.
func (m manifestChange) change(name string, change func(all *manifests, n jobNode) bool, want ...string) {
	text, ok := changedManifest(m.files[m.main], m.ID, change)
	if !ok {
		m.skip(m.kind + name)
		return
	}
	m.edit(m.kind+name, text, want...)
}

func (m manifestChange) presence() {
	m.change("delete", func(all *manifests, n jobNode) bool { n.remove(); return true }, m.missing())
	m.change("duplicate", func(all *manifests, n jobNode) bool { all.append(copied(n.Node)); return true }, "duplicate "+m.role+" several-objects")
	m.change("duplicate by its marker", func(all *manifests, n jobNode) bool {
		twin := copied(n.Node)
		giveRole(twin, m.role)
		dropMember(at(twin, "metadata"), "generateName")
		putMember(at(twin, "metadata"), "name", textNode("the-other-one"))
		all.append(twin)
		return true
	}, "duplicate "+m.role+" several-objects")
	m.change("rename", func(all *manifests, n jobNode) bool {
		if m.Marker().Present() || m.pinned {
			return false
		}
		dropMember(at(n.Node, "metadata"), "generateName")
		putMember(at(n.Node, "metadata"), "name", textNode("another-name"))
		return true
	}, m.gone()...)
	m.change("labels", func(all *manifests, n jobNode) bool {
		if l := at(n.Node, "metadata", "labels"); l == nil || l.Kind != yaml.MappingNode {
			putMember(at(n.Node, "metadata"), "labels", mapNode())
		}
		putMember(at(n.Node, "metadata", "labels"), "colour", textNode("blue"))
		return true
	})
	suspend := func(value string) func(*manifests, jobNode) bool {
		return func(all *manifests, n jobNode) bool {
			putMember(at(n.Node, "spec"), "suspend", plainNode("!!bool", value))
			return true
		}
	}
	switch {
	case !m.asleep:
		m.change("suspend", suspend("true"), "inactive "+m.role+" suspended")
		m.change("say that it is not suspended", suspend("false"))
	case m.has("suspended") && len(m.Inactive()) == 1 && !m.Spec.NeverFires():
		m.change("resume", suspend("false"), "drift "+m.role+" active-though-suspended: state")
	}
}

func (m manifestChange) times() {
	schedule := func(text string) func(*manifests, jobNode) bool {
		return func(all *manifests, n jobNode) bool {
			putMember(at(n.Node, "spec"), "schedule", textNode(text))
			return true
		}
	}
	drift := m.drift("schedule")
	if m.never {
		drift = m.drift("state", "schedule")
	}
	m.change("schedule by meaning", schedule("41 7 11 3 *"), drift)
	written := strings.TrimSpace(m.Spec.Written())
	if text, ok := nearby(written); ok && !m.never {
		m.change("schedule by one step", schedule(text), drift)
	}
	for _, v := range sameTimes(specs.Kubernetes, written) {
		m.change("schedule by text: "+v.how, schedule(v.text))
	}
	if !m.asleep {
		m.change("never fires", schedule("0 0 31 2 *"), "inactive "+m.role+" never-fires", m.drift("schedule"))
		m.change("a schedule that is refused", schedule("0 0 * * 7"), "inactive "+m.role+" invalid-schedule")
	}
	zone := "Pacific/Auckland"
	if m.Spec.Zones() == zone {
		zone = "Asia/Tokyo"
	}
	m.change("time zone", func(all *manifests, n jobNode) bool {
		if strings.Contains(written, "@every") || m.never {
			return false
		}
		putMember(at(n.Node, "spec"), "timeZone", textNode(zone))
		return true
	}, m.drift("time_zone"))
}

// template changes what runs.
func (m manifestChange) template() {
	const pod = "jobTemplate.spec.template.spec"
	container := func(n jobNode) *yaml.Node {
		list := at(n.Node, "spec", "jobTemplate", "spec", "template", "spec", "containers")
		if list == nil || len(list.Content) == 0 || at(list.Content[0], "name") == nil {
			return nil
		}
		return list.Content[0]
	}
	name := ""
	if all, err := readManifests(m.files[m.main]); err == nil {
		if n, ok := all.jobs[m.ID]; ok {
			name = scalarText(at(container(n), "name"))
		}
	}
	in := pod + ".containers[" + name + "]"
	m.change("edit image", func(all *manifests, n jobNode) bool {
		c := container(n)
		if c == nil || at(c, "image") == nil {
			return false
		}
		putMember(c, "image", textNode("registry.example.com/another:v9"))
		return true
	}, m.drift(in+".image")+"*")
	for _, field := range []string{"command", "args"} {
		m.change("edit "+field, func(all *manifests, n jobNode) bool {
			list := at(container(n), field)
			if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
				return false
			}
			last := &list.Content[len(list.Content)-1]
			*last = textNode(scalarText(*last) + " --edited")
			return true
		}, m.drift(in+"."+field)+"*")
	}
	m.change("add a variable", func(all *manifests, n jobNode) bool {
		c := container(n)
		if c == nil || at(c, "env") != nil {
			return false
		}
		putMember(c, "env", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{mapNode("name", textNode("LEVEL"), "value", textNode("debug"))}})
		return true
	}, m.drift(in+".env[LEVEL]")+"*")
	m.fields(pod, in, container)
}

// fields sets control fields, first to what they are without being said.
func (m manifestChange) fields(pod, in string, container func(jobNode) *yaml.Node) {
	spec := func(key, tag, value string) func(*manifests, jobNode) bool {
		return func(all *manifests, n jobNode) bool {
			if at(n.Node, "spec", key) != nil {
				return false
			}
			putMember(at(n.Node, "spec"), key, plainNode(tag, value))
			return true
		}
	}
	m.change("a default spelled out", spec("concurrencyPolicy", "!!str", "Allow"))
	m.change("edit concurrency", spec("concurrencyPolicy", "!!str", "Forbid"), m.drift("concurrencyPolicy"))
	m.change("edit deadline", spec("startingDeadlineSeconds", "!!int", "77"), m.drift("startingDeadlineSeconds"))
	m.change("a default of the job spelled out", func(all *manifests, n jobNode) bool {
		job := at(n.Node, "spec", "jobTemplate", "spec")
		if job == nil || at(job, "backoffLimit") != nil || at(job, "backoffLimitPerIndex") != nil {
			return false
		}
		putMember(job, "backoffLimit", plainNode("!!int", "6"))
		return true
	})
	for _, q := range []struct {
		how, memory string
		want        []string
	}{
		{"a quantity by text", "", nil},
		{"edit a quantity", "123456789Ki", []string{m.drift(in+".resources") + "*"}},
	} {
		m.change(q.how, func(all *manifests, n jobNode) bool {
			limits := at(container(n), "resources", "limits")
			memory, isMi := strings.CutSuffix(scalarText(at(limits, "memory")), "Mi")
			if !isMi || !isNumber(memory) {
				return false
			}
			value := q.memory
			if value == "" {
				value = kibi(memory)
			}
			putMember(limits, "memory", textNode(value))
			return true
		}, q.want...)
	}
}

// kibi is a number of MiB in KiB.
func kibi(n string) string {
	var v int
	fmt.Sscan(n, &v)
	return fmt.Sprintf("%dKi", v*1024)
}
