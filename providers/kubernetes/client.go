package kubernetes

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// NewClient is a client for New: batch/v1 in protobuf, with JSON where a proxy
// does not pass that on, no limit of its own to the rate of requests (the
// server has its own, and the default of 5 a second makes a hundred namespaces
// take 18 seconds), and silent about the server's warnings. It speaks HTTP/1.1
// unless cfg says otherwise: of a few long answers, each on a connection of its
// own, HTTP/2 only makes more work, for either side.
func NewClient(cfg *rest.Config) (rest.Interface, error) {
	c := rest.CopyConfig(cfg)
	scheme := runtime.NewScheme()
	if err := batchv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c.GroupVersion = &batchv1.SchemeGroupVersion
	c.APIPath = "/apis"
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	c.ContentType = runtime.ContentTypeProtobuf
	c.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	if c.NextProtos == nil {
		c.NextProtos = []string{"http/1.1"}
	}
	c.QPS, c.RateLimiter = -1, nil
	c.WarningHandler, c.WarningHandlerWithContext = rest.NoWarnings{}, nil
	return rest.RESTClientFor(c)
}

// LoadConfig finds out how to connect, by kubectl's rules: the file kubeconfig
// if it is given, else those of $KUBECONFIG merged, else ~/.kube/config, and
// inside a pod its service account where there is none of these. The context is
// the current one unless one is named. The namespace given back is the one that
// the context, or namespace, states, and default otherwise.
func LoadConfig(kubeconfig, context, namespace string) (*rest.Config, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	rules.WarnIfAllMissing = false
	overrides := &clientcmd.ConfigOverrides{CurrentContext: context}
	overrides.Context.Namespace = namespace
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, "", explainConfig(err, rules, context)
	}
	ns, _, err := loader.Namespace()
	return cfg, ns, err
}

// explainConfig adds the next step to what clientcmd says.
func explainConfig(err error, rules *clientcmd.ClientConfigLoadingRules, context string) error {
	files := strings.Join(rules.GetLoadingPrecedence(), ", ")
	raw, rawErr := rules.Load()
	if rawErr != nil {
		return fmt.Errorf("kubeconfig %s: %w", files, err)
	}
	names := strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", ")
	switch {
	case context != "" && raw.Contexts[context] == nil:
		return noContext(context, rules.GetLoadingPrecedence(), names)
	case context == "" && raw.CurrentContext == "" && names != "":
		return fmt.Errorf("%s has no current context; name one of these with --context: %s", files, names)
	case clientcmd.IsEmptyConfig(err):
		return fmt.Errorf("no kubeconfig says how to reach a cluster (looked at %s); set KUBECONFIG, or name a file with --kubeconfig", files)
	}
	return fmt.Errorf("kubeconfig %s: %w", files, err)
}

// noContext says what there is where a context is missing: others by their
// names, files without any, or no file.
func noContext(context string, files []string, names string) error {
	there := slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		_, err := os.Stat(f)
		return errors.Is(err, fs.ErrNotExist)
	})
	switch {
	case names != "":
		return fmt.Errorf("context %q is not in %s, which has: %s; name one of these, or another file with --kubeconfig", context, strings.Join(there, ", "), names)
	case len(there) > 0:
		return fmt.Errorf("context %q is not in %s, which has no context at all; name the file that has it with KUBECONFIG or --kubeconfig, or get one from who runs the cluster", context, strings.Join(there, ", "))
	}
	return fmt.Errorf("context %q cannot be looked up, since no kubeconfig was found (looked at %s); set KUBECONFIG, or name a file with --kubeconfig", context, strings.Join(files, ", "))
}
