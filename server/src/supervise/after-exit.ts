import { EXIT } from "./exit-codes.ts";

/** How a child ended, and what was known of it. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  /** It could not even be started, and why. */
  readonly problem: string | null;
  /** It was told to stop. */
  readonly told: boolean;
  /** It has been ready at least once, in this run or an earlier one. */
  readonly everReady: boolean;
  /** For how long it had been ready; 0 when it never was in this run. */
  readonly readyMs: number;
  /** How many times in a row it has ended without having been well for a while. */
  readonly failures: number;
}

export type Next =
  | { readonly kind: "restart"; readonly afterMs: number; readonly failures: number; readonly words: string }
  | { readonly kind: "stop"; readonly exitCode: number; readonly words: string };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** Whoever was well for so long has recovered from what it suffered from before. */
const WELL_MS = 60_000;

/** What becomes of a child that has ended. */
export function afterExit(name: string, ending: Ending): Next {
  const { code, signal, told, everReady, readyMs } = ending;
  const why = `The ${name} ${reason(ending)}.`;
  // One that had not come far enough to listen is ended by the signal itself; there is nothing yet to be put in order.
  const inOrder = code === EXIT.inOrder || (signal === "SIGTERM" && readyMs === 0);
  if (told) return { kind: "stop", exitCode: inOrder ? 0 : 1, words: inOrder ? "" : why };
  if (code === EXIT.inOrder) return { kind: "stop", exitCode: 0, words: `${why} It is not started again.` };
  if (code === EXIT.configuration || (code === EXIT.taken && !everReady))
    return { kind: "stop", exitCode: code, words: `${why} It would not go better again: it is not restarted.` };
  const failures = readyMs >= WELL_MS ? 0 : ending.failures;
  // Nothing is gained by waiting once for what did its work: people notice, and what ends again at once waits then.
  const waits = readyMs > 0 ? failures - 1 : failures;
  const afterMs = waits < 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** waits, LONGEST_WAIT_MS);
  const when = afterMs === 0 ? "at once" : `in ${afterMs / 1_000} s`;
  return { kind: "restart", afterMs, failures: failures + 1, words: `${why} It is started again ${when}.` };
}

/** In words, so that whoever reads it knows where to look. */
function reason({ code, signal, problem, told }: Ending): string {
  if (problem !== null) return `could not be started: ${problem}`;
  if (signal === "SIGKILL" && told) return "did not stop in time and was killed";
  if (signal === "SIGKILL")
    return "was killed (SIGKILL): by somebody, or by the system because memory ran out, which its log would say";
  if (signal === "SIGABRT" || code === 134)
    return "gave up (SIGABRT): most likely its memory ran out, which stands above then";
  if (signal !== null) return `was ended by ${signal}`;
  switch (code) {
    case EXIT.inOrder:
      return "ended in order";
    case EXIT.taken:
      return "found its port or its data directory in use; what it said stands above";
    case EXIT.fault:
      return "ended because of a fault that nobody expected; it stands above";
    case EXIT.configuration:
      return "needs something changed first; what it said stands above";
    default:
      return `ended with code ${code}; what it said stands above`;
  }
}
