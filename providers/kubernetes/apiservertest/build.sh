#!/bin/sh
# Builds the test control plane once and prints where it is.
#
#   build.sh           build, if the cache does not hold it yet
#   build.sh --where   only print where it is, or would be
#
# The place is named after the content of everything that it is built from, below
# ${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/kube, so that it is outside the checkout and
# a second call is instant. A cold build takes some 1,400 CPU seconds and 2 GiB.
set -eu
cd "$(dirname "$0")"
sources() { LC_ALL=C; export LC_ALL; for f in build.sh go.mod go.sum main.go simkubelet/*.go; do case $f in *_test.go) ;; *) cat "$f" ;; esac; done; }
dir=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/kube/$(sources | sha256sum | cut -c1-16)
if [ "${1-}" != --where ] && [ ! -x "$dir/testkube" ]; then
  # A home-made main calls itself v0.0.0 unless it is stamped as the upstream build does.
  version=$(sed -n 's/^.*k8s\.io\/kubernetes \(v[0-9.]*\).*$/\1/p' go.mod | head -n 1)
  minor=$(echo "$version" | cut -d. -f2)
  stamp="-s -w"
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    stamp="$stamp -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor -X $package.gitTreeState=clean -X $package.gitCommit=module"
  done
  mkdir -p "$dir"
  # Other flags than these would build every package again.
  GOWORK=off GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0 \
    go build -trimpath -tags grpcnotrace -ldflags "$stamp" -o "$dir/testkube.$$" . >&2
  mv "$dir/testkube.$$" "$dir/testkube"
fi
echo "$dir/testkube"
