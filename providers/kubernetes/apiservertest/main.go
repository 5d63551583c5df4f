// Command testkube is a Kubernetes control plane in one binary, for tests that
// want a real API server. The first argument is the program to be:
//
//	etcd, kube-apiserver, kube-controller-manager   as upstream builds them
//	kubelet                                         a simulated node, see simkubelet
//
// The process ends when its standard input does, so that nothing is left behind
// by a test that was killed; run it with </dev/zero to keep it by hand.
package main

import (
	"fmt"
	"io"
	"os"

	// The upstream commands carry the zone data themselves, so that a CronJob's
	// timeZone does not depend on the machine's files.
	_ "time/tzdata"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/rolecall-dev/rolecall/providers/kubernetes/apiservertest/simkubelet"
)

var programs = map[string]func() int{
	"etcd":                    func() int { etcdmain.Main(os.Args); return 0 },
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllers.NewControllerManagerCommand()) },
	"kubelet":                 func() int { return simkubelet.Main(os.Args[1:]) },
}

func main() {
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: testkube etcd|kube-apiserver|kube-controller-manager|kubelet [flags]")
		os.Exit(2)
	}
	go endWithParent()
	os.Args = os.Args[1:]
	os.Exit(programs[os.Args[0]]())
}

// endWithParent waits for the end of standard input, which the one who started
// this process holds open.
func endWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(3)
}
