#!/usr/bin/env bash
# npm run dev: the server, started again whenever its sources change, and the dashboard with hot reload in front of it.
. "$(dirname "$0")/ensure-install.sh"
dashboard_port=${DEV_PORT:-5173}
# What people open is Vite's address; it hands what is the server's on to PORT.
export PORT=${PORT:-8000}
export BASE_URL=${BASE_URL:-http://localhost:$dashboard_port}
# Process groups of their own: Ctrl-C then reaches only this script, which ends each of them once and in order.
set -m
node --watch --watch-preserve-output server/src/main.ts "$@" < /dev/null &
server=$!
vite --port "$dashboard_port" --strictPort dashboard < /dev/null &
vite=$!
# Either one ending ends both, as does Ctrl-C.
trap 'trap - EXIT; kill "$server" "$vite" 2> /dev/null || true; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
wait -n "$server" "$vite"
