#!/usr/bin/env bash
# A real S3 server for tests, on loopback and in memory: Ceph's radosgw with one monitor and one object store daemon.
#
#   scripts/test/s3-server.sh PORT MONITOR_PORT ACCESS_KEY SECRET_KEY
#
# S3_ADDRESS is another address than loopback to listen on. Prints "ready" when it serves, and goes on until its standard input ends: whoever started it cannot leave it behind.
# Needs the Debian packages radosgw, ceph-mon and ceph-osd.
set -euo pipefail
port=$1 monitor_port=$2 access_key=$3 secret_key=$4

dir=$(mktemp -d "${TMPDIR:-/tmp}/codehub-s3-XXXXXX")
daemons=()
stop() {
  trap - EXIT
  # The shell's own words about killed daemons are of no use to anybody.
  exec 2>/dev/null
  for pid in "${daemons[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  wait || true
  rm -rf "$dir"
}
trap stop EXIT
trap 'exit 143' TERM INT

mkdir "$dir"/{mon,osd,rgw,run}
fsid=$(cat /proc/sys/kernel/random/uuid)
cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $fsid
mon host = [v2:127.0.0.1:$monitor_port]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
auth allow insecure global id reclaim = false
mon allow pool size one = true
mon max pg per osd = 1000
mon data avail warn = 5
mon data avail crit = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 8589934592
run dir = $dir/run
admin socket = $dir/run/\$name.asok
pid file = $dir/run/\$name.pid
log file = $dir/\$name.log
keyring = $dir/admin.keyring
mon data = $dir/mon
osd data = $dir/osd
crash dir = $dir/run
[mon.]
keyring = $dir/mon/keyring
[osd.0]
keyring = $dir/osd/keyring
[client.rgw.test]
keyring = $dir/rgw/keyring
rgw frontends = beast endpoint=${S3_ADDRESS:-127.0.0.1}:$port
rgw thread pool size = 64
CONF

conf=(-c "$dir/ceph.conf")
ceph() { timeout 30 /usr/bin/ceph "${conf[@]}" "$@"; }
daemon() {
  # The kernel ends it with this script, also when the script is killed.
  setpriv --pdeathsig KILL "$@" -f </dev/null >>"$dir/daemons.log" 2>&1 &
  daemons+=($!)
}
failed() {
  echo "s3-server: $1" >&2
  tail -n 20 "$dir"/*.log >&2 || true
  exit 1
}

# A monitor, and the keys by which the daemons know each other.
ceph-authtool --create-keyring "$dir/mon.keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
ceph-authtool --create-keyring "$dir/admin.keyring" --gen-key -n client.admin \
  --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' >/dev/null
ceph-authtool "$dir/mon.keyring" --import-keyring "$dir/admin.keyring" >/dev/null
monmaptool --create --clobber --fsid "$fsid" --addv a "[v2:127.0.0.1:$monitor_port]" "$dir/monmap" >/dev/null
ceph-mon "${conf[@]}" --mkfs -i a --monmap "$dir/monmap" --keyring "$dir/mon.keyring"
daemon ceph-mon "${conf[@]}" -i a

# One object store in memory. Its identity must be the one that the monitor was told.
osd_uuid=$(cat /proc/sys/kernel/random/uuid)
osd_secret=$(ceph-authtool --gen-print-key)
echo "{\"cephx_secret\": \"$osd_secret\"}" | ceph osd new "$osd_uuid" 0 -i - >/dev/null || failed "the monitor does not answer"
ceph-authtool --create-keyring "$dir/osd/keyring" --name osd.0 --add-key "$osd_secret" >/dev/null
ceph-osd "${conf[@]}" -i 0 --mkfs --osd-uuid "$osd_uuid" 2>>"$dir/daemons.log"
daemon ceph-osd "${conf[@]}" -i 0

# The S3 gateway and one user.
ceph auth get-or-create client.rgw.test mon 'allow rw' osd 'allow rwx' >"$dir/rgw/keyring"
daemon radosgw "${conf[@]}" -n client.rgw.test
for _ in $(seq 1 240); do
  if curl -s -o /dev/null "http://127.0.0.1:$port/"; then served=yes && break; fi
  sleep 0.25
done
[ "${served:-}" = yes ] || failed "the gateway does not answer"
timeout 60 radosgw-admin "${conf[@]}" user create --uid=codehub --display-name=codehub \
  --access-key="$access_key" --secret-key="$secret_key" >/dev/null || failed "no user could be made"

echo ready
cat >/dev/null
