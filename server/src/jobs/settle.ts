import type { JobReport } from "#job-program/protocol.ts";

/**
 * Both must succeed; of two failures the first is the cause and the other its consequence. A broken pipe is never the
 * cause: it says that the job stopped reading, and the job's own outcome says why.
 */
export async function settle(
  carrying: Promise<void>,
  outcome: Promise<JobReport>,
  kill: () => void,
): Promise<JobReport> {
  const failures: unknown[] = [];
  const note = (error: unknown): void => {
    if (!isBrokenPipe(error)) failures.push(error);
  };
  const [carried, ended] = await Promise.allSettled([
    carrying.catch((error: unknown) => {
      note(error);
      if (!isBrokenPipe(error)) kill();
      throw error;
    }),
    outcome.catch((error: unknown) => {
      note(error);
      throw error;
    }),
  ]);
  if (failures.length > 0) throw failures[0];
  if (ended.status === "rejected") throw ended.reason;
  // A volume that was whole already is the one reason to succeed without having read the archive.
  const untouched = "unpacked" in ended.value && ended.value.unpacked.untouched;
  if (carried.status === "rejected" && !untouched) throw carried.reason;
  return ended.value;
}

/** The last one: it had ended before there was anything to give it. */
const BROKEN_PIPE: ReadonlySet<string> = new Set([
  "EPIPE",
  "ECONNRESET",
  "ECANCELED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_UNABLE_TO_PIPE",
]);

function isBrokenPipe(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return BROKEN_PIPE.has(code ?? "");
}
