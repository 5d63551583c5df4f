package kubernetes

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// oneSource: a volume is of one type.
func (f *finder) oneSource(s *corev1.VolumeSource, path *field.Path) {
	v, n := reflect.ValueOf(s).Elem(), stated(s.EmptyDir != nil)
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			continue
		}
		name, _ := jsonName(v.Type().Field(i))
		if name == "emptyDir" {
			continue
		}
		if n++; n > 1 {
			f.add(field.Forbidden(path.Child(forbiddenName(name)), "may not specify more than 1 volume type"))
		}
	}
	f.source(s, path)
}

// forbiddenName is how the server writes a type of volumes there.
func forbiddenName(name string) string {
	switch name {
	case "downwardAPI":
		return "downwarAPI"
	case "cephfs":
		return "cephFS"
	}
	return name
}

// source are the faults of the types of volumes that jobs use.
func (f *finder) source(s *corev1.VolumeSource, path *field.Path) {
	switch {
	case s.EmptyDir != nil && s.EmptyDir.SizeLimit != nil && s.EmptyDir.SizeLimit.Sign() < 0:
		f.add(field.Forbidden(path.Child("emptyDir", "sizeLimit"), "SizeLimit field must be a valid resource quantity"))
	case s.NFS != nil && s.NFS.Path != "" && !strings.HasPrefix(s.NFS.Path, "/"):
		f.invalid(path.Child("nfs", "path"), s.NFS.Path, "must be an absolute path")
	case s.CSI != nil && s.CSI.Driver != "":
		f.invalid(path.Child("csi", "driver"), s.CSI.Driver, isSubdomain(strings.ToLower(s.CSI.Driver))...)
	case s.DownwardAPI != nil:
		for i := range s.DownwardAPI.Items {
			f.downwardFile(&s.DownwardAPI.Items[i], path.Child("downwardAPI"))
		}
	}
}

// downwardFile is a file with a part of the pod. The server names the list that
// it stands in, not the file.
func (f *finder) downwardFile(file *corev1.DownwardAPIVolumeFile, path *field.Path) {
	if file.Path == "" {
		f.add(field.Required(path.Child("path"), ""))
	}
	f.invalid(path.Child("path"), file.Path, localPath(file.Path)...)
	switch {
	case file.FieldRef != nil && file.ResourceFieldRef != nil:
		f.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
	case file.FieldRef != nil && file.FieldRef.FieldPath == "":
		f.add(field.Required(path.Child("fieldRef", "fieldPath"), ""))
	case file.FieldRef != nil:
		f.fieldRef(file.FieldRef, path.Child("fieldRef"), fileFieldPaths)
	case file.ResourceFieldRef != nil && file.ResourceFieldRef.ContainerName == "":
		f.add(field.Required(path.Child("resourceFieldRef", "containerName"), ""))
	case file.ResourceFieldRef != nil:
		f.resourceRef(file.ResourceFieldRef, f.child(path, "resourceFieldRef"))
	case file.FieldRef == nil:
		f.add(field.Required(path, "one of fieldRef and resourceFieldRef is required"))
	}
	if m := file.Mode; m != nil && (*m < 0 || *m > 0o777) {
		f.invalid(path.Child("mode"), *m, fileMode.text)
	}
}

// projectedFaults: each source is of one type, and no two files have one path.
func projectedFaults(f *finder, p *corev1.ProjectedVolumeSource, path *field.Path) {
	seen := map[string]bool{}
	file := func(name any, of string) {
		if of != "" && seen[of] {
			f.invalid(path, name, "conflicting duplicate paths")
		}
		seen[of] = true
	}
	for i, s := range p.Sources {
		at := path.Child("sources").Index(i)
		if stated(s.Secret != nil, s.ConfigMap != nil, s.DownwardAPI != nil, s.ServiceAccountToken != nil, s.ClusterTrustBundle != nil, s.PodCertificate != nil) > 1 {
			f.add(field.Forbidden(at, "may not specify more than 1 volume type per source"))
		}
		switch {
		case s.Secret != nil:
			for _, item := range s.Secret.Items {
				file(s.Secret.Name, item.Path)
			}
		case s.ConfigMap != nil:
			for _, item := range s.ConfigMap.Items {
				file(s.ConfigMap.Name, item.Path)
			}
		case s.DownwardAPI != nil:
			for j := range s.DownwardAPI.Items {
				f.downwardFile(&s.DownwardAPI.Items[j], at.Child("downwardAPI"))
				file(s.DownwardAPI.Items[j].Path, s.DownwardAPI.Items[j].Path)
			}
		case s.ServiceAccountToken != nil:
			f.token(s.ServiceAccountToken, at.Child("serviceAccountToken"), path.Child("path"))
		}
	}
}

const shortestToken, longestToken = 10 * 60, 1 << 32

func (f *finder) token(t *corev1.ServiceAccountTokenProjection, path, file *field.Path) {
	if n := t.ExpirationSeconds; n != nil && *n < shortestToken {
		f.invalid(path.Child("expirationSeconds"), *n, "may not specify a duration less than 10 minutes")
	} else if n != nil && *n > longestToken {
		f.invalid(path.Child("expirationSeconds"), *n, "may not specify a duration larger than 2^32 seconds")
	}
	if t.Path == "" {
		f.add(field.Required(file, ""))
	}
	f.invalid(file, t.Path, localPath(t.Path)...)
}

// claimTemplateFaults: a claim that is made for the pod has labels and
// annotations.
func claimTemplateFaults(f *finder, t *corev1.PersistentVolumeClaimTemplate, path *field.Path) {
	f.labels(t.Labels, path.Child("metadata", "labels"))
	f.annotations(t.Annotations, path.Child("metadata", "annotations"))
}

// claimFaults are those of a claim that is made for the pod.
func claimFaults(f *finder, c *corev1.PersistentVolumeClaimSpec, path *field.Path) {
	at := path.Child("resources").Key("storage")
	switch q, ok := c.Resources.Requests[corev1.ResourceStorage]; {
	case !ok:
		f.add(field.Required(at, ""))
	case q.Sign() <= 0:
		f.invalid(at, q.String(), positive.text)
	}
	modes := []string{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}
	alone := 0
	for _, mode := range c.AccessModes {
		switch mode {
		case corev1.ReadWriteOncePod:
			alone++
		case corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce:
		default:
			f.add(field.NotSupported(path.Child("accessModes"), mode, modes))
		}
	}
	if alone > 0 && alone < len(c.AccessModes) {
		f.add(field.Forbidden(path.Child("accessModes"), "may not use ReadWriteOncePod with other access modes"))
	}
	if n := c.StorageClassName; n != nil && *n != "" {
		f.invalid(path.Child("storageClassName"), *n, isSubdomain(*n)...)
	}
}
