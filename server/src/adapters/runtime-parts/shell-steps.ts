import type { StartExtras } from "#ports/start-extras.ts";
import { initStep, UNPACK_INPUT } from "./init-step.ts";
import { FILES_VARIABLE } from "./start-extras.ts";

/**
 * For a shell: what comes before its arguments, which it becomes at last. `unpack` where the start's files come through
 * its input.
 */
export const shellSteps = ({ init, prelude }: Pick<StartExtras, "init" | "prelude">, unpack: boolean): string =>
  [
    ...(unpack ? [UNPACK_INPUT] : []),
    ...(init === undefined ? [] : [initStep(init)]),
    prelude === undefined ? 'exec "$@"' : preludeStep(prelude),
  ].join("\n");

/**
 * Reads the file into the shell itself. Whatever that does, short of not coming to an end, the arguments are run: `exit`
 * and mistakes end a shell, so they are run at its end, too; and in a function the file has its own arguments to change.
 */
export const preludeStep = (path: string): string =>
  [
    "begin() {",
    "  code=$1",
    "  shift",
    "  trap - EXIT",
    `  [ "$code" = 0 ] || echo "[codehub] the prelude ended with code $code; the IDE begins all the same" >&2`,
    '  exec "$@"',
    "}",
    `trap 'begin $? "$@"' EXIT`,
    `prelude() { . "$${FILES_VARIABLE}/${path}"; }`,
    'prelude "$@"',
    'begin $? "$@"',
  ].join("\n");
