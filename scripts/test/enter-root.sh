#!/usr/bin/env bash
# Runs a command in ROOT as on a machine of its own: own processes, mounts, host name and devices; the network is shared.
# Whatever it started ends with it, and it ends with whoever started this.
#
#   scripts/test/enter-root.sh ROOT CACHE COMMAND [ARGUMENTS]
#
# CACHE is what it shares with this machine, as /var/cache/codehub/fresh-machine.
set -euo pipefail

if [ "${1:-}" != --inside ]; then
  exec setpriv --pdeathsig KILL unshare --mount --uts --ipc --pid --fork --kill-child --propagation private \
    bash "${BASH_SOURCE[0]}" --inside "$@"
fi
root=$2 cache=$3
shift 3

trap 'echo "enter-root: line $LINENO failed: $BASH_COMMAND" >&2' ERR
hostname fresh-machine
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
# Container engines make control groups; how they are mounted differs from machine to machine.
mount --rbind /sys/fs/cgroup sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
mkdir -p dev/{pts,shm,net}
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
for device in null zero full random urandom tty fuse net/tun; do
  if [ -e "/dev/$device" ]; then cp -a "/dev/$device" "dev/$device"; fi
done
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for number in 0 1 2; do ln -s "/proc/self/fd/$number" "dev/$(cut -d' ' -f$((number + 1)) <<< 'stdin stdout stderr')"; done
mkdir -p var/cache/codehub/fresh-machine
mount --bind "$cache" var/cache/codehub/fresh-machine

# Not chroot: engines that change their root themselves need one that is a mount of its own.
pivot_root . mnt
umount -l /mnt

# Of the environment only the ways to the registries.
keep=()
for name in {http,https,ftp,all,no}_proxy {HTTP,HTTPS,FTP,ALL,NO}_PROXY npm_config_registry NPM_CONFIG_REGISTRY \
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE GIT_SSL_CAINFO CI; do
  if [ -n "${!name+set}" ]; then keep+=("$name=${!name}"); fi
done
# The first process of a machine stays until the end and buries the orphans.
exec env -i "${keep[@]}" HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  npm_config_cache=/var/cache/codehub/fresh-machine/npm DEBIAN_FRONTEND=noninteractive \
  bash -c '"$@"; exit $?' init "$@"
