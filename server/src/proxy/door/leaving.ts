import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readiness } from "@codehub/contract";
import { sendJson } from "#proxy/pages/answers.ts";

const READY = "/readyz";
const NOT_READY: Readiness = {
  ready: false,
  checks: [{ name: "process", ok: false, detail: "This process is about to end: others go on." }],
};

/**
 * A process that is told to stop goes on answering for a while, and says two things: that nobody should be sent here any more,
 * and with every answer that its connection is not to be used again. Whoever spreads requests over several processes has then
 * nothing open here that a request could be lost on.
 */
export class Leaving {
  #begun = false;

  begin(): void {
    this.#begun = true;
  }

  /** Before anything else is done about a request. True: it has been answered. */
  meets(req: IncomingMessage, res: ServerResponse): boolean {
    if (!this.#begun) return false;
    res.shouldKeepAlive = false;
    if (req.url !== READY) return false;
    req.resume();
    sendJson(res, 503, NOT_READY);
    return true;
  }
}
