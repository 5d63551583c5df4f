// Look lists one source by its provider and hashes what it holds, as every
// command does before it judges or writes anything.
//
//	look manifests|workflows|crontab FOLDER
//	look kubernetes KUBECONFIG
//
// With ROLECALL_BENCH_KEPT=1 it says how much memory its objects hold, and with
// ROLECALL_BENCH_PROFILE=FILE it leaves a CPU profile.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/providers/crontab"
	"github.com/rolecall-dev/rolecall/providers/github"
	"github.com/rolecall-dev/rolecall/providers/kubernetes"
	"github.com/rolecall-dev/rolecall/specs"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: look manifests|workflows|crontab|kubernetes PATH")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "look:", err)
		os.Exit(1)
	}
}

func run(kind, path string) error {
	if to := os.Getenv("ROLECALL_BENCH_PROFILE"); to != "" {
		f, err := os.Create(to)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	p, err := provider(kind, path)
	if err != nil {
		return err
	}
	o := p.Observe(context.Background(), providers.Selection{})
	hashes := sha256.New()
	var line []byte
	for i := range o.Objects {
		line = append(append(line[:0], o.Objects[i].ID...), ' ')
		hashes.Write(append(append(line, o.Objects[i].Spec.Hash().String()...), '\n'))
	}
	fmt.Printf("objects %d gaps %d notes %d digest %.8x", len(o.Objects), len(o.Gaps()), len(o.Notes), hashes.Sum(nil))
	if os.Getenv("ROLECALL_BENCH_KEPT") == "1" && len(o.Objects) > 0 {
		fmt.Printf(" kept %d", kept(&o))
	}
	fmt.Println()
	return nil
}

func provider(kind, path string) (providers.Provider, error) {
	switch kind {
	case "manifests":
		return kubernetes.NewManifests(kubernetes.ManifestConfig{Source: "prod", Base: path, Patterns: []string{"."}, Each: each})
	case "workflows":
		return github.NewCheckout(github.CheckoutConfig{Source: "actions", Base: path, Dir: ".", Each: each})
	case "crontab":
		return crontab.New(crontab.NewHost("/", nil), crontab.Config{
			Source: "web-1", Dialect: specs.Debian, Base: path, Files: []crontab.File{{Path: ".", Format: "user"}}, Each: each,
		})
	case "kubernetes":
		rest, _, err := kubernetes.LoadConfig(path, "", "")
		if err != nil {
			return nil, err
		}
		client, err := kubernetes.NewClient(rest)
		if err != nil {
			return nil, err
		}
		return kubernetes.New(client, kubernetes.Config{Source: "prod", AllNamespaces: true, Each: each})
	}
	return nil, fmt.Errorf("there is no source of the kind %q", kind)
}

// each is as many at a time as the program's own.
func each(n int, f func(i int)) {
	bound := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for i := range n {
		bound <- struct{}{}
		wg.Go(func() {
			defer func() { <-bound }()
			f(i)
		})
	}
	wg.Wait()
}

// kept is how much less the heap holds without the observation, for an object.
func kept(o *providers.Observation) int64 {
	objects := int64(len(o.Objects))
	with := heap()
	*o = providers.Observation{}
	return (with - heap()) / objects
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
