import { type DestinationStream, pino } from "pino";
import type { Logger } from "#ports/logger.ts";

/** Fields that hold secrets wherever they turn up. They should never be logged; this is for the day somebody does. */
const SECRET_FIELDS = ["password", "secret", "token", "code", "authorization", "cookie", "set-cookie", "passwordHash"];

/** Secrets that hide inside texts: credentials in addresses, our own tokens and cookies. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s"'/@]*@/gi, "$1***@"],
  [/\bcodehub_[A-Za-z0-9_-]{20,}/g, "codehub_***"],
  [/((?:__Host-(?:Http-)?)?codehub(?:_ws|_state[\w-]*)?=)[^;\s"\\]+/g, "$1***"],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, "$1 ***"],
];

/** The last look at a line before it leaves the process. */
const scrub = (line: string): string =>
  SECRET_TEXTS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), line);

/** One JSON object a line: a constant message plus fields. */
export function createLogger(options: { readonly level: string; readonly destination?: DestinationStream }): Logger {
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]),
      censor: "***",
    },
    hooks: { streamWrite: scrub },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
