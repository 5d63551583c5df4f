package kubernetes

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// imageReference is the grammar of an image's name as the server reads it
// (github.com/distribution/reference): host and path, tag, digest. A name that
// does not fit has no tag there.
var imageReference = lazy.Expression(`^(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?/|\[[a-fA-F0-9:]+\](?::[0-9]+)?/)?` +
	`[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*` +
	`(?::([\w][\w.-]{0,127}))?` +
	`(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`)

// imageID is what the server takes for an image's id, which is no reference.
var imageID = lazy.Expression(`^[a-f0-9]{64}$`)

// pullPolicy is what the server makes of a missing imagePullPolicy: Always for
// the tag latest and for neither tag nor digest, else IfNotPresent.
func pullPolicy(image string) corev1.PullPolicy {
	m := imageReference().FindStringSubmatch(image)
	if m != nil && !imageID().MatchString(image) && (m[1] == "latest" || m[1] == "" && m[2] == "") {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}
