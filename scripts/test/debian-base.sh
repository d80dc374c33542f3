#!/usr/bin/env bash
# Makes codehub-test/debian on the engine of DOCKER_HOST: what stands in for node:24-bookworm-slim where no image registry is reached. Debian's
# smallest base from this machine's package mirror, and Node 24 with npm.
#
#   DOCKER_HOST=unix://… NODE=/path/to/node scripts/test/debian-base.sh
#
# Prints the image's name. Downloads are kept where the fresh machine keeps its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
node=${NODE:-$(command -v node)}
cache=${CODEHUB_CACHE:-/var/cache}/codehub/fresh-machine
# Debian's updates come with the next change of these.
name="codehub-test/debian:$(cat "$0" "$here/debian-root.sh" <("$node" --version) | sha256sum | cut -c1-12)"
if ! docker image inspect "$name" > /dev/null 2>&1; then
  mkdir -p -m 700 "$cache"
  root=$(mktemp -d)
  trap 'rm -rf --one-file-system "$root"' EXIT
  chmod 755 "$root"
  bash "$here/debian-root.sh" "$root" "$cache"
  install "$node" "$root/usr/local/bin/node"
  # Only the fresh machine needs these.
  rm -rf "$root"/usr/{bin/git,lib/git-core,share/git-core} "$root"/usr/sbin/policy-rc.d "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
  echo 'node:x:1000:' >> "$root/etc/group"
  echo 'node:x:1000:1000::/home/node:/bin/bash' >> "$root/etc/passwd"
  # This machine may reach npm's registry by a certificate of its own, which Node does not know.
  settings="PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"
  tar -C "$root" --numeric-owner -c . | docker import --change "ENV $settings" - "$name" > /dev/null
fi
docker tag "$name" codehub-test/debian:latest
echo "$name"
