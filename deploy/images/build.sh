#!/usr/bin/env bash
# npm run images: builds CodeHub's images on the engine of DOCKER_HOST, all three or those that are named.
#
#   npm run images -- [server] [workspace] [job]
#
#   PREFIX=codehub TAG=latest   how they are called: codehub/server:latest, codehub/workspace:latest, codehub/job:latest
#   BASE=…                      what they are made from instead of node:24-bookworm-slim: Debian with Node 24 and npm
#   BUILD_OPTIONS=…             what `docker build` is told beside that, such as --network=host or --build-arg=http_proxy=…
set -euo pipefail
. "$(dirname "$0")/../../scripts/ensure-install.sh"
images=deploy/images

image() { # NAME DOCKERFILE FOLDER [OPTION...]
  local name="${PREFIX:-codehub}/$1:${TAG:-latest}" dockerfile=$2 folder=$3
  echo "Building $name ..." >&2
  # shellcheck disable=SC2086 # options are words
  docker build -q -t "$name" ${BASE:+--build-arg BASE="$BASE"} ${BUILD_OPTIONS:-} "${@:4}" -f "$dockerfile" "$folder"
}

# The builds have in them what they need of other packages. The embedded PostgreSQL is not there: it is for machines without one.
server() {
  . scripts/build.sh
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  cp "$images/server/"*.mjs package.json "$tree/"
  cp -r --parents server/package.json server/dist dashboard/dist "$tree/"
  mkdir "$tree/sbom"
  npm sbom --sbom-format cyclonedx --sbom-type application --package-lock-only --omit dev --omit optional \
    -w server -w dashboard --loglevel error > "$tree/sbom/npm.cdx.json"
  chmod -R a+rX,go-w "$tree"
  image server "$images/server/Dockerfile" "$tree" --build-arg VERSION="$(node -p 'require("./package.json").version')"
}
workspace() { image workspace "$images/workspace/Dockerfile" "$images/workspace"; }
job() { image job "$images/job/Dockerfile" .; }

[ $# -gt 0 ] || set -- job server workspace
for one in "$@"; do
  case $one in
    server | workspace | job) ;;
    *) echo "There is no image \"$one\": server, workspace, job." >&2 && exit 64 ;;
  esac
done
for one in "$@"; do "$one"; done
