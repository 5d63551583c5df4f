package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// portFaults: a name stands once.
func portFaults(f *finder, c *corev1.Container, path *field.Path) {
	names := map[string]bool{}
	for i, p := range c.Ports {
		if p.Name != "" && names[p.Name] {
			f.add(field.Duplicate(path.Child("ports").Index(i).Child("name"), p.Name))
		}
		names[p.Name] = len(validation.IsValidPortName(p.Name)) == 0
	}
}

func containerFaults(f *finder, c *corev1.Container, path *field.Path) {
	portFaults(f, c, path)
	mounts := map[string]bool{}
	for i, m := range c.VolumeMounts {
		at := f.index(f.child(path, "volumeMounts"), i)
		if mounts[m.MountPath] {
			f.invalid(at.Child("mountPath"), m.MountPath, "must be unique")
		}
		mounts[m.MountPath] = true
		if p := m.MountPropagation; p != nil && *p == corev1.MountPropagationBidirectional && (c.SecurityContext == nil || !isTrue(c.SecurityContext.Privileged)) {
			f.add(field.Forbidden(path.Child("volumeMounts", "mountPropagation"), "Bidirectional mount propagation is available only to privileged containers"))
		}
	}
	for _, probe := range []struct {
		name string
		*corev1.Probe
	}{{"livenessProbe", c.LivenessProbe}, {"startupProbe", c.StartupProbe}} {
		if probe.Probe != nil && probe.SuccessThreshold != 1 && probe.SuccessThreshold != 0 {
			f.invalid(path.Child(probe.name, "successThreshold"), probe.SuccessThreshold, "must be 1")
		}
	}
	if p := c.ReadinessProbe; p != nil && p.TerminationGracePeriodSeconds != nil {
		f.invalid(path.Child("readinessProbe", "terminationGracePeriodSeconds"), p.TerminationGracePeriodSeconds, "must not be set for readinessProbes")
	}
}

// mountFaults: what stands below a volume has a path of its own.
func mountFaults(f *finder, m *corev1.VolumeMount, path *field.Path) {
	if m.MountPropagation == nil && m.RecursiveReadOnly == nil && m.SubPath == "" && m.SubPathExpr == "" {
		return
	}
	list := withoutIndex(path)
	if p := m.MountPropagation; p != nil && !slices.Contains(propagations, string(*p)) {
		f.add(field.NotSupported(list.Child("mountPropagation"), *p, propagations))
	}
	f.recursive(m, f.child(list, "recursiveReadOnly"))
	if m.SubPath != "" {
		f.invalid(list.Child("subPath"), m.SubPath, descendingPath(m.SubPath)...)
	}
	if m.SubPathExpr == "" {
		return
	}
	if m.SubPath != "" {
		f.invalid(path.Child("subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive")
	}
	f.invalid(list.Child("subPathExpr"), m.SubPathExpr, descendingPath(m.SubPathExpr)...)
}

var (
	propagations = []string{"Bidirectional", "HostToContainer", "None"}
	recursions   = []string{"Disabled", "Enabled", "IfPossible"}
)

// recursive: what is mounted below is read-only only where the mount is.
func (f *finder) recursive(m *corev1.VolumeMount, path *field.Path) {
	switch r := m.RecursiveReadOnly; {
	case r == nil || *r == corev1.RecursiveReadOnlyDisabled:
	case !slices.Contains(recursions, string(*r)):
		f.add(field.NotSupported(path, *r, recursions))
	case !m.ReadOnly:
		f.add(field.Forbidden(path, "may only be specified when readOnly is true"))
	case m.MountPropagation != nil && *m.MountPropagation != corev1.MountPropagationNone:
		f.add(field.Forbidden(path, "may only be specified when mountPropagation is None or not specified"))
	}
}

// withoutIndex is the path of the list of a member: the server names some of
// its fields so.
func withoutIndex(path *field.Path) *field.Path {
	text := path.String()
	return field.NewPath(text[:strings.LastIndexByte(text, '[')])
}

func envFaults(f *finder, e *corev1.EnvVar, path *field.Path) {
	from := e.ValueFrom
	if from == nil {
		return
	}
	at := f.child(path, "valueFrom")
	n := stated(from.FieldRef != nil, from.ResourceFieldRef != nil, from.ConfigMapKeyRef != nil, from.SecretKeyRef != nil, from.FileKeyRef != nil)
	switch {
	case n == 0:
		f.invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`")
	case e.Value != "":
		f.invalid(at, "", "may not be specified when `value` is not empty")
	case n > 1:
		f.invalid(at, "", "may not have more than one field specified at a time")
	}
	if r := from.FieldRef; r != nil && r.FieldPath != "" {
		f.fieldRef(r, at.Child("fieldRef"), envFieldPaths)
	}
	if r := from.ResourceFieldRef; r != nil {
		f.resourceRef(r, f.child(at, "resourceFieldRef"))
	}
}

// envFieldPaths and fileFieldPaths are what of a Pod a variable, or a file of a
// volume, can hold; both can hold one label or annotation.
var (
	envFieldPaths = []string{
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
		"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
	}
	fileFieldPaths = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}
	// podFieldPaths are those that the server knows for another purpose.
	podFieldPaths = []string{"metadata.annotations", "metadata.labels", "spec.restartPolicy", "spec.schedulerName", "status.phase", "spec.host"}
)

func (f *finder) fieldRef(r *corev1.ObjectFieldSelector, path *field.Path, allowed []string) {
	name, key, keyed := strings.Cut(strings.TrimSuffix(r.FieldPath, "']"), "['")
	keyed = keyed && strings.HasSuffix(r.FieldPath, "']") && name != ""
	at := path.Child("fieldPath")
	switch {
	case r.APIVersion != "" && r.APIVersion != "v1":
		f.invalid(at, r.FieldPath, "error converting fieldPath: unsupported pod version: "+r.APIVersion)
	case keyed && name == "metadata.annotations":
		f.invalid(path, strings.ToLower(key), isQualified(strings.ToLower(key))...)
	case keyed && name == "metadata.labels":
		f.invalid(path, key, isQualified(key)...)
	case keyed:
		f.invalid(at, r.FieldPath, "error converting fieldPath: field label does not support subscript: "+r.FieldPath)
	case slices.Contains(allowed, r.FieldPath):
	case r.FieldPath == "spec.host" && slices.Contains(allowed, "spec.nodeName"):
	case slices.Contains(podFieldPaths, r.FieldPath) || slices.Contains(envFieldPaths, r.FieldPath):
		f.add(field.NotSupported(at, r.FieldPath, allowed))
	default:
		f.invalid(at, r.FieldPath, "error converting fieldPath: field label not supported: "+r.FieldPath)
	}
}

var resourceFields = []string{
	"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory",
}

func (f *finder) resourceRef(r *corev1.ResourceFieldSelector, path *field.Path) {
	switch {
	case r.Resource == "":
		f.add(field.Required(path.Child("resource"), ""))
	case !slices.Contains(resourceFields, r.Resource) && !strings.HasPrefix(r.Resource, "limits.hugepages-") && !strings.HasPrefix(r.Resource, "requests.hugepages-"):
		f.add(field.NotSupported(path.Child("resource"), r.Resource, resourceFields))
	}
	f.divisor(r, path.Child("divisor"))
}

// divisors are judged by their canonical text: 1024 is none, 1Ki is one.
var divisors = []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}

func (f *finder) divisor(r *corev1.ResourceFieldSelector, path *field.Path) {
	if r.Divisor.IsZero() {
		return
	}
	of, allowed := "", divisors
	switch _, name, _ := strings.Cut(r.Resource, "."); {
	case name == "cpu":
		of, allowed = "cpu", []string{"1m", "1"}
	case name == "memory":
		of = "memory"
	case name == "ephemeral-storage":
		of = "local ephemeral storage"
	default:
		return
	}
	if slices.Contains(allowed, r.Divisor.String()) {
		return
	}
	if of == "cpu" {
		f.invalid(path, r.Resource, "only divisor's values 1m and 1 are supported with the cpu resource")
		return
	}
	f.invalid(path, r.Resource, "only divisor's values "+strings.Join(divisors, ", ")+" are supported with the "+of+" resource")
}

func envFromFaults(f *finder, e *corev1.EnvFromSource, path *field.Path) {
	switch stated(e.ConfigMapRef != nil, e.SecretRef != nil) {
	case 0:
		f.invalid(withoutIndex(path), "", "must specify one of: `configMapRef` or `secretRef`")
	case 2:
		f.invalid(withoutIndex(path), "", "may not have more than one field specified at a time")
	}
}

// probeFaults: a probe or hook does exactly one thing.
func probeFaults(f *finder, p *corev1.Probe, path *field.Path) {
	f.oneHandler(path, []handler{{"exec", p.Exec != nil}, {"httpGet", p.HTTPGet != nil}, {"tcpSocket", p.TCPSocket != nil}, {"grpc", p.GRPC != nil}})
	if p.GRPC != nil && stated(p.Exec != nil, p.HTTPGet != nil, p.TCPSocket != nil) == 0 {
		f.port(intstr.FromInt32(p.GRPC.Port), path.Child("grpc", "port"))
	}
}

func hookFaults(f *finder, h *corev1.LifecycleHandler, path *field.Path) {
	f.oneHandler(path, []handler{{"exec", h.Exec != nil}, {"httpGet", h.HTTPGet != nil}, {"tcpSocket", h.TCPSocket != nil}, {"sleep", h.Sleep != nil}})
}

type handler struct {
	name string
	set  bool
}

func (f *finder) oneHandler(path *field.Path, all []handler) {
	n := 0
	for _, h := range all {
		if !h.set {
			continue
		}
		if n++; n > 1 {
			f.add(field.Forbidden(path.Child(h.name), "may not specify more than 1 handler type"))
		}
	}
	if n == 0 {
		f.add(field.Required(path, "must specify a handler type"))
	}
}

func httpFaults(f *finder, h *corev1.HTTPGetAction, path *field.Path) {
	f.port(h.Port, path.Child("port"))
	for _, header := range h.HTTPHeaders {
		f.invalid(path.Child("httpHeaders"), header.Name, validation.IsHTTPHeaderName(header.Name)...)
	}
}

func tcpFaults(f *finder, a *corev1.TCPSocketAction, path *field.Path) {
	f.port(a.Port, path.Child("port"))
}

func (f *finder) port(p intstr.IntOrString, path *field.Path) {
	if p.Type == intstr.Int {
		f.invalid(path, p.IntValue(), validation.IsValidPortNum(p.IntValue())...)
		return
	}
	f.invalid(path, p.StrVal, validation.IsValidPortName(p.StrVal)...)
}

// amountFaults: what is asked for is no more than the limit, and equal to it
// where nothing can be overcommitted.
func amountFaults(f *finder, r *corev1.ResourceRequirements, path *field.Path) {
	f.amounts(r.Limits, f.child(path, "limits"))
	f.amounts(r.Requests, f.child(path, "requests"))
	for _, name := range sortedNames(r.Requests) {
		request := r.Requests[name]
		limit, limited := r.Limits[name]
		switch {
		case !limited && !overcommits(name):
			f.add(field.Required(path.Child("limits"), "Limit must be set for non overcommitable resources"))
		case limited && !overcommits(name) && request.Cmp(limit) != 0:
			f.invalid(path.Child("requests"), request.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String()))
		case limited && request.Cmp(limit) > 0:
			f.invalid(path.Child("requests"), request.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String()))
		}
	}
}

const hugePages = "hugepages-"

// overcommits says that more of a resource may be promised than there is.
func overcommits(name corev1.ResourceName) bool {
	return native(name) && !strings.HasPrefix(string(name), hugePages)
}

func native(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

func (f *finder) amounts(list corev1.ResourceList, path *field.Path) {
	for _, name := range sortedNames(list) {
		q, at := list[name], path.Key(string(name))
		f.resourceName(name, at)
		if q.Cmp(resource.Quantity{}) < 0 {
			f.invalid(at, q.String(), notNegative.text)
		}
		if !native(name) && q.MilliValue()%1000 != 0 {
			f.invalid(at, q.DeepCopy(), "must be an integer")
		}
	}
}

func (f *finder) resourceName(name corev1.ResourceName, path *field.Path) {
	texts := isQualified(string(name))
	switch {
	case len(texts) > 0:
		f.invalid(path, name, texts...)
	case !strings.Contains(string(name), "/") && name != "cpu" && name != "memory" && name != "ephemeral-storage" && !strings.HasPrefix(string(name), hugePages):
		f.invalid(path, name, "must be a standard resource for containers")
	}
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func contextFaults(f *finder, s *corev1.SecurityContext, path *field.Path) {
	if s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation {
		return
	}
	if isTrue(s.Privileged) {
		f.add(field.Invalid(path, field.OmitValueType{}, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
	}
	if s.Capabilities != nil && slices.Contains(s.Capabilities.Add, "CAP_SYS_ADMIN") {
		f.add(field.Invalid(path, field.OmitValueType{}, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
	}
}

func seccompFaults(f *finder, p *corev1.SeccompProfile, path *field.Path) {
	at := path.Child("localhostProfile")
	switch {
	case p.Type == corev1.SeccompProfileTypeLocalhost && p.LocalhostProfile == nil:
		f.add(field.Required(at, "must be set when seccomp type is Localhost"))
	case p.Type == corev1.SeccompProfileTypeLocalhost:
		f.invalid(at, *p.LocalhostProfile, descendingPath(*p.LocalhostProfile)...)
	case p.LocalhostProfile != nil:
		f.add(field.Invalid(at, field.OmitValueType{}, "can only be set when seccomp type is Localhost"))
	}
}

func appArmorFaults(f *finder, p *corev1.AppArmorProfile, path *field.Path) {
	at := path.Child("localhostProfile")
	switch {
	case p.Type == corev1.AppArmorProfileTypeLocalhost && (p.LocalhostProfile == nil || *p.LocalhostProfile == ""):
		f.add(field.Required(at, "must be set when AppArmor type is Localhost"))
	case p.Type == corev1.AppArmorProfileTypeLocalhost && strings.TrimSpace(*p.LocalhostProfile) != *p.LocalhostProfile:
		f.invalid(at, *p.LocalhostProfile, "must not be padded with whitespace")
	case (p.Type == corev1.AppArmorProfileTypeRuntimeDefault || p.Type == corev1.AppArmorProfileTypeUnconfined) && p.LocalhostProfile != nil:
		f.invalid(at, *p.LocalhostProfile, "can only be set when AppArmor type is Localhost")
	}
}
