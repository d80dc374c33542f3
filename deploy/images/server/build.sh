#!/usr/bin/env bash
# Builds the server's image on the engine of DOCKER_HOST.
#   deploy/images/server/build.sh NAME:TAG [BASE_IMAGE]
set -euo pipefail
name=${1:?"usage: build.sh NAME:TAG [BASE_IMAGE]"} base=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../scripts/ensure-install.sh"
. scripts/build.sh

# The builds have in them what they need of other packages. The embedded PostgreSQL is not there: it is for machines without one.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cp "$here/start.mjs" package.json "$tree/"
cp -r --parents server/package.json server/dist dashboard/dist "$tree/"
chmod -R a+rX,go-w "$tree"

docker build -q -t "$name" ${base:+--build-arg BASE="$base"} -f "$here/Dockerfile" "$tree"
