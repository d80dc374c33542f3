#!/usr/bin/env bash
# npm run check: the gate before every commit: format, lint, types, dead code, unit tests.
. "$(dirname "$0")/ensure-install.sh"
exec node scripts/test.ts --gate
