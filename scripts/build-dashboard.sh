# Sourced: builds dashboard/dist unless it was built from exactly these sources.
sources=$(cat package-lock.json $(find dashboard contract -type f -not -path '*/node_modules/*' -not -path '*/dist/*' | LC_ALL=C sort) | sha256sum)
if [ "$(cat dashboard/dist/.built-from 2>/dev/null)" != "$sources" ]; then
  echo "Building the dashboard ..." >&2
  (cd dashboard && vite build --logLevel warn) >&2 || {
    echo "The dashboard could not be built: vite ended with exit code $?; its own words are above." >&2
    exit 1
  }
  echo "$sources" > dashboard/dist/.built-from
fi
