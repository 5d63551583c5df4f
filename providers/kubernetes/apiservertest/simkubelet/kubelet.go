// Package simkubelet is a node that runs nothing: it takes every pod, and ends
// each as its annotations ask, so that the real controllers have something to
// control. It stands for scheduler and kubelet in tests.
package simkubelet

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/workqueue"
)

// Main runs the node until it is told to end. It takes --kubeconfig and --node.
func Main(args []string) int {
	flags := flag.NewFlagSet("kubelet", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "who to be, and which server")
	node := flags.String("node", "sim-1", "the node's name")
	_ = flags.Parse(args)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *node); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "kubelet:", err)
		return 1
	}
	return 0
}

type kubelet struct {
	client kubernetes.Interface
	node   string
	pods   corelisters.PodLister
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func run(ctx context.Context, kubeconfig, node string) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS = -1 // the only client of a test's server
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	k := &kubelet{client: client, node: node, pods: factory.Core().V1().Pods().Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())}
	if err := k.register(ctx); err != nil {
		return fmt.Errorf("node %s: %w", node, err)
	}
	if err := k.follow(factory); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	context.AfterFunc(ctx, k.queue.ShutDown)
	for k.next(ctx) {
	}
	return nil
}

// follow puts the name of each pod that changes into the queue.
func (k *kubelet) follow(factory informers.SharedInformerFactory) error {
	add := func(o any) {
		if name, err := cache.ObjectToName(o); err == nil {
			k.queue.Add(name)
		}
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, o any) { add(o) }})
	return err
}

// next does one step of one pod, and comes back to it if that failed.
func (k *kubelet) next(ctx context.Context) bool {
	name, down := k.queue.Get()
	if down {
		return false
	}
	defer k.queue.Done(name)
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if err == nil {
		err = k.act(ctx, name, pod)
	}
	switch {
	case err == nil || apierrors.IsNotFound(err):
		k.queue.Forget(name)
	case ctx.Err() == nil:
		k.queue.AddRateLimited(name)
	}
	return true
}

func (k *kubelet) act(ctx context.Context, name cache.ObjectName, p *corev1.Pod) error {
	pods := k.client.CoreV1().Pods(p.Namespace)
	s := decide(p, k.node, time.Now())
	switch s.verb {
	case later:
		k.queue.AddAfter(name, s.wait)
	case bind:
		return pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: p.Name, UID: p.UID},
			Target: corev1.ObjectReference{Kind: "Node", Name: k.node}}, metav1.CreateOptions{})
	case remove:
		now := int64(0)
		return pods.Delete(ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(p.UID))})
	case report:
		// With the version that was decided on: a step from an old view is refused.
		patch, err := json.Marshal(map[string]any{"status": s.status,
			"metadata": map[string]any{"uid": p.UID, "resourceVersion": p.ResourceVersion}})
		if err != nil {
			return err
		}
		_, err = pods.Patch(ctx, p.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
		return err
	}
	return nil
}

// register makes the node, large and ready.
func (k *kubelet) register(ctx context.Context) error {
	nodes := k.client.CoreV1().Nodes()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: k.node, Labels: map[string]string{corev1.LabelHostname: k.node}}}
	if _, err := nodes.Create(ctx, n, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	now := metav1.Now()
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100"), corev1.ResourceMemory: resource.MustParse("1Ti"), corev1.ResourcePods: resource.MustParse("10k")}
	patch, err := json.Marshal(map[string]any{"status": corev1.NodeStatus{Capacity: room, Allocatable: room,
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Simulated", LastHeartbeatTime: now, LastTransitionTime: now}}}})
	if err != nil {
		return err
	}
	_, err = nodes.Patch(ctx, k.node, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
