import { readFileSync } from "node:fs";
import { join } from "node:path";

/** How to run an IDE: the real one, or a small program in tests. It must bind `socket` and answer GET /healthz. */
export interface IdeCommand {
  readonly command: (place: {
    readonly home: string;
    /** What it opens where its user has opened nothing yet. */
    readonly folder: string;
    readonly socket: string;
    readonly runtimeDir: string;
  }) => readonly string[];
  /** How what runs beside it reaches it: the same names as an image has for its own. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Written once into a new home, never over what the user chose: quiet, and no panel that steals the focus. */
const DEFAULT_SETTINGS = {
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "extensions.autoCheckUpdates": false,
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "workbench.tips.enabled": false,
};

/**
 * The workspace's name: where there are no rooms, the account has none in the system's list, which bash would say in every
 * prompt, and the host has the machine's.
 */
const DEFAULT_BASHRC = String.raw`PS1='coder@$CODEHUB_WORKSPACE_NAME:\w\$ '`;
/** What homes got before; nobody has touched it since. */
const FORMER_BASHRC = String.raw`PS1='coder:\w\$ '`;

/** Passed as text: accounts of workspaces need not be able to read our files. */
const WITH_SETTINGS: string = readFileSync(new URL("./with-settings.sh", import.meta.url), "utf8");

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export function codeServer(node: string, entry: string): IdeCommand {
  return {
    variables: { CODEHUB_NODE: node, CODEHUB_IDE: `${quoted(node)} ${quoted(entry)} --config /dev/null` },
    command: ({ home, folder, socket, runtimeDir }) => [
      "/bin/sh",
      "-c",
      WITH_SETTINGS,
      "sh",
      join(home, ".local/share/code-server/User/settings.json"),
      JSON.stringify(DEFAULT_SETTINGS, null, 2),
      DEFAULT_BASHRC,
      FORMER_BASHRC,
      node,
      entry,
      ...["--auth", "none", "--socket", socket, "--socket-mode", "600"],
      // The user's own configuration file could move the IDE to where nobody looks for it.
      ...["--config", "/dev/null", "--session-socket", join(runtimeDir, "session.sock")],
      "--disable-telemetry",
      "--disable-update-check",
      "--disable-workspace-trust",
      "--disable-getting-started-override",
      // Ports have origins of their own; served by the IDE they would share its origin.
      "--disable-proxy",
      folder,
    ],
  };
}
