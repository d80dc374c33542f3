#!/usr/bin/env bash
# Sees that a fresh machine works: a new Debian root with this machine's Node, npm and git and nothing else of it, a fresh
# clone of HEAD inside, the engines of `npm test`, and `npm start` as the first thing ever done there.
#
#   scripts/test/fresh-machine.sh                 the check, a step of npm test
#   scripts/test/fresh-machine.sh --all [STEPS]   the whole npm test (or these steps of it) on such a machine, by hand
#
# Ends with 77 where it cannot be done. Downloads are kept between runs in codehub/fresh-machine of the tests' cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)

missing=""
[ "$(id -u)" = 0 ] || missing="root"
for tool in debootstrap unshare setpriv git apt-get; do
  PATH="$PATH:/usr/sbin:/sbin" command -v "$tool" > /dev/null || missing="${missing:+$missing, }$tool"
done
if [ -z "$missing" ] && ! unshare --mount --pid --fork --mount-proc true 2> /dev/null; then
  missing="the right to make namespaces (unshare)"
fi
if [ -n "$missing" ]; then
  echo "The fresh machine needs $missing. Enable it on Debian as root with apt-get install debootstrap util-linux." >&2
  [ -z "${CI:-}" ] || exit 1
  exit 77
fi

cache=${CODEHUB_CACHE:-/var/cache}/codehub/fresh-machine
mkdir -p -m 700 "$cache/roots"
mkdir -p "$cache"/{debs,npm}
# A root belongs to whoever holds its lock; one that nobody holds was left by a killed run.
for lock in "$cache"/roots/*.lock; do
  [ -e "$lock" ] || continue
  ( flock -n 8 && rm -rf --one-file-system "${lock%.lock}" "$lock" ) 8< "$lock" || true
done
machine=$(mktemp -d "$cache/roots/XXXXXX")
exec 9> "$machine.lock"
flock 9
archives=$machine/var/cache/apt/archives
finish() {
  find "$archives" -name '*.deb' -exec ln -f -t "$cache/debs" {} + 2> /dev/null || true
  rm -rf --one-file-system "$machine" "$machine.lock"
}
trap finish EXIT
trap 'exit 143' TERM INT HUP
chmod 755 "$machine"

begun=$SECONDS
bash "$here/debian-root.sh" "$machine" "$cache" || { echo "FAILED: no fresh machine could be made; why is said above." >&2; exit 1; }
# People clone where they are, and root is in /root; some tests run CodeHub as somebody else, who could not read it there.
clone=/root/codehub
[ "${1:-}" != --all ] || clone=/srv/codehub
git clone -q --no-hardlinks "file://$repo" "$machine$clone"
git -C "$machine$clone" checkout -q --detach "$(git -C "$repo" rev-parse HEAD)"
[ -z "$(git -C "$repo" status --porcelain)" ] || echo "fresh machine: what is not committed is not part of it" >&2
echo "fresh machine: a new Debian root was made in $((SECONDS - begun)) s"

enter() { bash "$here/enter-root.sh" "$machine" "$cache" "$@"; }
if [ "${1:-}" = --all ]; then
  shift
  enter bash -c 'cd /srv/codehub && npm test -- "$@"' npm-test "$@"
else
  node "$repo/server/test/fresh/first-start.ts" bash "$here/enter-root.sh" "$machine" "$cache" bash "$clone/scripts/test/first-run.sh"
fi
# What no mirror has any more need not be kept.
chroot "$machine" apt-get -qq autoclean
for deb in "$cache"/debs/*.deb; do [ -e "$archives/${deb##*/}" ] || rm -f "$deb"; done
