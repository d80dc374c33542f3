import type { Reason } from "#core/rows/meaning.ts";
import type { InitStep } from "#ports/start-extras.ts";
import { COMPLETE } from "./files-tar.ts";
import { FILES_VARIABLE } from "./start-extras.ts";

/** What a container ends with whose step before the IDE failed; the last line of its output then says how. */
export const INIT_FAILED = 93;
const FILES_FAILED = 92;
const WORDS_LIMIT = 2_048;
const SAID = "[codehub] the step before the IDE";

/** For a shell in the container: unpacks what comes from `source`. An archive that was cut short lacks its last file. */
export const unpackFiles = (source: string, folder: string): string =>
  [
    `if ! tar -xpf ${source} -C ${folder} || ! rm ${folder}/${COMPLETE}; then`,
    '  echo "[codehub] the files of this start did not arrive, or the image has no tar" >&2',
    `  exit ${FILES_FAILED}`,
    "fi",
  ].join("\n");

/** The same from its input, into the folder that its environment names. */
export const UNPACK_INPUT: string = `${unpackFiles("-", `"$${FILES_VARIABLE}"`)}\nexec < /dev/null`;

/**
 * For a shell in the container: runs the step, and ends the shell where it fails or takes too long. Whatever the step
 * started goes with the container then. The shell itself keeps the time: an image need not have a program for that.
 */
export const initStep = ({ command, limitSeconds }: InitStep): string =>
  [
    `trap 'echo; echo "${overtime(limitSeconds)}"; exit ${INIT_FAILED}' ALRM`,
    "trap 'exit 143' TERM",
    `( exec ${command.map(quoted).join(" ")} ) &`,
    "step=$!",
    `( trap 'kill $nap; exit' TERM; sleep ${limitSeconds} & nap=$!; wait $nap; kill -ALRM $$ ) > /dev/null 2>&1 &`,
    "wait $step",
    "code=$?",
    "kill $! 2> /dev/null",
    "trap - ALRM TERM",
    `[ $code = 0 ] || { echo; echo "${SAID} ended with code $code"; exit ${INIT_FAILED}; }`,
  ].join("\n");

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
const overtime = (limitSeconds: number): string => `${SAID} was not done within ${limitSeconds} s`;

/** What the output of such a container says about its step; null when that did not fail. */
export function initFailure(output: string): Reason | null {
  const text = output.trimEnd();
  const at = text.lastIndexOf(SAID);
  const how =
    at < 0 ? null : /^(?:ended with code (\d+)|was not done within (\d+) s)$/.exec(text.slice(at + SAID.length + 1));
  if (how === null) return null;
  const [, code, limit] = how;
  return initFailed(
    code === undefined ? { limit_seconds: Number(limit) } : { exit_code: Number(code) },
    text.slice(0, at),
  );
}

/** The end of a container whose step failed, with the last of what that said. */
export const initFailed = (how: Readonly<Record<string, number>>, words: string): Reason => ({
  code: "init_failed",
  fields: { ...how, message: words.trim().slice(-WORDS_LIMIT) },
});
