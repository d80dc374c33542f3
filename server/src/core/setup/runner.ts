import { type IdeStep, PARTLY, UNABLE } from "./ide-steps.ts";
import { KEEPING, SHOWING } from "./output-shell.ts";
import type { PlannedCommand, PlannedStep, SetupPlan } from "./plan.ts";
import { exportLines, quoted } from "./shell.ts";

export interface RunnerInput extends Pick<SetupPlan, "steps" | "environment"> {
  /** What is done in the IDE, beside the commands. */
  readonly ide: readonly IdeStep[];
  /** Below the home: where commands begin. */
  readonly folder: string;
  /** Which start this is, in plain characters: marker lines carry it, so that those of another start are none of this one's. */
  readonly run: string;
}

/**
 * A script for /bin/sh that starts the steps in the background and ends at once, so that nothing a command does keeps the
 * IDE from opening. Steps run one after the other; after one that failed the rest is left out. What runs once leaves a mark
 * in the home when it ended well, so it runs once for as long as there is this home, and again in an empty one. What is done
 * in the IDE runs beside them, before the project's variables are set: it needs none of them, and some would lead it astray.
 *
 * Commands write to logs in the home and cannot reach the container's own output, where the script writes a marker line
 * for each change (markers.ts) and some of their output (output.ts). Nothing of the plan is evaluated but a person's own
 * commands, and these by a shell of their own.
 */
export function runnerScript({ steps, ide, environment, folder, run }: RunnerInput): string {
  const plain = [...steps, ...ide].every(({ name, digest }) => /^\w{1,40}$/.test(name) && /^\w{1,64}$/.test(digest));
  if (!plain || !/^[\w-]{1,64}$/.test(run))
    throw new Error("A step, its digest or the run has a name that is not plain.");
  return [
    "(",
    `run=${run}`,
    HELPERS,
    ...besideLines(ide),
    ...exportLines(environment, false),
    ...steps.flatMap((step) => stepLines(step, folder)),
    WAIT_FOR_SHOWN,
    "tell end ready null",
    ") 3>&1 >/dev/null 2>&1 </dev/null &",
    "",
  ].join("\n");
}

/**
 * A pipe with a name between a command and its log: what it leaves running may go on writing without being waited for. Nobody
 * waits for the other side to open it: an end of the step before would interrupt that, and busybox's shell then gives up. So
 * it is opened for both ways first, until somebody is on each side. In braces,
 * because for a function dash keeps a copy of what it closes, and the one who reads would wait for itself.
 */
const HELPERS = `state="$HOME/.local/state/codehub"
mkdir -p "$state/done" "$state/log"
n=0
failed=
shown=
beside=
tell() {
  n=$((n + 1))
  printf '\\036codehub {"run":"%s","n":%d,"step":"%s","state":"%s","code":%s,"at":%d}\\n' "$run" "$n" "$1" "$2" "$3" "$(date +%s)" >&3
}
bytes() { echo $(($(wc -c <"$1" 2>/dev/null || echo 0))); }
${KEEPING}
${SHOWING}
step() {
  log="$state/log/$1.log"
  pipe="$state/log/$1.pipe"
  rm -f "$log" "$log.1" "$log.2" "$pipe"
  tell "$1" running null
  mkfifo "$pipe" || { failed=1; tell "$1" failed 1; return 1; }
  exec 4<>"$pipe" 5>"$pipe" 6<"$pipe" 4>&-
  rm -f "$pipe"
  { keep "$log"; } <&6 3>&- 5>&- 6<&- &
  keeper=$!
  exec 6<&-
  follow "$1" "$log" 5>&- &
  follower=$!
  ( "do_$1" ) >&5 2>&1 3>&- 5>&-
  code=$?
  exec 5>&-
  kill "$follower"
  ( settle "$keeper"; show "$1" "$log" ) &
  shown="$shown $!"
  case "\${2-}$code" in
    0 | ide0) tell "$1" done 0 ;;
    ide${PARTLY}) tell "$1" partly null ;;
    ide${UNABLE}) tell "$1" unable null ;;
    *) failed=1; tell "$1" failed "$code" ;;
  esac
  return "$code"
}
already() {
  tell "$1" already null
  show "$1" "$state/log/$1.log" &
  shown="$shown $!"
}`;

/** By name: without one, a shell waits for whatever it has started. */
const WAIT_FOR_SHOWN = '[ -z "$shown$beside" ] || wait $shown $beside';

const markOf = ({ name, digest }: Pick<PlannedStep, "name" | "digest">): string => `"$state/done/${name}-${digest}"`;

function besideLines(ide: readonly IdeStep[]): readonly string[] {
  if (ide.length === 0) return [];
  const lines = ide.flatMap(({ name, digest, lines: body }) => {
    const mark = markOf({ name, digest });
    return [
      `do_${name}() {`,
      ...body,
      "}",
      `if [ -e ${mark} ]; then already ${name}; else step ${name} ide && : >${mark}; fi`,
    ];
  });
  return ["(", ...lines, WAIT_FOR_SHOWN, ") &", "beside=$!"];
}

function stepLines({ name, runs, commands, digest }: PlannedStep, folder: string): readonly string[] {
  const mark = markOf({ name, digest });
  const after = runs === "once" ? ` && : >${mark}` : "";
  return [
    `do_${name}() {`,
    `cd "$HOME"/${quoted(folder)} || exit 1`,
    ...bodyLines(commands),
    "}",
    `if [ -n "$failed" ]; then tell ${name} skipped null`,
    ...(runs === "once" ? [`elif [ -e ${mark} ]; then already ${name}`] : []),
    `else step ${name}${after}`,
    "fi",
  ];
}

/** Several run at the same time, and the step fails as the first of them in its order that did. */
function bodyLines(commands: PlannedStep["commands"]): readonly string[] {
  const [only, more] = commands;
  if (only !== undefined && more === undefined) return [commandLine(only.command)];
  return [
    ...commands.map(({ command }, index) => `( ${commandLine(command)} ) & p${index}=$!`),
    "worst=0",
    ...commands.map((_, index) => `wait "$p${index}" || { c=$?; [ "$worst" != 0 ] || worst=$c; }`),
    'exit "$worst"',
  ];
}

/** By `exec`, a list is always a program and never a word of our own shell. */
const commandLine = (command: PlannedCommand): string =>
  command.kind === "shell"
    ? `exec /bin/sh -c ${quoted(command.text)}`
    : `exec ${command.args.map((word) => quoted(word)).join(" ")}`;
