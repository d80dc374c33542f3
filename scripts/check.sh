#!/usr/bin/env bash
# The gate before every commit: format, lint, types, dead code, unit tests.
. "$(dirname "$0")/ensure-install.sh"
biome check --error-on-warnings .
for project in contract server/src/core server dashboard; do
  tsc -p "$project"
done
knip
vitest run --project unit
