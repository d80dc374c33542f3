#!/usr/bin/env bash
# npm test: installs everything the tests need and runs all of them. Ends with "N passed, N failed".
. "$(dirname "$0")/ensure-install.sh"
. scripts/install-engines.sh
. scripts/build-dashboard.sh
exec node scripts/test.ts "$@"
