package kubernetes

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// spine writes the body of a CronJob from its wire form, as bodyFrom does from
// the object, which it needs not make: it takes what differs from one CronJob to
// the next, the commands and variables of its containers, from where it stands,
// and all else from parts. It refuses what it does not know for sure.
type spine struct {
	out  *specs.Packer
	room []byte

	ofCronJob   parts[batchv1.CronJobSpec]
	ofMeta      parts[batchv1.JobTemplateSpec]
	ofJob       parts[batchv1.JobSpec]
	ofPodMeta   parts[corev1.PodTemplateSpec]
	ofPod       parts[corev1.PodSpec]
	ofVolumes   parts[corev1.PodSpec]
	ofContainer parts[corev1.Container]
	ofSource    parts[corev1.EnvVar]
	policies    map[string]corev1.PullPolicy // by image

	left [7][]byte // room for what is left of the messages
	env  []variable
}

func newSpine() *spine {
	return &spine{
		ofCronJob: parts[batchv1.CronJobSpec]{}, ofMeta: parts[batchv1.JobTemplateSpec]{}, ofJob: parts[batchv1.JobSpec]{},
		ofPodMeta: parts[corev1.PodTemplateSpec]{}, ofPod: parts[corev1.PodSpec]{}, ofVolumes: parts[corev1.PodSpec]{},
		ofContainer: parts[corev1.Container]{}, ofSource: parts[corev1.EnvVar]{}, policies: map[string]corev1.PullPolicy{},
	}
}

// Numbers of fields in k8s.io/api/batch/v1 and core/v1 (generated.proto).
const (
	specSchedule = 1
	specSuspend  = 4
	specTemplate = 5
	specTimeZone = 8

	templateMeta = 1 // of JobTemplateSpec
	templateSpec = 2 // and of PodTemplateSpec
	metaLabels   = 11
	jobTemplate  = 6

	podVolumes        = 1
	podContainers     = 2
	podInitContainers = 20

	containerName    = 1
	containerImage   = 2
	containerCommand = 3
	containerArgs    = 4
	containerEnv     = 7
	containerPull    = 14

	envName   = 1
	envPlain  = 2
	envSource = 3
)

// jobIn reads the spec where it can, and gives what is left for Unmarshal.
func (s *spine) jobIn(data []byte, into *liveJob) []byte {
	spec, left, ok := s.cutOut(data, jobSpec, 6)
	if !ok {
		return data
	}
	if into.body, into.read = s.cronJob(spec, &into.Spec); into.read {
		return left
	}
	into.Spec = batchv1.CronJobSpec{}
	return data
}

// cronJob reads a CronJobSpec. Into gets what objectFrom looks at beside the
// body; its template has no more than that.
func (s *spine) cronJob(data []byte, into *batchv1.CronJobSpec) (specs.Packed, bool) {
	var schedule, zone, template []byte
	var suspend *bool
	left, ok := takeFields(data, s.left[0][:0], func(f wireField) taken {
		switch f.number {
		case specSchedule:
			return f.once(&schedule)
		case specTimeZone:
			return f.once(&zone)
		case specTemplate:
			return f.once(&template)
		case specSuspend:
			if f.sized {
				return giveUp
			}
			suspended := f.value != 0
			suspend = &suspended
			return took
		}
		return leave
	})
	s.left[0] = left
	if !ok || template == nil {
		return "", false
	}
	rest := s.ofCronJob.of(left, cronJobPart)
	if !rest.alone {
		return "", false
	}
	*into = *rest.message
	into.Schedule, into.Suspend = string(schedule), suspend
	if zone != nil {
		name := string(zone)
		into.TimeZone = &name
	}
	s.out = specs.NewPacker(s.room[:0])
	s.out.Open("", specs.Map, false)
	more := s.upTo(rest.members, "jobTemplate")
	if !s.template(template, &into.JobTemplate) {
		return "", false
	}
	s.all(more)
	s.out.Close()
	s.room = s.out.Bytes()
	return s.out.Packed(), true
}

// upTo writes the members that stand before a name, and gives the others.
func (s *spine) upTo(members []packedMember, name string) []packedMember {
	for len(members) > 0 && members[0].name < name {
		s.out.Raw(members[0].packed)
		members = members[1:]
	}
	return members
}

func (s *spine) all(members []packedMember) {
	for _, m := range members {
		s.out.Raw(m.packed)
	}
}

// cutOut takes the one field of a number out of a message.
func (s *spine) cutOut(data []byte, number uint64, room int) (content, left []byte, ok bool) {
	left, ok = takeFields(data, s.left[room][:0], func(f wireField) taken {
		if f.number == number {
			return f.once(&content)
		}
		return leave
	})
	s.left[room] = left
	return content, left, ok && content != nil
}

// template writes a JobTemplateSpec.
func (s *spine) template(data []byte, into *batchv1.JobTemplateSpec) bool {
	job, metaLeft, ok := s.cutOut(data, templateSpec, 1)
	if !ok {
		return false
	}
	pods, jobLeft, ok := s.cutOut(job, jobTemplate, 2)
	if !ok {
		return false
	}
	pod, podMetaLeft, ok := s.cutOut(pods, templateSpec, 3)
	if !ok {
		return false
	}
	s.left[4] = metaText(s.left[4][:0], metaLeft, podMetaLeft)
	meta, spec, podMeta := s.ofMeta.of(s.left[4], metaPart), s.ofJob.of(jobLeft, jobPart), s.ofPodMeta.of(podMetaLeft, podMetaPart)
	if !meta.alone || !spec.alone || !podMeta.alone {
		return false
	}
	into.ObjectMeta, into.Spec = meta.message.ObjectMeta, *spec.message
	s.out.Open("jobTemplate", specs.Map, false)
	s.all(meta.members)
	s.out.Open("spec", specs.Map, false)
	more := s.upTo(spec.members, "template")
	s.out.Open("template", specs.Map, false)
	s.all(podMeta.members)
	s.out.Open("spec", specs.Map, false)
	if !s.pod(pod) {
		return false
	}
	s.out.Close()
	s.out.Close()
	s.all(more)
	s.out.Close()
	s.out.Close()
	return true
}

// pod writes the members of a PodSpec.
func (s *spine) pod(data []byte) bool {
	var fewContainers, fewInit [4][]byte
	containers, inits := fewContainers[:0], fewInit[:0]
	volumes := s.left[5][:0]
	left, ok := takeFields(data, s.left[1][:0], func(f wireField) taken {
		switch {
		case f.number == podContainers && f.sized:
			containers = append(containers, f.content)
		case f.number == podInitContainers && f.sized:
			inits = append(inits, f.content)
		case f.number == podVolumes && f.sized:
			volumes = append(volumes, f.whole...)
		default:
			return leave
		}
		return took
	})
	s.left[1], s.left[5] = left, volumes
	if !ok || len(containers) == 0 {
		return false
	}
	rest, vols := s.ofPod.of(left, podPart), s.ofVolumes.of(volumes, podPart)
	if !rest.alone || !vols.alone {
		return false
	}
	more := s.upTo(rest.members, "containers")
	if !s.containers("containers", containers) {
		return false
	}
	more = s.upTo(more, "initContainers")
	if len(inits) > 0 && !s.containers("initContainers", inits) {
		return false
	}
	more = s.upTo(more, "volumes")
	s.all(vols.members)
	s.all(more)
	return true
}
