#!/usr/bin/env bash
# npm test: installs everything the tests need and runs all of them. Ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."
step="starting"
engines=""
# Installing packages is not interrupted in the middle: whatever failed beside it, it is waited for.
finish() {
  code=$?
  [ "$code" != 0 ] || return 0
  echo "npm test did not get as far as the tests: \"$step\" ended with exit code $code; what it said is above." >&2
  if [ -n "$engines" ]; then wait "$engines" || true; fi
}
trap finish EXIT
# Engines and dependencies come from different places: both at once.
bash scripts/install-engines.sh &
engines=$!
step="installing dependencies (scripts/ensure-install.sh)"
. scripts/ensure-install.sh
step="building dashboard and server (scripts/build.sh)"
. scripts/build.sh
step="installing the test engines (scripts/install-engines.sh)"
wait "$engines"
exec node scripts/test.ts "$@"
