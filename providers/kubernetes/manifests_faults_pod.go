package kubernetes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// podFaults are those of a pod's parts beside each other.
func podFaults(f *finder, pod *corev1.PodSpec, path *field.Path) {
	if len(pod.Containers) == 0 {
		f.add(field.Required(path.Child("containers"), ""))
	}
	f.names(pod, path)
	f.volumesOf(pod, path)
	f.claimsOf(pod, path)
	f.hostPorts(pod, path)
	f.initContainers(pod, f.child(path, "initContainers"))
	f.hooks(pod, path)
	f.dns(pod, f.child(path, "dnsConfig"))
	f.labels(pod.NodeSelector, f.child(path, "nodeSelector"))
	f.shared(pod, f.child(path, "securityContext"))
	for i, alias := range pod.HostAliases {
		// As a server that is lenient about zeros in front.
		f.add(validation.IsValidIPForLegacyField(path.Child("hostAliases").Index(i).Child("ip"), alias.IP, false, nil)...)
	}
	f.gates(pod.SchedulingGates, f.child(path, "schedulingGates"))
	f.system(pod, path)
	spreadFaults(f, pod.TopologySpreadConstraints, f.child(path, "topologySpreadConstraints"))
	if len(pod.EphemeralContainers) > 0 {
		f.add(field.Forbidden(path.Child("ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
}

// names: that of a container stands once in the pod.
func (f *finder) names(pod *corev1.PodSpec, path *field.Path) {
	seen := map[string]bool{}
	for i, c := range pod.Containers {
		if seen[c.Name] && c.Name != "" {
			f.add(field.Duplicate(path.Child("containers").Index(i).Child("name"), shorten(c.Name)))
		}
		seen[c.Name] = true
	}
	for i, c := range pod.InitContainers {
		if seen[c.Name] && c.Name != "" {
			f.add(field.Duplicate(path.Child("initContainers").Index(i).Child("name"), shorten(c.Name)))
		}
		seen[c.Name] = true
	}
}

// each calls do for the containers of a pod, with their paths.
func (f *finder) each(pod *corev1.PodSpec, path *field.Path, do func(c *corev1.Container, path *field.Path)) {
	for i := range pod.InitContainers {
		do(&pod.InitContainers[i], f.index(f.child(path, "initContainers"), i))
	}
	for i := range pod.Containers {
		do(&pod.Containers[i], f.index(f.child(path, "containers"), i))
	}
}

// volumesOf: what a container mounts is a volume of the pod.
func (f *finder) volumesOf(pod *corev1.PodSpec, path *field.Path) {
	volumes := map[string]*corev1.VolumeSource{}
	for i := range pod.Volumes {
		v, at := &pod.Volumes[i], f.index(f.child(path, "volumes"), i)
		if volumes[v.Name] != nil && v.Name != "" {
			f.add(field.Duplicate(at.Child("name"), shorten(v.Name)))
		}
		volumes[v.Name] = &v.VolumeSource
		f.oneSource(&v.VolumeSource, at)
	}
	f.each(pod, path, func(c *corev1.Container, at *field.Path) {
		mounted := map[string]bool{}
		for i, m := range c.VolumeMounts {
			if volumes[m.Name] == nil && m.Name != "" {
				f.add(field.NotFound(at.Child("volumeMounts").Index(i).Child("name"), shorten(m.Name)))
			}
			mounted[m.Name], mounted["at "+m.MountPath] = true, true
		}
		f.devices(c.VolumeDevices, volumes, mounted, f.child(at, "volumeDevices"))
		for i, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.FileKeyRef != nil {
				f.envFile(e.ValueFrom.FileKeyRef, volumes, at.Child("env").Index(i).Child("valueFrom", "fileKeyRef"))
			}
		}
	})
}

func (f *finder) devices(devices []corev1.VolumeDevice, volumes map[string]*corev1.VolumeSource, mounted map[string]bool, path *field.Path) {
	names, paths := map[string]bool{}, map[string]bool{}
	for i, d := range devices {
		at, v := path.Index(i), volumes[d.Name]
		switch {
		case d.Name == "":
		case v == nil:
			f.add(field.NotFound(at.Child("name"), shorten(d.Name)))
		case v.PersistentVolumeClaim == nil && v.Ephemeral == nil:
			f.invalid(at.Child("name"), d.Name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode")
		}
		if names[d.Name] {
			f.invalid(at.Child("name"), d.Name, "must be unique")
		}
		if paths[d.DevicePath] {
			f.invalid(at.Child("devicePath"), d.DevicePath, "must be unique")
		}
		if mounted[d.Name] {
			f.invalid(at.Child("name"), d.Name, "must not already exist in volumeMounts")
		}
		if mounted["at "+d.DevicePath] {
			f.invalid(at.Child("devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts")
		}
		if len(noBacksteps(d.DevicePath)) > 0 {
			f.invalid(at.Child("devicePath"), d.DevicePath, "can not contain backsteps ('..')")
		}
		names[d.Name], paths[d.DevicePath] = d.Name != "", true
	}
}

func (f *finder) envFile(r *corev1.FileKeySelector, volumes map[string]*corev1.VolumeSource, path *field.Path) {
	at := path.Child("volumeName")
	switch v := volumes[r.VolumeName]; {
	case v == nil:
		f.add(field.NotFound(at, shorten(r.VolumeName)))
	case v.EmptyDir == nil && *v != (corev1.VolumeSource{}):
		f.invalid(at, r.VolumeName, "referenced volume must be of type emptyDir")
	}
}

// claimsOf: a resource claim of a container is one of the pod's.
func (f *finder) claimsOf(pod *corev1.PodSpec, path *field.Path) {
	var names []string
	for i, c := range pod.ResourceClaims {
		if slices.Contains(names, c.Name) && c.Name != "" {
			f.add(field.Duplicate(path.Child("resourceClaims").Index(i).Child("name"), c.Name))
		}
		names = append(names, c.Name)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	slices.Sort(names)
	f.each(pod, path, func(c *corev1.Container, at *field.Path) {
		for i, claim := range c.Resources.Claims {
			if slices.Contains(names, claim.Name) || claim.Name == "" {
				continue
			}
			e := field.NotFound(at.Child("resources", "claims").Index(i), claim.Name)
			if e.Detail = "must be one of the names in pod.spec.resourceClaims which is empty"; len(names) > 0 {
				e.Detail = "must be one of the names in pod.spec.resourceClaims: " + strings.Join(names, ", ")
			}
			f.add(e)
		}
	})
}

func resourceClaimFaults(f *finder, c *corev1.PodResourceClaim, path *field.Path) {
	for _, r := range []struct {
		name  string
		value *string
	}{{"resourceClaimName", c.ResourceClaimName}, {"resourceClaimTemplateName", c.ResourceClaimTemplateName}} {
		if r.value != nil {
			f.invalid(path.Child(r.name), *r.value, isSubdomain(*r.value)...)
		}
	}
	switch stated(c.ResourceClaimName != nil, c.ResourceClaimTemplateName != nil) {
	case 0:
		f.add(field.Invalid(path, field.OmitValueType{}, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
	case 2:
		f.add(field.Invalid(path, field.OmitValueType{}, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
	}
}

// hostPorts: two containers that run at once have no port of the host in common.
func (f *finder) hostPorts(pod *corev1.PodSpec, path *field.Path) {
	together := map[string]bool{}
	for i := range pod.Containers {
		f.hostPortsOf(&pod.Containers[i], together, f.index(f.child(path, "containers"), i))
	}
	for i := range pod.InitContainers {
		f.hostPortsOf(&pod.InitContainers[i], map[string]bool{}, path.Child("initContainers").Index(0))
	}
	if !pod.HostNetwork {
		return
	}
	for i, c := range pod.Containers {
		for j, p := range c.Ports {
			if p.HostPort != 0 && p.HostPort != p.ContainerPort {
				f.invalid(path.Child("containers").Index(i).Child("ports").Index(j).Child("hostPort"), p.HostPort, "must match `containerPort` when `hostNetwork` is true")
			}
		}
	}
}

func (f *finder) hostPortsOf(c *corev1.Container, seen map[string]bool, path *field.Path) {
	for i, p := range c.Ports {
		if p.HostPort == 0 {
			continue
		}
		protocol := p.Protocol
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		key := fmt.Sprintf("%s/%s/%d", protocol, p.HostIP, p.HostPort)
		if seen[key] {
			f.add(field.Duplicate(path.Child("ports").Index(i).Child("hostPort"), key))
		}
		seen[key] = true
	}
}

// initContainers: one that ends has no hooks and probes.
func (f *finder) initContainers(pod *corev1.PodSpec, path *field.Path) {
	for i, c := range pod.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			continue
		}
		for _, part := range []handler{
			{"lifecycle", c.Lifecycle != nil}, {"livenessProbe", c.LivenessProbe != nil},
			{"readinessProbe", c.ReadinessProbe != nil}, {"startupProbe", c.StartupProbe != nil},
		} {
			if part.set {
				f.add(field.Forbidden(path.Index(i).Child(part.name), "may not be set for init containers without restartPolicy=Always"))
			}
		}
	}
}

// hooks: a pause ends before the pod does.
func (f *finder) hooks(pod *corev1.PodSpec, path *field.Path) {
	grace := int64(corev1.DefaultTerminationGracePeriodSeconds)
	if pod.TerminationGracePeriodSeconds != nil {
		grace = *pod.TerminationGracePeriodSeconds
	}
	f.each(pod, path, func(c *corev1.Container, at *field.Path) {
		if c.Lifecycle == nil {
			return
		}
		for _, h := range []struct {
			name string
			*corev1.LifecycleHandler
		}{{"postStart", c.Lifecycle.PostStart}, {"preStop", c.Lifecycle.PreStop}} {
			if h.LifecycleHandler != nil && h.Sleep != nil && (h.Sleep.Seconds < 0 || h.Sleep.Seconds > grace) {
				f.invalid(at.Child("lifecycle", h.name, "sleep"), h.Sleep.Seconds, fmt.Sprintf("must be non-negative and less than terminationGracePeriodSeconds (%d)", grace))
			}
		}
	})
}

// most of what a resolver of names takes.
const mostNameservers = 3

func (f *finder) dns(pod *corev1.PodSpec, path *field.Path) {
	c := pod.DNSConfig
	switch {
	case pod.DNSPolicy == corev1.DNSNone && c == nil:
		f.add(field.Required(path, "must provide `dnsConfig` when `dnsPolicy` is None"))
	case pod.DNSPolicy == corev1.DNSNone && len(c.Nameservers) == 0:
		f.add(field.Required(path.Child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None"))
	case c != nil:
		if len(c.Nameservers) > mostNameservers {
			f.invalid(path.Child("nameservers"), c.Nameservers, fmt.Sprintf("must not have more than %d nameservers", mostNameservers))
		}
		for i, s := range c.Nameservers {
			f.add(validation.IsValidIPForLegacyField(path.Child("nameservers").Index(i), s, false, nil)...)
		}
		for i, s := range c.Searches {
			if s != "." {
				f.invalid(path.Child("searches").Index(i), s, validation.IsDNS1123SubdomainWithUnderscore(strings.TrimSuffix(s, "."))...)
			}
		}
		for i, o := range c.Options {
			if o.Name == "" {
				f.add(field.Required(path.Child("options").Index(i), "must not be empty"))
			}
		}
	}
}

// sysctlName is the form of a kernel parameter's name, with dots or slashes.
var sysctlName = lazy.Expression(`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`)

// shared are the faults of what the containers of a pod have in common.
func (f *finder) shared(pod *corev1.PodSpec, path *field.Path) {
	if pod.HostPID && isTrue(pod.ShareProcessNamespace) {
		f.invalid(path.Child("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled")
	}
	if pod.SecurityContext == nil {
		return
	}
	seen := map[string]bool{}
	for i, s := range pod.SecurityContext.Sysctls {
		at := path.Child("sysctls").Index(i).Child("name")
		switch {
		case s.Name == "":
		case !sysctlName().MatchString(s.Name) || len(s.Name) > 253:
			f.invalid(at, shorten(s.Name), "must have at most 253 characters and match regex "+sysctlName().String())
		case seen[s.Name]:
			f.add(field.Duplicate(at, s.Name))
		}
		seen[s.Name] = true
	}
}

// system is on what the pod runs, and as whom.
func (f *finder) system(pod *corev1.PodSpec, path *field.Path) {
	if name := pod.DeprecatedServiceAccount; pod.ServiceAccountName == "" && name != "" {
		f.invalid(path.Child("serviceAccountName"), shorten(name), isSubdomain(name)...)
	}
	if pod.OS == nil {
		return
	}
	switch pod.OS.Name {
	case "":
		f.add(field.Required(path.Child("os", "name"), ""))
	case corev1.Linux, corev1.Windows:
	default:
		f.add(field.NotSupported(path.Child("os"), pod.OS.Name, []corev1.OSName{corev1.Linux, corev1.Windows}))
	}
}

func (f *finder) gates(gates []corev1.PodSchedulingGate, path *field.Path) {
	seen := map[string]bool{}
	for i, g := range gates {
		f.invalid(path.Index(i), g.Name, isQualified(g.Name)...)
		if seen[g.Name] {
			f.add(field.Duplicate(path.Index(i), g.Name))
		}
		seen[g.Name] = true
	}
}

// labels are those of an object or a selector.
func (f *finder) labels(labels map[string]string, path *field.Path) {
	if f.unplaced {
		for key, text := range labels {
			f.invalid(path, "", isQualified(key)...)
			f.invalid(path, "", isLabelValue(text)...)
		}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		f.invalid(path, shorten(key), isQualified(key)...)
		f.invalid(path, shorten(labels[key]), isLabelValue(labels[key])...)
	}
}

// mostAnnotations is how many bytes all annotations of an object may have.
const mostAnnotations = 256 << 10

func (f *finder) annotations(notes map[string]string, path *field.Path) {
	size := 0
	if len(notes) == 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(notes)) {
		f.invalid(path, shorten(key), isQualified(strings.ToLower(key))...)
		size += len(key) + len(notes[key])
	}
	if size > mostAnnotations {
		f.add(field.TooLong(path, "", mostAnnotations))
	}
}
