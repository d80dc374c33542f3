import type { Logger } from "#ports/logger.ts";

/** Keeps what was said, for tests that look at it. */
export function recordingLogger(): Logger & { readonly messages: string[] } {
  const messages: string[] = [];
  const note = (_fields: object, message: string): void => {
    messages.push(message);
  };
  const logger = { debug: note, info: note, warn: note, error: note, child: () => logger, messages };
  return logger;
}
