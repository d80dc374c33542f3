import type { IncomingMessage, ServerResponse } from "node:http";
import { answerSocket, DRAIN_MS } from "#proxy/pages/answers.ts";

/** For the whole body of a request that nobody has let in yet. */
const BODY_MS = 30_000;

const DEADLINE: unique symbol = Symbol("body deadline");

type LimitedRequest = IncomingMessage & { [DEADLINE]?: NodeJS.Timeout };

/**
 * A body may not hold a connection for as long as it likes: it comes in time, and once its request was answered without
 * it the rest is read for a moment only. Closing at once would take the answer away from the client.
 */
export function limitBody(req: LimitedRequest, res: ServerResponse): void {
  if (req.headers["content-length"] === undefined && req.headers["transfer-encoding"] === undefined) return;
  const deadline = setTimeout(() => expire(req, res), BODY_MS).unref();
  req[DEADLINE] = deadline;
  let drain: NodeJS.Timeout | undefined;
  res.once("finish", () => {
    if (!req.complete) drain = setTimeout(() => req.destroy(), DRAIN_MS).unref();
  });
  req.once("close", () => {
    clearTimeout(deadline);
    clearTimeout(drain);
  });
}

/** The request was let in. An upload may take as long as it brings something. */
export const mayTakeItsTime = (req: LimitedRequest): void => clearTimeout(req[DEADLINE]);

function expire(req: IncomingMessage, res: ServerResponse): void {
  if (req.complete) return;
  // An answer that has begun, or one before it, has the connection; there is no place for another.
  if (res.headersSent || res.socket === null) return void req.destroy();
  answerSocket(req.socket, 408, "The request's body did not come in time.");
}
