import type { Part } from "./plan.ts";

/** What a file's own variables stand for. */
export interface Variables {
  /** Where the project is, in the workspace. */
  readonly project: string;
  readonly workspaceId: string;
  /** Of the workspace, as far as it is known beforehand. */
  readonly environment: Readonly<Record<string, string>>;
}

const REFERENCE = /\$\{(\w+)(?::([^}]*))?\}/g;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A text with its ${variables} filled in. The ones that no devcontainer.json knows are left alone: they are a shell's.
 * `localEnv` is always empty, because the machine that it would speak of is our server.
 */
export function substitute(text: string, variables: Variables): readonly Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const part = valueOfReference(match[1] ?? "", match[2] ?? "", variables);
    if (part === null) continue;
    parts.push(text.slice(at, match.index), part);
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return joined(parts);
}

function valueOfReference(name: string, argument: string, { project, workspaceId }: Variables): Part | null {
  const [variable = "", ...rest] = argument.split(":");
  const fallback = rest.join(":");
  switch (name) {
    case "localWorkspaceFolder":
    case "containerWorkspaceFolder":
      return project;
    case "localWorkspaceFolderBasename":
    case "containerWorkspaceFolderBasename":
      return project.slice(project.lastIndexOf("/") + 1);
    case "devcontainerId":
      return workspaceId;
    case "localEnv":
    case "env":
      return fallback;
    case "containerEnv":
      return PLAIN_NAME.test(variable) ? { variable, fallback } : fallback;
    default:
      return null;
  }
}

function joined(parts: readonly Part[]): readonly Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === "string" && typeof last === "string") all[all.length - 1] = last + part;
    else if (part !== "") all.push(part);
  }
  return all;
}

/** As one text, where it has to be known now. */
export const flat = (parts: readonly Part[], { environment }: Variables): string =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      const { variable, fallback } = part;
      return Object.hasOwn(environment, variable) ? (environment[variable] ?? fallback) : fallback;
    })
    .join("");

/** As text for a shell, which knows the variables itself. */
export const forShell = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      return `\${${part.variable}-${/^[\w./:@%+-]*$/.test(part.fallback) ? part.fallback : ""}}`;
    })
    .join("");

/** What would change our own commands, the loader or git itself. */
const RESERVED =
  /^(CODEHUB_.*|LD_.*|GIT_CONFIG.*|GIT_SSH.*|HOME|USER|LOGNAME|SHELL|BASH_ENV|ENV|PROMPT_COMMAND|IFS|SSH_AUTH_SOCK)$/;
/** What the IDE takes out of its environment or obeys itself, and what it needs to be found. */
const SHELLS_ONLY =
  /^(GITHUB_TOKEN|PASSWORD|HASHED_PASSWORD|PORT|CODE_SERVER_.*|CS_.*|VSCODE_.*|LOG_LEVEL|EXTENSIONS_GALLERY|NODE_OPTIONS|PATH)$/;

export const isVariableName = (name: string): boolean => PLAIN_NAME.test(name) && name.length <= 100;
export const isReserved = (name: string): boolean => RESERVED.test(name);
export const isForShells = (name: string): boolean => SHELLS_ONLY.test(name);
