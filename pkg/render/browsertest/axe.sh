#!/bin/sh
# Fetches axe-core, the accessibility checker that the tests here run in the
# page, from npm, and prints the file.
#
#   axe.sh           fetch, if the cache does not hold it yet
#   axe.sh --where   only print where it is, or would be
#
# It is others' work, so no copy of it is kept beside the code.
set -eu
package=axe-core version=4.14.1
sum=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
dir=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/axe/$(printf %s "$sum" | cut -c1-16)
if [ "${1-}" != --where ] && [ ! -f "$dir/axe.min.js" ]; then
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  (cd "$tmp" && npm pack --silent "$package@$version" >/dev/null)
  echo "$sum  $tmp/$package-$version.tgz" | sha256sum -c --quiet - >&2
  tar -xzf "$tmp/$package-$version.tgz" -C "$tmp"
  mkdir -p "$dir"
  cp "$tmp/package/axe.min.js" "$dir/axe.min.js"
fi
echo "$dir/axe.min.js"
