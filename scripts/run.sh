#!/usr/bin/env bash
# Runs one TypeScript entry point of the project: scripts/run.sh FILE [ARGUMENTS]
. "$(dirname "$0")/ensure-install.sh"
exec node "$@"
