#!/usr/bin/env bash
# Makes a new Debian root with nothing in it but Debian's smallest base, this machine's Node, npm and git, and the way this
# machine reaches its registries: apt's sources, proxies and certificates, npm's settings.
#
#   scripts/test/debian-root.sh ROOT CACHE
#
# CACHE keeps the base and every downloaded package between runs.
set -euo pipefail
root=$1 cache=$2
mkdir -p "$root" "$cache"/{debootstrap,debs}
. /etc/os-release

failed() {
  echo "debian-root: $1" >&2
  exit 1
}

# Where apt gets its packages from, whatever way that is written: one "ADDRESS RELEASE COMPONENT" a line.
sources=$(apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u)
mirror=$(awk -v release="$VERSION_CODENAME" '$2 == release && $3 == "main" { print $1; exit }' <<< "$sources")
[ -n "$mirror" ] || failed "apt's sources name no mirror for $VERSION_CODENAME main, which the new root would be made from."

# Asking every mirror first costs a second, and names the one that is to blame.
index() { # ADDRESS RELEASE FILE
  for name in InRelease Release; do
    if /usr/lib/apt/apt-helper -o Acquire::Retries=1 download-file "$1dists/$2/$name" "$3" > "$3.log" 2>&1; then return; fi
  done
  cat "$3.log" >&2
  failed "the package mirror $1 ($2) cannot be used: the words above are apt's. Check the network, and apt's sources and proxy in /etc/apt."
}
indexes=$(mktemp -d)
trap 'rm -rf "$indexes"' EXIT
while read -r address release; do
  index "$address" "$release" "$indexes/index"
  if [ "$address $release" = "$mirror $VERSION_CODENAME" ]; then key=$(sha256sum < "$indexes/index" | cut -c1-16); fi
done < <(cut -d' ' -f1,2 <<< "$sources" | sort -u)

# The base changes only when the mirror's index does; unpacking one is ten times as fast as making it.
base="$cache/base-$key.tar"
if [ ! -e "$base" ]; then
  echo "Making a new base from $mirror ..." >&2
  debootstrap --variant=minbase --cache-dir="$cache/debootstrap" "$VERSION_CODENAME" "$root" "$mirror" > "$indexes/log" 2>&1 || {
    tail -n 20 "$indexes/log" >&2
    failed "debootstrap could not make a root from the mirror $mirror; its own words are above."
  }
  rm -f "$cache"/base-*.tar "$root"/var/cache/apt/archives/*.deb
  tar -C "$root" --numeric-owner -cf "$base.$$" .
  mv "$base.$$" "$base"
else
  tar -C "$root" --numeric-owner -xf "$base"
fi

# apt's sources, keys and network settings, but none of its hooks, which belong to what is installed here.
apt_dir() { apt-config shell value "$1/f" | sed "s/^value='\(.*\)'$/\1/"; }
rm -f "$root/etc/apt/sources.list"
cp -a "$(apt_dir Dir::Etc::sourcelist)" "$root/etc/apt/sources.list" 2> /dev/null || true
cp -a "$(apt_dir Dir::Etc::sourceparts)/." "$root/etc/apt/sources.list.d/" 2> /dev/null || true
for place in /etc/apt/{trusted.gpg,trusted.gpg.d,keyrings,auth.conf,auth.conf.d,preferences,preferences.d} /usr/share/keyrings; do
  if [ -e "$place" ]; then cp -a "$place" "$root${place%/*}/"; fi
done
apt-config dump Acquire > "$root/etc/apt/apt.conf.d/90this-machine"
# The root is thrown away: nothing in it has to survive a power cut.
echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/unsafe-io"
printf '#!/bin/sh\n# Packages must not start their services here.\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
find "$cache/debs" -name '*.deb' -exec ln -t "$root/var/cache/apt/archives" {} +

# Names and certificates.
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost fresh-machine\n::1 localhost\n' > "$root/etc/hosts"
mkdir -p "$root/etc/ssl" "$root/usr/local/share/ca-certificates"
cp -rL /etc/ssl/certs "$root/etc/ssl/"
cp -a /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/" 2> /dev/null || true

# Node, npm and git of this machine, not those that the project brought along for itself.
PATH=$(tr : '\n' <<< "$PATH" | grep -v node_modules | paste -sd:)
with_libraries() { # PROGRAM TARGET
  install -D "$1" "$root$2"
  { ldd "$1" 2> /dev/null | grep -o '/[^ ]*\.so[^ ]*' || true; } | while read -r library; do
    [ -e "$root$library" ] || install -D "$library" "$root$library"
  done
}
for tool in node npm git; do
  command -v "$tool" > /dev/null || failed "this machine has no $tool outside node_modules, so the new one would have none."
done
with_libraries "$(readlink -f "$(command -v node)")" /usr/local/bin/node
npm_package=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$root$npm_package" "$root/usr/local/etc" "$root/root"
cp -a "$npm_package/." "$root$npm_package/"
ln -s "$npm_package/bin/npm-cli.js" "$root/usr/local/bin/npm"
ln -s "$npm_package/bin/npx-cli.js" "$root/usr/local/bin/npx"
# Debian's own Node and npm are in parts, which lie there.
if [ -d /usr/share/nodejs ]; then cp -a /usr/share/nodejs "$root/usr/share/"; fi
cp -L "$(npm config get globalconfig 2> /dev/null)" "$root/usr/local/etc/npmrc" 2> /dev/null || true
install -m 600 "$(npm config get userconfig 2> /dev/null)" "$root/root/.npmrc" 2> /dev/null || true
with_libraries "$(readlink -f "$(command -v git)")" /usr/bin/git
mkdir -p "$root$(git --exec-path)" "$root/usr/share"
cp -a "$(git --exec-path)/." "$root$(git --exec-path)/"
if [ -d /usr/share/git-core ]; then cp -a /usr/share/git-core "$root/usr/share/"; fi
