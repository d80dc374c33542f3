#!/usr/bin/env bash
# npm start: installs, builds the dashboard when its sources changed, and keeps CodeHub running.
. "$(dirname "$0")/ensure-install.sh"
. scripts/build-dashboard.sh
# What Node makes of the sources is kept beside them: a start then takes half as long, and the compiler's memory is not needed.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PWD/node_modules/.cache/codehub}"
exec node server/src/supervise/main.ts "$@"
