import { pino } from "pino";
import type { Logger } from "#ports/logger.ts";

/** Whatever a field of one of these names holds never reaches a log, at any depth that we write. */
const SECRET_FIELDS = ["password", "secret", "token", "cookie", "authorization", "code", "state", "url"].flatMap(
  (name) => [name, `*.${name}`],
);

export function createLogger(level: string, destination: NodeJS.WritableStream = process.stdout): Logger {
  return pino(
    {
      level,
      redact: { paths: SECRET_FIELDS, censor: "(hidden)" },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    destination,
  );
}
