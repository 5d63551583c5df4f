#!/bin/sh
# Builds GoReleaser at the version in go.mod, which makes the releases by
# .goreleaser.yaml, and prints where it is.
#
#   build.sh            build, if the cache does not hold it yet
#   build.sh --where    only print the path that it is at, or would be at
#
# The build takes some minutes of two processors, so the result is kept outside
# of the checkout, named after what it is built from.
set -eu
cd "$(dirname "$0")"
digest=$(cat build.sh go.mod go.sum | sha256sum | cut -c1-16)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/goreleaser/$digest/goreleaser
if [ "${1-}" != --where ] && [ ! -x "$bin" ]; then
  mkdir -p "$(dirname "$bin")"
  GOWORK=off GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0 \
    go build -trimpath -ldflags='-s -w' -o "$bin.$$" github.com/goreleaser/goreleaser/v2
  mv "$bin.$$" "$bin"
fi
echo "$bin"
