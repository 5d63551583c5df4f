#!/bin/sh
# Installs what runs GitLab's pipelines on one machine, from the npm packages
# that gitlab/package-lock.json pins by their digests, outside of the checkout,
# and prints where its program is. It needs Node.js, git and rsync.
#
#   gitlab.sh            install, if the cache does not hold it yet
#   gitlab.sh --where    only print the path that it is at, or would be at
set -eu
cd "$(dirname "$0")/gitlab"
digest=$(cat package.json package-lock.json | sha256sum | cut -c1-16)
dir=${XDG_CACHE_HOME:-$HOME/.cache}/rolecall/gitlab/$digest
if [ "${1-}" != --where ] && [ ! -d "$dir" ]; then
  mkdir -p "$dir.$$"
  cp package.json package-lock.json "$dir.$$"
  (cd "$dir.$$" && npm ci --silent --no-audit --no-fund --ignore-scripts >&2)
  mv "$dir.$$" "$dir"
fi
echo "$dir/node_modules/gitlab-ci-local/src/index.js"
