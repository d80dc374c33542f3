# Sourced by every command: after it, dependencies are installed as locked and `node` is one that runs TypeScript.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A stamp of the lockfile tells whether node_modules is the one the lockfile describes.
stamp=node_modules/.codehub-lock
if ! cmp -s package-lock.json "$stamp"; then
  echo "Installing dependencies (first run or changed lockfile) ..." >&2
  if ! command -v npm > /dev/null; then
    echo "npm was not found: it comes with Node.js. Install Node.js from your package manager and run the command again." >&2
    exit 1
  fi
  # A lockfile made where the registry lacks packages for other platforms does not pass npm ci's own check, which fails
  # before it touches anything; npm install takes the same locked versions and leaves the lockfile as it is.
  npm ci --no-audit --no-fund --loglevel=error > /dev/null 2>&1 ||
    npm install --no-save --no-audit --no-fund --loglevel=error >&2 || {
    echo "The dependencies could not be installed from $(npm config get registry 2> /dev/null): neither npm ci nor npm install" >&2
    echo "worked; npm's own words are above. Check the network, npm's registry and proxy settings, and the space on the disk." >&2
    exit 1
  }
  cp package-lock.json "$stamp"
fi
export PATH="$PWD/node_modules/.bin:$PATH"
hash -r
node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  console.error(`CodeHub needs Node 24.12 or newer; this is ${process.version}. On Linux x64 and arm64 npm brings it along; elsewhere install it from your package manager and run the command again.`);
  process.exit(1);
}'
