#!/usr/bin/env bash
# For npm test: real engines for the tests, from Debian's packages where we may install them.
# Elsewhere the suites that miss theirs say so and are skipped; with CI set they fail instead.
set -euo pipefail
packages="docker.io redis-server chromium radosgw ceph-mon ceph-osd zstd busybox-static debootstrap iproute2 iptables nftables openssl attr acl"
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
  missing=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $packages 2>/dev/null | awk -v want="$packages" '
    $2 == "installed" { have[$1] = 1 }
    END { n = split(want, names, " "); for (i = 1; i <= n; i++) if (!(names[i] in have)) print names[i] }')
  if [ -n "$missing" ]; then
    echo "Installing test engines:" $missing >&2
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > /dev/null
  fi
fi
