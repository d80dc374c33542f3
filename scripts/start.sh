#!/usr/bin/env bash
# npm start: installs, builds the dashboard when its sources changed, and keeps CodeHub running.
. "$(dirname "$0")/ensure-install.sh"
. scripts/build-dashboard.sh
exec node server/src/supervise/main.ts "$@"
