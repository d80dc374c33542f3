# Sourced: builds the dashboard and the server, each unless it was built from exactly these sources. BUILD=server is the server alone.
build() { # WHAT TARGET FOLDERS COMMAND
  local sources
  case " ${BUILD:-dashboard server} " in *" $1 "*) ;; *) return 0 ;; esac
  sources=$(cat package-lock.json scripts/build-server.ts scripts/pack-dashboard.ts \
    $(find $3 -type f -not -path '*/node_modules/*' -not -path '*/dist/*' | LC_ALL=C sort) | sha256sum)
  [ "$(cat "$2/.built-from" 2> /dev/null)" != "$sources" ] || return 0
  echo "Building the $1 ..." >&2
  bash -c "$4" >&2 || {
    echo "The $1 could not be built: its builder ended with exit code $?; its own words are above." >&2
    exit 1
  }
  echo "$sources" > "$2/.built-from"
}

build dashboard dashboard/dist "dashboard contract" "(cd dashboard && vite build --logLevel warn) && exec node scripts/pack-dashboard.ts"
build server server/dist "server/src contract" "exec node scripts/build-server.ts"
