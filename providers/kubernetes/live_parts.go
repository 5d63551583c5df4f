package kubernetes

import (
	"encoding/binary"
	"reflect"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// part is what some fields of a message come to, of which the most are the same
// in many objects: resources, volumes, a pod's security. It is translated once
// for each text of these fields on the wire, in the same way as a whole object.
type part[T any] struct {
	// alone is false where the fields mean nothing without the rest of the object,
	// or cannot be read: then the whole is translated.
	alone   bool
	message *T // as it was read, where objectFrom looks at it
	members []packedMember
}

// packedMember is a member of a Map as a Packer writes it, with its key.
type packedMember struct{ name, packed string }

// parts are those of one kind by their text.
type parts[T any] map[string]*part[T]

// What is kept of parts at most: some MB in all, and not of those that only a
// strange object has. Where all are different, keeping more would only cost.
const (
	mostParts    = 1024
	mostPartSize = 4 << 10
)

// of is the part of a text, which make translates where it is not known.
func (p parts[T]) of(text []byte, make func([]byte, *part[T])) *part[T] {
	if known, ok := p[string(text)]; ok {
		return known
	}
	made := new(part[T])
	make(text, made)
	if len(p) < mostParts && len(text) <= mostPartSize {
		p[string(text)] = made
	}
	return made
}

// packedMembers are the members of a Map, one by one.
func packedMembers(v specs.Value) []packedMember {
	var room [1024]byte
	p := specs.NewPacker(room[:0])
	out := make([]packedMember, len(v.Members))
	ends := make([]int, len(v.Members))
	for i, m := range v.Members {
		p.Add(m.Key, m.Value)
		out[i].name, ends[i] = m.Key, len(p.Bytes())
	}
	all, begin := string(p.Bytes()), 0
	for i, end := range ends {
		out[i].packed, begin = all[begin:end], end
	}
	return out
}

// makePart translates some fields of a message, of which it gives what is left.
// Drop clears defaults that hang on other fields, all of which must be in the text.
func makePart[T any, P interface {
	*T
	message
}](text []byte, p *part[T], drop func(P)) *T {
	m := new(T)
	if P(m).Unmarshal(text) != nil {
		return nil
	}
	drop(m)
	p.alone, p.members = true, packedMembers(structValue(reflect.ValueOf(m).Elem()))
	return m
}

func cronJobPart(text []byte, p *part[batchv1.CronJobSpec]) {
	p.message = makePart(text, p, func(*batchv1.CronJobSpec) {})
}

func jobPart(text []byte, p *part[batchv1.JobSpec]) {
	makePart(text, p, func(job *batchv1.JobSpec) {
		read := *job
		p.message = &read
		dropJobDefaults(job)
	})
}

func podMetaPart(text []byte, p *part[corev1.PodTemplateSpec]) {
	makePart(text, p, func(*corev1.PodTemplateSpec) {})
}

// podPart is a pod but for its containers, of which some may hang on it.
func podPart(text []byte, p *part[corev1.PodSpec]) {
	pod := makePart(text, p, dropPodDefaults)
	p.alone = pod != nil && !pod.HostNetwork && len(pod.EphemeralContainers) == 0
}

// containerPart is a container but for what is taken of it one by one; its pod is
// not in the host's network.
func containerPart(text []byte, p *part[corev1.Container]) {
	makePart(text, p, func(c *corev1.Container) { dropContainerDefaults(c, false) })
}

// sourcePart is where a variable's value comes from.
func sourcePart(text []byte, p *part[corev1.EnvVar]) {
	env := make([]corev1.EnvVar, 1)
	if env[0].Unmarshal(text) != nil || env[0].ValueFrom == nil {
		return
	}
	dropDivisors(env)
	p.alone, p.members = true, packedMembers(variableValue(env[0], nil))
}

// metaText is the metadata of a template of jobs and, where that has labels, which
// count where they differ from these, that of its pods: the text of one part.
func metaText(text, meta, podMeta []byte) []byte {
	text = append(binary.AppendUvarint(text, uint64(len(meta))), meta...)
	if f, ok := fieldIn(meta); ok && len(f.rest) == 0 && f.number == templateMeta {
		if at, ok := cutBefore(f.content, metaLabels); ok && at == len(f.content) {
			return text
		}
	}
	return append(text, podMeta...)
}

// metaPart is the metadata of a template of jobs.
func metaPart(text []byte, p *part[batchv1.JobTemplateSpec]) {
	size, n := binary.Uvarint(text)
	meta, podMeta := text[n:n+int(size)], text[n+int(size):]
	t := new(batchv1.JobTemplateSpec)
	if t.Unmarshal(meta) != nil || t.Spec.Template.Unmarshal(podMeta) != nil {
		return
	}
	changed := *t
	dropTemplateDefaults(&changed)
	changed.Spec = batchv1.JobSpec{}
	p.alone, p.message, p.members = true, t, packedMembers(structValue(reflect.ValueOf(&changed).Elem()))
}
