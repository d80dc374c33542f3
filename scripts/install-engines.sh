#!/usr/bin/env bash
# For npm test: real engines for the tests, from Debian's packages where we may install them.
# Elsewhere the suites that miss theirs say so and are skipped; with CI set they fail instead.
set -Eeuo pipefail
trap 'echo "The test engines could not be installed: line $LINENO of $0 ended with exit code $?: $BASH_COMMAND" >&2' ERR
packages="docker.io docker-compose redis-server nginx-light caddy chromium firefox-esr prometheus radosgw ceph-mon ceph-osd zstd busybox-static curl debootstrap iproute2 iptables nftables openssl attr acl systemd git git-lfs openssh-client openssh-server"

# dpkg-query ends with 1 for a package that this machine has never heard of: the very machine this is for.
installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null || true)" = installed ]
}

# A full run of apt-get, quiet while it works and shown whole when it does not.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" > "$log" 2>&1; then
    cat "$log" >&2
    echo "The test engines could not be installed: '$*' failed; its own words are above." >&2
    echo "Is Debian's package mirror in /etc/apt/sources.list* reachable from here (apt-get update)?" >&2
    rm -f "$log"
    exit 1
  fi
  rm -f "$log"
}

if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  missing=""
  for package in $packages; do
    installed "$package" || missing="$missing $package"
  done
  if [ -n "$missing" ]; then
    echo "Installing test engines:$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    # An index that cannot be fetched is a failure of its own; by itself apt-get would go on with the old one.
    quietly apt-get update -qq -o APT::Update::Error-Mode=any
    quietly apt-get install -y -qq --no-install-recommends $missing
  fi
fi
