/** What may be kept for a workspace, or for all of a user's. */
export const MOST_VARIABLES = 100;
export const MOST_CREDENTIALS = 100;
export const VARIABLE_BYTES = 48 * 1024;
export const VARIABLES_BYTES = 1024 * 1024;

const RESERVED = [
  /** What CodeHub says to workspaces. */
  /^CODEHUB_/i,
  /** What the loader, git and shells obey before any program of the person's does. */
  /^LD_/i,
  /^GIT_CONFIG/i,
  /^(BASH_ENV|ENV|IFS|PATH|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND)$/i,
  /** Who and where the workspace is. */
  /^(HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|TERM|SSH_AUTH_SOCK|GIT_SSH|GIT_SSH_COMMAND|GIT_ASKPASS|SSH_ASKPASS)$/i,
  /** With these the IDE itself would run something else. */
  /^(NODE_OPTIONS|NODE_PATH|ELECTRON_RUN_AS_NODE)$/i,
];

/** Names that would change how a workspace itself works, and not what is done in it. */
export const isReserved = (name: string): boolean => RESERVED.some((pattern) => pattern.test(name));
