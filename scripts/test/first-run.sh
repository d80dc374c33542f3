#!/usr/bin/env bash
# What a person does first with a fresh clone on a fresh machine: `npm start`, here with the engines of `npm test` beside it.
# When its standard input ends it stops CodeHub in order, and then runs the shortest part of `npm test`.
set -uo pipefail
cd "$(dirname "$0")/../.."
exec 3<&0 < /dev/null

failed() {
  echo "FAILED on the fresh machine: $1" >&2
  exit 1
}

# The first process, this one and its children are the check's own.
others() {
  for dir in /proc/[0-9]*; do
    parent=$(awk '/^PPid/ { print $2 }' "$dir/status" 2> /dev/null) || continue
    case ${dir#/proc/} in 1 | $$) continue ;; esac
    [ "$parent" = $$ ] || { tr '\0' ' ' < "$dir/cmdline" | grep .; } 2> /dev/null
  done
}
none_left_by() {
  local left
  for _ in $(seq 1 60); do
    left=$(others)
    [ -n "$left" ] || return 0
    sleep 0.5
  done
  failed "$1 left processes behind: $left"
}

engines_done() { # EXIT CODE
  cat /tmp/engines.log
  [ "$1" = 0 ] || failed "scripts/install-engines.sh ended with exit code $1; its words are above."
  echo "fresh machine: the test engines are installed after $SECONDS s"
  engines=""
}

bash scripts/install-engines.sh > /tmp/engines.log 2>&1 &
engines=$!
PORT=0 LOG_LEVEL=warn npm start &
start=$!
cat <&3 > /dev/null &
input=$!
while wait -n -p ended ${engines:+"$engines"} "$start" "$input"; code=$?; [ "$ended" != "$input" ]; do
  [ "$ended" != "$start" ] || failed "npm start ended by itself with exit code $code; its words are above."
  engines_done "$code"
done

# npm itself ends as the signal says, 143; what it started has to end in order, and the database last.
kill -TERM "$start"
wait "$start"
code=$?
case $code in 0 | 143) ;; *) failed "npm start was told to stop (SIGTERM) and ended with exit code $code." ;; esac
if [ -n "$engines" ]; then wait "$engines"; engines_done $?; fi
none_left_by "npm start, or a service that a package started,"
[ ! -e /var/lib/codehub/postgres/postmaster.pid ] || failed "npm start ended without stopping its database in order."
echo "fresh machine: CodeHub and everything it had started have ended after $SECONDS s"

npm test -- "types of contract" || failed "npm test (-- \"types of contract\") ended with exit code $?; its words are above."
none_left_by "npm test"
echo "fresh machine: everything done after $SECONDS s"
