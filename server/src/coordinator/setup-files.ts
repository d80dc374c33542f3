import { digestOf } from "#core/setup/commands.ts";
import { ideSteps } from "#core/setup/ide-steps.ts";
import type { PlannedStep, SetupPlan } from "#core/setup/plan.ts";
import { runnerScript } from "#core/setup/runner.ts";
import { exportLines, quoted } from "#core/setup/shell.ts";
import { isForShells } from "#core/setup/variables.ts";
import type { Keys } from "#ports/keyring.ts";
import type { GivenFile } from "#ports/start-extras.ts";
import { SURROUNDINGS } from "./surroundings.ts";

/** The file that a shell reads before it becomes the IDE. */
export const PRELUDE = "prelude.sh";

/** A repository's own set-up, as its owner agreed to it. */
export interface ProjectSetup {
  readonly plan: SetupPlan;
  /** Whether its commands may run, its variables be set, and its extensions and settings come into the IDE. */
  readonly allowed: boolean;
}

/** Which start this is, in plain characters, and how to tell one command from another. */
export interface Running {
  readonly run: string;
  readonly hash: (text: string) => string;
}

/** Whether a person keeps anything: an image then needs no program to unpack it. */
export const keepsNothing = ({ git, sshKey, credentials, variables, dotfiles, locked }: Keys): boolean =>
  git.name === null &&
  git.email === null &&
  sshKey === null &&
  credentials.length === 0 &&
  variables.length === 0 &&
  locked.length === 0 &&
  dotfiles?.command == null;

/**
 * What a start or a preparation is given of its owner's own, as files that only memory backs. Values are data in files of
 * their own or quoted whole; no shell ever evaluates them.
 */
export function setupFiles(
  keys: Keys,
  project: ProjectSetup | null = null,
  running: Running | null = null,
): readonly GivenFile[] {
  const agreed = project?.allowed === true ? project : null;
  const files: Record<string, string> = {
    gitconfig: gitConfig(keys),
    credential: CREDENTIAL_HELPER,
    credentials: keys.credentials.filter(isThreeLines).map(lines).join(""),
    environment: exports(keys.variables.filter(({ name }) => !isForShells(name))),
    // The IDE takes these for itself, or obeys them: they reach the shells in it and not the IDE.
    shell: `${forShells(agreed)}${exports(keys.variables.filter(({ name }) => isForShells(name)))}`,
    [PRELUDE]: PRELUDE_TEXT,
    ...(keys.sshKey === null ? {} : { "ssh-key": keys.sshKey.privateKey }),
    ...(keys.locked.length === 0 ? {} : { locked: lockedText(keys.locked) }),
    // Variables run programs, too (GIT_EXTERNAL_DIFF, PYTHONSTARTUP, a PATH of its own): what is not agreed to gives none.
    ...(agreed === null ? {} : { project: `${exportLines(agreed.plan.environment, true).join("\n")}\n` }),
    ...(running === null ? {} : commandFiles(keys, project, running)),
  };
  const encoder = new TextEncoder();
  return Object.entries(files).map(([path, text]) => ({ path, mode: 0o600, content: encoder.encode(text) }));
}

const lines = ({ host, username, password }: Keys["credentials"][number]): string =>
  `${host}\n${username}\n${password}\n`;

/** Nobody can save another, but names are not sealed: one with a line of its own would send a password to the host that it names. */
const isThreeLines = (credential: Keys["credentials"][number]): boolean => lines(credential).split("\n").length === 4;

const lockedText = (locked: Keys["locked"]): string =>
  `[codehub] cannot be opened, so it is not here: ${locked.join(", ").replaceAll(/\p{C}/gu, "")}. Save it again, or ask an administrator.\n`;

const forShells = (project: ProjectSetup | null): string =>
  exportLines(project?.plan.environment.filter((each) => each.isForShells) ?? [], false)
    .map((line) => `${line}\n`)
    .join("");

/** What runs beside the IDE: a person's own dotfiles, and what the project asks for where that was agreed to. */
function commandFiles(
  { dotfiles }: Keys,
  project: ProjectSetup | null,
  { run, hash }: Running,
): Record<string, string> {
  const own = dotfiles?.command == null ? [] : [dotfilesStep(dotfiles.command, hash)];
  const agreed = project?.allowed === true ? project.plan : null;
  const steps = [...own, ...(agreed?.steps ?? [])];
  const ide = agreed === null ? [] : ideSteps(agreed, hash);
  if (steps.length + ide.length === 0) return {};
  const { environment = [], folder = "." } = agreed ?? {};
  return { "run-project": runnerScript({ environment, steps, ide, folder, run }) };
}

/** One that fails is told in its log, and is no reason to leave out what comes after it. */
function dotfilesStep(command: string, hash: Running["hash"]): PlannedStep {
  const text = `cd "$HOME/.dotfiles" && sh -c ${quoted(command)} || echo "it ended with code $?"`;
  return {
    ...{ name: "dotfiles", runs: "once", digest: digestOf(command, hash) },
    commands: [{ name: null, command: { kind: "shell", text } }],
  };
}

/** As the system's configuration, which loses to what a person has in the home and to what a repository says. */
function gitConfig({ git }: Keys): string {
  const user = Object.entries({ name: git.name, email: git.email }).filter(([, value]) => value !== null);
  return [
    "[include]",
    "\tpath = /etc/gitconfig",
    ...(user.length === 0 ? [] : ["[user]", ...user.map(([name, value]) => `\t${name} = ${gitQuoted(String(value))}`)]),
    "[credential]",
    `\thelper = ${gitQuoted('!sh "$CODEHUB_FILES/credential"')}`,
    "",
  ].join("\n");
}

const gitQuoted = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", " ")}"`;

/** Answers with what is kept for exactly this host, over https, and changes nothing whatever git tells it. */
const CREDENTIAL_HELPER = `[ "$1" = get ] || exit 0
protocol= host=
while IFS='=' read -r key value; do
  case $key in protocol) protocol=$value ;; host) host=$value ;; esac
done
[ "$protocol" = https ] || exit 0
while IFS= read -r known && IFS= read -r user && IFS= read -r password; do
  [ "$known" = "$host" ] || continue
  printf 'username=%s\\npassword=%s\\n' "$user" "$password"
  exit 0
done < "$CODEHUB_FILES/credentials"
`;

const exports = (variables: Keys["variables"]): string =>
  variables.map(({ name, value }) => `export ${name}=${quoted(value)}\n`).join("");

/**
 * The key goes to an agent and from the disk of memory too: whoever is in the workspace can use it and not take it away.
 * Shells read what the IDE may not have when they first ask for a command.
 */
const PRELUDE_TEXT = `[ ! -e "$CODEHUB_FILES/${SURROUNDINGS}" ] || . "$CODEHUB_FILES/${SURROUNDINGS}"
export GIT_CONFIG_SYSTEM="$CODEHUB_FILES/gitconfig"
[ ! -r "$CODEHUB_FILES/locked" ] || cat "$CODEHUB_FILES/locked" >&2
[ ! -r "$CODEHUB_FILES/project" ] || . "$CODEHUB_FILES/project"
. "$CODEHUB_FILES/environment"
if [ -s "$CODEHUB_FILES/shell" ]; then
  export BASH_ENV="$CODEHUB_FILES/shell" PROMPT_COMMAND='. "$CODEHUB_FILES/shell"; unset PROMPT_COMMAND'
fi
if [ -s "$CODEHUB_FILES/ssh-key" ]; then
  if command -v ssh-agent > /dev/null; then
    SSH_AUTH_SOCK="$CODEHUB_FILES/agent"
    export SSH_AUTH_SOCK
    ssh-agent -a "$SSH_AUTH_SOCK" > /dev/null && ssh-add -q - < "$CODEHUB_FILES/ssh-key" 2> /dev/null ||
      echo "[codehub] the SSH key could not be given to an agent" >&2
  else
    echo "[codehub] this image has no ssh-agent: it has no SSH key" >&2
  fi
  rm -f "$CODEHUB_FILES/ssh-key"
fi
[ ! -r "$CODEHUB_FILES/run-project" ] || sh "$CODEHUB_FILES/run-project"
`;

/** Of a person who keeps nothing. */
export const NO_KEYS: Keys = {
  git: { name: null, email: null },
  sshKey: null,
  credentials: [],
  variables: [],
  dotfiles: null,
  locked: [],
};
