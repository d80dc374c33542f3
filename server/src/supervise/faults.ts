import { inspect } from "node:util";
import type { Logger } from "#ports/logger.ts";
import { EXIT } from "./exit-codes.ts";

/**
 * Ends the process after something that nobody expected, once it has been told with its causes, through the log because
 * that hides secrets. Going on would mean going on in a state that nobody knows; a new process starts from a known one.
 */
export function endOnFault(logger: Logger): void {
  const end = (error: unknown, origin: string): void => {
    try {
      logger.error({ origin, error: inspect(error, { depth: 5 }) }, "the server ends: an error that nobody expected");
    } finally {
      process.exit(EXIT.fault);
    }
  };
  process.on("uncaughtException", end);
  // Left to Node, a rejection with something else than an error would lose what it was rejected with.
  process.on("unhandledRejection", (reason) => end(reason, "unhandledRejection"));
}
