#!/usr/bin/env bash
# npm run codehub -- COMMAND: everything an operator does with CodeHub, by the same program and the same configuration as npm start.
. "$(dirname "$0")/ensure-install.sh"
BUILD=server
. scripts/build.sh
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$PWD/node_modules/.cache/codehub}"
exec node server/dist/cli-main.js "$@"
