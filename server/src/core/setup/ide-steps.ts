import { digestOf } from "./commands.ts";
import type { SetupPlan } from "./plan.ts";
import { SETTINGS_PROGRAM } from "./settings-program.ts";
import { quoted } from "./shell.ts";

/** Something that is done in the IDE itself, once for a home, and whose end keeps no command from running. */
export interface IdeStep {
  readonly name: "settings" | "extensions";
  /** Other settings or extensions are another step, which has not run yet. */
  readonly digest: string;
  /** The body of a function of a shell that runs in nothing but this step. */
  readonly lines: readonly string[];
}

/** With these a step ends that did some of its work, and one that this image has no program for. */
export const PARTLY = 75;
export const UNABLE = 69;

/** What a project asks for in the IDE. Settings first: extensions look at them when they begin. */
export function ideSteps(
  { extensions, settings }: Pick<SetupPlan, "extensions" | "settings">,
  hash: (text: string) => string,
): readonly IdeStep[] {
  return [
    ...(Object.keys(settings).length === 0
      ? []
      : [{ name: "settings", digest: digestOf(settings, hash), lines: settingsLines(settings) } as const]),
    ...(extensions.length === 0
      ? []
      : [{ name: "extensions", digest: digestOf(extensions, hash), lines: extensionLines(extensions) } as const]),
  ];
}

const settingsLines = (settings: SetupPlan["settings"]): readonly string[] => [
  `node="\${CODEHUB_NODE:-node}"`,
  'if ! command -v "$node" >/dev/null 2>&1; then',
  `  echo "This image has no Node to add settings with. It may name one in CODEHUB_NODE."`,
  `  exit ${UNABLE}`,
  "fi",
  `exec "$node" -e ${quoted(SETTINGS_PROGRAM)} "$HOME/.local/share/code-server/User/settings.json" ${quoted(JSON.stringify(settings))}`,
];

/**
 * One call for each: so one that hangs or fails takes none with it, and what is said stands below its name. CODEHUB_IDE is
 * text for a shell, from the image or the runtime; no project can set it. Installed without its install scripts, the IDE
 * complains at length that it cannot write logs of its own, which says nothing of extensions.
 */
const extensionLines = (extensions: readonly string[]): readonly string[] => [
  `if [ -z "\${CODEHUB_IDE:-}" ]; then`,
  '  echo "The IDE of this image has no way to install extensions: its CODEHUB_IDE does not say how to call it."',
  `  exit ${UNABLE}`,
  "fi",
  "some= missing=",
  `for each in ${extensions.map((each) => quoted(each)).join(" ")}; do`,
  '  echo "$each"',
  '  said=$(sh -c "$CODEHUB_IDE \\"\\$@\\"" ide --install-extension "$each" 2>&1)',
  '  if [ "$?" = 0 ]; then some=1; else missing="$missing $each"; fi',
  "  printf '%s\\n' \"$said\" | sed '/^Error: Could not locate the bindings file/,/^}/d; s/^/  /'",
  "done",
  '[ -n "$missing" ] || exit 0',
  'echo "Not installed, tried again at the next start:$missing"',
  `[ -n "$some" ] || exit 1`,
  `exit ${PARTLY}`,
];
