#!/usr/bin/env bash
# npm run build: dashboard and server, as `npm start` would make them before it starts.
. "$(dirname "$0")/ensure-install.sh"
. scripts/build.sh
