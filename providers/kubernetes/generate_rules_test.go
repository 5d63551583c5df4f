package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rules are between the fields of one object; they are kept when it is filled.
var rules = map[string]func(*maker, any){
	"Container":                    ruleOf(ruleContainer),
	"JobSpec":                      ruleOf(ruleJob),
	"SecurityContext":              ruleOf(ruleSecurity),
	"SeccompProfile":               ruleOf(ruleSeccomp),
	"AppArmorProfile":              ruleOf(ruleAppArmor),
	"Toleration":                   ruleOf(ruleToleration),
	"NodeSelectorRequirement":      ruleOf(ruleNodeSelector),
	"NodeSelectorTerm":             ruleOf(ruleNodeTerm),
	"LabelSelectorRequirement":     ruleOf(ruleLabelSelector),
	"TopologySpreadConstraint":     ruleOf(ruleSpread),
	"ResourceFieldSelector":        ruleOf(ruleResourceField),
	"ResourceRequirements":         ruleOf(ruleAmounts),
	"VolumeMount":                  ruleOf(ruleMount),
	"ISCSIVolumeSource":            ruleOf(ruleISCSI),
	"FCVolumeSource":               ruleOf(ruleFC),
	"AzureDiskVolumeSource":        ruleOf(ruleAzureDisk),
	"DownwardAPIVolumeFile":        ruleOf(ruleDownward),
	"PersistentVolumeClaimSpec":    ruleOf(ruleClaim),
	"ClusterTrustBundleProjection": ruleOf(ruleTrust),
}

func ruleOf[T any](rule func(*maker, *T)) func(*maker, any) {
	return func(m *maker, v any) { rule(m, v.(*T)) }
}

// ruleContainer: one success is enough for a probe of life.
func ruleContainer(m *maker, c *corev1.Container) {
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.StartupProbe} {
		if p != nil && p.SuccessThreshold > 1 {
			p.SuccessThreshold = 1
		}
	}
}

func ruleJob(m *maker, j *batchv1.JobSpec) {
	if j.BackoffLimitPerIndex != nil || j.MaxFailedIndexes != nil || j.SuccessPolicy != nil {
		j.CompletionMode = ptr(batchv1.IndexedCompletion)
	}
	if j.CompletionMode != nil && *j.CompletionMode == batchv1.IndexedCompletion {
		j.Completions = ptr(int32(5 + m.rnd.IntN(4)))
	}
	if j.MaxFailedIndexes != nil && j.BackoffLimitPerIndex == nil {
		j.BackoffLimitPerIndex = ptr(int32(1))
	}
	if j.PodFailurePolicy == nil {
		return
	}
	if j.PodReplacementPolicy != nil {
		j.PodReplacementPolicy = ptr(batchv1.Failed)
	}
	j.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	for i := range j.PodFailurePolicy.Rules {
		if r := &j.PodFailurePolicy.Rules[i]; r.Action == batchv1.PodFailurePolicyActionFailIndex && j.BackoffLimitPerIndex == nil {
			r.Action = batchv1.PodFailurePolicyActionFailJob
		}
	}
}

func ruleSecurity(m *maker, s *corev1.SecurityContext) {
	if s.Privileged != nil && *s.Privileged && s.AllowPrivilegeEscalation != nil {
		s.AllowPrivilegeEscalation = ptr(true)
	}
}

func ruleSeccomp(m *maker, p *corev1.SeccompProfile) {
	p.LocalhostProfile = nil
	if p.Type == corev1.SeccompProfileTypeLocalhost {
		p.LocalhostProfile = ptr("profiles/" + m.word())
	}
}

func ruleAppArmor(m *maker, p *corev1.AppArmorProfile) {
	p.LocalhostProfile = nil
	if p.Type == corev1.AppArmorProfileTypeLocalhost {
		p.LocalhostProfile = ptr("profile " + m.word())
	}
}

func ruleToleration(m *maker, t *corev1.Toleration) {
	if t.TolerationSeconds != nil {
		t.Effect = corev1.TaintEffectNoExecute
	}
	if t.Key == "" {
		t.Operator = corev1.TolerationOpExists
	}
	if t.Operator == corev1.TolerationOpExists || m.rnd.IntN(2) == 0 {
		t.Value = ""
	}
}

func ruleNodeSelector(m *maker, r *corev1.NodeSelectorRequirement) {
	switch r.Operator {
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		r.Values = nil
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		r.Values = []string{fmt.Sprint(m.rnd.IntN(9))}
	default:
		if len(r.Values) == 0 {
			r.Values = []string{"a"}
		}
	}
}

func ruleNodeTerm(m *maker, t *corev1.NodeSelectorTerm) {
	for i := range t.MatchFields {
		t.MatchFields[i] = corev1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: []corev1.NodeSelectorOperator{corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn}[m.rnd.IntN(2)], Values: []string{m.word()}}
	}
}

func ruleLabelSelector(m *maker, r *metav1.LabelSelectorRequirement) {
	if r.Operator == metav1.LabelSelectorOpExists || r.Operator == metav1.LabelSelectorOpDoesNotExist {
		r.Values = nil
	} else if len(r.Values) == 0 {
		r.Values = []string{"a", "b"}
	}
}

func ruleSpread(m *maker, s *corev1.TopologySpreadConstraint) {
	if s.MinDomains != nil {
		s.WhenUnsatisfiable = corev1.DoNotSchedule
	}
}

func ruleResourceField(m *maker, r *corev1.ResourceFieldSelector) {
	switch d := r.Divisor.String(); {
	case d == "1Mi" && strings.HasSuffix(r.Resource, "cpu"):
		r.Divisor = resource.MustParse("1m")
	case d == "1m" && !strings.HasSuffix(r.Resource, "cpu"):
		r.Divisor = resource.MustParse("1Mi")
	}
}

// ruleAmounts: a request is not above its limit, and equal to it where nothing
// can be overcommitted.
func ruleAmounts(m *maker, r *corev1.ResourceRequirements) {
	for name, limit := range r.Limits {
		request, asked := r.Requests[name]
		switch {
		case name != "cpu" && name != "memory" && name != "ephemeral-storage":
			if r.Requests != nil {
				r.Requests[name] = limit
			}
		case asked && request.Cmp(limit) > 0:
			r.Limits[name], r.Requests[name] = request, limit
		}
	}
}

func ruleMount(m *maker, v *corev1.VolumeMount) {
	if v.SubPathExpr != "" {
		v.SubPath = ""
	}
	if v.RecursiveReadOnly != nil && *v.RecursiveReadOnly != corev1.RecursiveReadOnlyDisabled {
		v.ReadOnly, v.MountPropagation = true, nil
	}
}

func ruleISCSI(m *maker, s *corev1.ISCSIVolumeSource) {
	if (s.DiscoveryCHAPAuth || s.SessionCHAPAuth) && s.SecretRef == nil {
		s.SecretRef = &corev1.LocalObjectReference{Name: m.word()}
	}
}

func ruleFC(m *maker, s *corev1.FCVolumeSource) {
	s.Lun = nil
	if len(s.TargetWWNs) > 0 {
		s.Lun = ptr(int32(m.rnd.IntN(256)))
	}
}

func ruleAzureDisk(m *maker, s *corev1.AzureDiskVolumeSource) {
	if s.Kind != nil && *s.Kind == corev1.AzureManagedDisk {
		s.DataDiskURI = "/subscriptions/" + m.word()
	}
}

// ruleDownward: a file of a volume names its container, and not all fields.
func ruleDownward(m *maker, f *corev1.DownwardAPIVolumeFile) {
	if f.ResourceFieldRef != nil && f.ResourceFieldRef.ContainerName == "" {
		f.ResourceFieldRef.ContainerName = "main"
	}
}

func ruleClaim(m *maker, c *corev1.PersistentVolumeClaimSpec) {
	if c.DataSource != nil && c.DataSourceRef != nil && m.rnd.IntN(3) > 0 {
		if c.DataSource = nil; m.rnd.IntN(2) == 0 {
			c.DataSource, c.DataSourceRef = &corev1.TypedLocalObjectReference{APIGroup: c.DataSourceRef.APIGroup, Kind: c.DataSourceRef.Kind, Name: c.DataSourceRef.Name}, nil
		}
	}
	if c.DataSource != nil && c.DataSourceRef != nil {
		c.DataSourceRef = &corev1.TypedObjectReference{APIGroup: c.DataSource.APIGroup, Kind: c.DataSource.Kind, Name: c.DataSource.Name}
	}
	if c.DataSource != nil && c.DataSource.APIGroup == nil {
		c.DataSource.Kind = "PersistentVolumeClaim"
	}
	if c.DataSourceRef != nil && c.DataSourceRef.APIGroup == nil {
		c.DataSourceRef.Kind = "PersistentVolumeClaim"
	}
	if c.DataSourceRef != nil && c.DataSourceRef.Namespace != nil {
		c.DataSource = nil
	}
	for name, limit := range c.Resources.Limits {
		if request := c.Resources.Requests[name]; request.Cmp(limit) > 0 {
			c.Resources.Requests[name], c.Resources.Limits[name] = limit, request
		}
	}
}

func ruleTrust(m *maker, p *corev1.ClusterTrustBundleProjection) {
	if p.Name != nil {
		p.LabelSelector = nil
	}
}

// agree keeps the rules between objects that stand far apart.
func (m *maker) agree(cj *batchv1.CronJob) {
	job := &cj.Spec.JobTemplate.Spec
	pod := &job.Template.Spec
	m.kind(pod)
	m.hosts(pod)
	m.dns(pod)
	m.spread(pod)
	all := m.containers(pod)
	m.uniqueNames(pod, all)
	m.volumes(pod, all)
	m.resources(pod, all)
	for _, c := range all {
		m.container(pod, c)
	}
	if p := job.PodFailurePolicy; p != nil {
		for i := range p.Rules {
			if r := p.Rules[i].OnExitCodes; r != nil && r.ContainerName != nil {
				r.ContainerName = ptr(all[m.rnd.IntN(len(all))].Name)
			}
		}
	}
	if p := job.SuccessPolicy; p != nil {
		for i := range p.Rules {
			if p.Rules[i].SucceededCount == nil && m.rnd.IntN(3) == 0 {
				p.Rules[i].SucceededIndexes, p.Rules[i].SucceededCount = nil, ptr(int32(2))
			}
		}
	}
}

func (m *maker) containers(pod *corev1.PodSpec) []*corev1.Container {
	var all []*corev1.Container
	for i := range pod.InitContainers {
		all = append(all, &pod.InitContainers[i])
	}
	for i := range pod.Containers {
		all = append(all, &pod.Containers[i])
	}
	return all
}

// kind makes the pod one of Windows, or of Linux, or leaves it open.
func (m *maker) kind(pod *corev1.PodSpec) {
	windows := pod.SecurityContext != nil && pod.SecurityContext.WindowsOptions != nil
	var contexts []*corev1.SecurityContext
	for _, c := range m.containers(pod) {
		if c.SecurityContext != nil {
			contexts = append(contexts, c.SecurityContext)
			windows = windows || c.SecurityContext.WindowsOptions != nil
		}
	}
	if pod.OS != nil && windows && m.rnd.IntN(2) == 0 {
		pod.OS.Name = corev1.Windows
		pod.HostUsers, pod.HostPID, pod.HostIPC, pod.ShareProcessNamespace, pod.Resources = nil, false, false, nil, nil
		if pod.SecurityContext != nil {
			pod.SecurityContext = &corev1.PodSecurityContext{WindowsOptions: pod.SecurityContext.WindowsOptions, RunAsNonRoot: pod.SecurityContext.RunAsNonRoot}
		}
		for _, s := range contexts {
			*s = corev1.SecurityContext{WindowsOptions: s.WindowsOptions, RunAsNonRoot: s.RunAsNonRoot}
		}
		return
	}
	if pod.OS != nil {
		if pod.SecurityContext != nil {
			pod.SecurityContext.WindowsOptions = nil
		}
		for _, s := range contexts {
			s.WindowsOptions = nil
		}
	}
}

// hosts: what is shared with the host, and what then is not allowed.
func (m *maker) hosts(pod *corev1.PodSpec) {
	if pod.HostUsers != nil && !*pod.HostUsers {
		pod.HostNetwork, pod.HostPID, pod.HostIPC = false, false, false
	}
	if pod.HostPID && pod.ShareProcessNamespace != nil {
		pod.ShareProcessNamespace = ptr(false)
	}
	if pod.SetHostnameAsFQDN != nil && *pod.SetHostnameAsFQDN || pod.HostNetwork {
		pod.HostnameOverride = nil
	}
	if s := pod.SecurityContext; s != nil && (pod.HostNetwork || pod.HostIPC) {
		s.Sysctls = nil
	}
}

func (m *maker) dns(pod *corev1.PodSpec) {
	if pod.DNSPolicy == corev1.DNSNone {
		if pod.DNSConfig == nil {
			pod.DNSConfig = &corev1.PodDNSConfig{}
		}
		pod.DNSConfig.Nameservers = []string{"10.0.0.10"}
	}
}

// spread: no label key stands in a selector and beside it.
func (m *maker) spread(pod *corev1.PodSpec) {
	if len(pod.TopologySpreadConstraints) > 1 && m.rnd.IntN(2) == 0 {
		s := pod.TopologySpreadConstraints[:2]
		s[1].TopologyKey, s[0].WhenUnsatisfiable, s[1].WhenUnsatisfiable, s[1].MinDomains = s[0].TopologyKey, corev1.DoNotSchedule, corev1.ScheduleAnyway, nil
	}
}

func (m *maker) uniqueNames(pod *corev1.PodSpec, all []*corev1.Container) {
	ports := map[string]bool{}
	for _, c := range all {
		c.Ports = slices.DeleteFunc(c.Ports, func(p corev1.ContainerPort) bool {
			own := fmt.Sprint(p.ContainerPort, p.Protocol)
			host := fmt.Sprint(p.HostPort, "host")
			twice := ports[own] || p.HostPort != 0 && ports[host]
			ports[own], ports[host] = true, true
			return twice
		})
		for i := range c.Ports {
			if p := &c.Ports[i]; pod.HostNetwork && p.HostPort != 0 {
				p.HostPort = p.ContainerPort
			}
		}
	}
}

// volumes: what a container mounts, opens as a device or reads as a file is
// there, and of the right kind.
func (m *maker) volumes(pod *corev1.PodSpec, all []*corev1.Container) {
	var block, files, empty []string
	for i := range pod.Volumes {
		v := &pod.Volumes[i]
		if v.ISCSI != nil && v.ISCSI.InitiatorName != nil {
			v.ISCSI.TargetPortal = "10.0.0.5"
		}
		switch {
		case v.PersistentVolumeClaim != nil || v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate.Spec.VolumeMode != nil:
			block = append(block, v.Name)
		case v.EmptyDir != nil:
			empty = append(empty, v.Name)
			fallthrough
		default:
			files = append(files, v.Name)
		}
	}
	add := func(source corev1.VolumeSource) string {
		name := m.word()
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: name, VolumeSource: source})
		return name
	}
	for _, c := range all {
		if len(c.VolumeMounts) > 0 && len(files) == 0 {
			files = append(files, add(corev1.VolumeSource{}))
		}
		for i := range c.VolumeMounts {
			c.VolumeMounts[i].Name = files[m.rnd.IntN(len(files))]
			if p := c.VolumeMounts[i].MountPropagation; p != nil && *p == corev1.MountPropagationBidirectional && !privileged(c) {
				c.VolumeMounts[i].MountPropagation = ptr(corev1.MountPropagationHostToContainer)
			}
		}
		if pod.HostUsers != nil && !*pod.HostUsers {
			c.VolumeDevices = nil
		}
		if len(c.VolumeDevices) > 0 && m.rnd.IntN(3) == 0 { // one that no container has
			block = append(block, add(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: m.word()}}))
		}
		for i := range c.VolumeDevices {
			if i == len(block) {
				block = append(block, add(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: m.word()}}))
			}
			c.VolumeDevices[i].Name = block[i]
		}
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.FileKeyRef != nil {
				if len(empty) == 0 || len(empty) == 1 && m.rnd.IntN(2) == 0 {
					empty = append(empty, add(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}))
				}
				e.ValueFrom.FileKeyRef.VolumeName = empty[0]
				e.ValueFrom.FileKeyRef.Key = "K_" + strings.ReplaceAll(m.word(), "-", "_")
			}
		}
	}
}

func privileged(c *corev1.Container) bool {
	return c.SecurityContext != nil && isTrue(c.SecurityContext.Privileged)
}

// resources: those of a pod hold all that its containers ask for, and a claim
// of a container is one of the pod's.
func (m *maker) resources(pod *corev1.PodSpec, all []*corev1.Container) {
	if r := pod.Resources; r != nil {
		r.Claims = nil
		if r.Limits != nil {
			r.Limits = corev1.ResourceList{"cpu": resource.MustParse("900"), "memory": resource.MustParse("900Ti")}
		}
		if r.Requests != nil {
			r.Requests = corev1.ResourceList{"cpu": resource.MustParse("800"), "memory": resource.MustParse("800Ti")}
		}
	}
	for _, c := range all {
		for i := range c.Resources.Claims {
			if i >= len(pod.ResourceClaims) {
				pod.ResourceClaims = append(pod.ResourceClaims, corev1.PodResourceClaim{Name: m.word(), ResourceClaimName: ptr(m.word())})
			}
			c.Resources.Claims[i].Name = pod.ResourceClaims[i].Name
		}
	}
}

// container keeps what depends on the pod and on where the container stands in
// it.
func (m *maker) container(pod *corev1.PodSpec, c *corev1.Container) {
	init := slices.ContainsFunc(pod.InitContainers, func(i corev1.Container) bool { return i.Name == c.Name })
	always := c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
	if init && !always {
		if c.Lifecycle != nil || c.LivenessProbe != nil || c.ReadinessProbe != nil || c.StartupProbe != nil {
			c.RestartPolicy, always = ptr(corev1.ContainerRestartPolicyAlways), true
		}
	}
	if len(c.RestartPolicyRules) > 0 && c.RestartPolicy == nil {
		c.RestartPolicy = ptr(corev1.ContainerRestartPolicyNever)
	}
	seen := map[corev1.ResourceName]bool{}
	c.ResizePolicy = slices.DeleteFunc(c.ResizePolicy, func(p corev1.ContainerResizePolicy) bool {
		twice := seen[p.ResourceName]
		seen[p.ResourceName] = true
		return twice
	})
	for i := range c.ResizePolicy {
		if pod.RestartPolicy == corev1.RestartPolicyNever || init && !always {
			c.ResizePolicy[i].RestartPolicy = corev1.NotRequired
		}
	}
	if s := c.SecurityContext; s != nil && s.ProcMount != nil && (pod.HostUsers == nil || *pod.HostUsers) {
		s.ProcMount = ptr(corev1.DefaultProcMount)
	}
	if l := c.Lifecycle; l != nil && l.StopSignal != nil {
		switch {
		case pod.OS == nil:
			l.StopSignal = nil
		case pod.OS.Name == corev1.Windows:
			l.StopSignal = ptr(corev1.SIGTERM)
		}
	}
	for i := range c.Env {
		if r := c.Env[i].ValueFrom; r != nil && r.FieldRef != nil && m.rnd.IntN(3) == 0 {
			r.FieldRef.FieldPath = []string{"status.podIP", "spec.nodeName", "spec.serviceAccountName", "status.hostIPs"}[m.rnd.IntN(4)]
		}
	}
}
