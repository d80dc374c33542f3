#!/bin/sh
# Starts code-server on $PORT for the proxy. The home is a volume that outlives this container: defaults are written into
# it once, and never over what the user chose.
set -eu
settings="$HOME/.local/share/code-server/User/settings.json"
if [ ! -e "$settings" ] && [ ! -L "$settings" ]; then
  mkdir -p "${settings%/*}"
  cat > "$settings" << 'JSON'
{
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "extensions.autoCheckUpdates": false,
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "workbench.tips.enabled": false
}
JSON
fi
# What the IDE opens first; afterwards it opens what its user had open last.
# The proxy authorises every request and the port is published on the host's loopback only, hence no password here. The
# user's own configuration file could move the IDE to where nobody looks for it.
exec node "$CODE_SERVER" --auth none --bind-addr "0.0.0.0:${PORT:-8080}" --config /dev/null \
  --disable-telemetry --disable-update-check --disable-workspace-trust --disable-getting-started-override --disable-proxy \
  "${CODEHUB_FOLDER:-$HOME}"
