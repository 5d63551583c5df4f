// Package kubetest starts a real Kubernetes control plane on loopback for a
// test: upstream's etcd and API server, on request its controllers and a
// simulated node. The binary comes from the module apiservertest beside this
// package, whose build.sh puts it into the user's cache.
package kubetest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Environment variables that tests with real parts listen to.
const (
	// EnvBinary names the binary, instead of the one in the cache.
	EnvBinary = "ROLECALL_KUBE_BIN"
	// EnvReal says what an absent part means: require makes a test fail, and
	// without it the test is skipped.
	EnvReal = "ROLECALL_REAL"
)

// ErrAbsent says that the control plane has not been built.
var ErrAbsent = errors.New("no control plane for tests; build it with: providers/kubernetes/apiservertest/build.sh")

// Binary is the path of the control plane, or ErrAbsent.
func Binary() (string, error) {
	path := os.Getenv(EnvBinary)
	if path == "" {
		var err error
		if path, err = cachePath(); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w (looked for %s)", ErrAbsent, path)
	}
	return path, nil
}

// Absent skips a test, or fails it where real parts are required.
func Absent(t testing.TB, err error) {
	t.Helper()
	if os.Getenv(EnvReal) == "require" || !errors.Is(err, ErrAbsent) {
		t.Fatal(err)
	}
	t.Skip(err)
}

// cachePath is where build.sh puts the binary: it is named after the content of
// all that it is built from.
func cachePath() (string, error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(home, ".cache")
	}
	digest, err := sourceDigest(module)
	return filepath.Join(cache, "rolecall", "kube", digest, "testkube"), err
}

func sourceDigest(module string) (string, error) {
	names := []string{"build.sh", "go.mod", "go.sum", "main.go"}
	code, err := filepath.Glob(filepath.Join(module, "simkubelet", "*.go"))
	if err != nil {
		return "", err
	}
	slices.Sort(code)
	for _, path := range code {
		if !strings.HasSuffix(path, "_test.go") {
			names = append(names, filepath.Join("simkubelet", filepath.Base(path)))
		}
	}
	var all bytes.Buffer
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return "", err
		}
		all.Write(data)
	}
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:8]), nil
}

// moduleDir finds the module apiservertest from a test's working directory
// upward.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		module := filepath.Join(dir, "providers", "kubernetes", "apiservertest")
		if _, err := os.Stat(filepath.Join(module, "go.mod")); err == nil {
			return module, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%w (its module is not above the working directory)", ErrAbsent)
		}
		dir = parent
	}
}
