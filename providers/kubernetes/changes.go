package kubernetes

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
)

// changesOf says which client wrote which fields last, and when.
func changesOf(entries []metav1.ManagedFieldsEntry) []providers.Change {
	return nil
}
