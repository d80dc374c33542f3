# room UID HOME LINK HOST KEPT... -- COMMAND... (HOME: a path, or "memory"; HOST: a name, or ""): a view of this machine for one workspace, then the command as its user in it.
# Root runs this in namespaces of its own for mounts and for the host's name. Until setpriv nothing here is a path, a variable or a program of the user's.
set -eu
trap 'echo "[codehub] the private view of this machine could not be made" >&2' EXIT
uid=$1 home=$2 link=$3 host=$4 mask=$(umask)
shift 4
umask 022
at=/run/codehub

# What /home will be is put together elsewhere: what has to stay of it can be taken from the old one meanwhile.
mount -n -t tmpfs -o mode=0755,size=4m,nosuid,nodev tmpfs $at
mkdir $at/coder
if [ "$home" = memory ]; then
  mount -n -t tmpfs -o mode=0700,uid=$uid,gid=$uid,size=16m,nosuid,nodev,noexec tmpfs $at/coder
else
  mount -n --rbind "$home" $at/coder
fi
while [ "$1" != -- ]; do
  mkdir -p "$at/$1"
  mount -n --rbind "/home/$1" "$at/$1"
  shift
done
shift

names "$uid" $at
# Of its own: what this machine is called elsewhere stays. Programs look for what they are told here.
if [ -n "$host" ] && hostname "$host" 2> /dev/null && [ -f /etc/hosts ]; then
  { cat /etc/hosts; echo "127.0.1.1 $host"; } > $at/.hosts
  mount -n --bind $at/.hosts /etc/hosts
  rm $at/.hosts
fi
# A service that remembers names would answer with the machine's.
[ ! -S /run/nscd/socket ] || mount -n -t tmpfs -o mode=0755,size=4k tmpfs /run/nscd

mount -n --move $at /home
# Where homes were before they were at /home/coder.
mount -n -t tmpfs -o mode=0711,size=64k,nosuid,nodev,noexec tmpfs "${link%/*}"
ln -s /home/coder "$link"

files=mode=0700,uid=$uid,gid=$uid,size=8m,nosuid,nodev,noexec
mount -n -t tmpfs -o $files,noswap tmpfs $at 2> /dev/null || mount -n -t tmpfs -o $files tmpfs $at
# By this word, and not by its number, older kernels refuse it: they would change the machine's own /proc.
mount -n -t proc -o nosuid,nodev,noexec,hidepid=invisible proc /proc 2> /dev/null || :

cd /home/coder
umask "$mask"
# Whoever waits for it can take hold of this namespace while nobody else is in it.
echo made >&4
exec 4>&-
read -r _ <&3
# The user's variables come by a pipe: as root's own they could lead the programs above, as arguments everybody could read them.
inside='eval "$(cat <&3)"; exec 3<&-; exec "$@"'
exec setpriv --no-new-privs --reuid "$uid" --regid "$uid" --clear-groups -- /bin/sh -c "$inside" sh "$@"
