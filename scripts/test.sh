#!/usr/bin/env bash
# npm test: installs everything the tests need and runs all of them. Ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."
# Engines and dependencies come from different places: both at once.
bash scripts/install-engines.sh &
engines=$!
. scripts/ensure-install.sh
. scripts/build-dashboard.sh
wait "$engines"
exec node scripts/test.ts "$@"
