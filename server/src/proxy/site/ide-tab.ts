import type { IncomingMessage, ServerResponse } from "node:http";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Clock } from "#ports/clock.ts";
import { findSession } from "#proxy/door/cookies.ts";
import type { Gate } from "#proxy/door/gate.ts";
import type { Origins, WorkspaceHost } from "#proxy/door/origins.ts";
import { foreign, type VisitState } from "#proxy/door/visit.ts";
import { sendJson, sendText } from "#proxy/pages/answers.ts";
import { doorPath, doorStatus } from "#proxy/pages/door-pages.ts";
import { TAB_SCRIPT } from "#proxy/pages/tab-script.ts";

export interface IdeTabDeps {
  readonly origins: Origins;
  readonly gate: Gate;
  readonly clock: Clock;
}

const TAG = '<script src="/.codehub/tab.js" defer></script>';
/** The head of a page begins at its beginning; what has none so far is passed on as it is. */
const SEARCH_LIMIT = 16_384;

/** What the tab of an IDE is told when its workspace is no longer there. */
export class IdeTab {
  readonly #deps: IdeTabDeps;

  constructor(deps: IdeTabDeps) {
    this.#deps = deps;
  }

  script(res: ServerResponse): void {
    res.writeHead(200, {
      "Content-Type": "text/javascript; charset=utf-8",
      "Content-Length": Buffer.byteLength(TAB_SCRIPT),
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    });
    res.end(TAB_SCRIPT);
  }

  async state(req: IncomingMessage, res: ServerResponse, host: WorkspaceHost): Promise<void> {
    const { gate, origins } = this.#deps;
    if (foreign(req.method, req.headers, host.origin) !== null) return sendText(res, 403, "Refused.");
    const found = findSession(req.headers.cookie, origins.secure);
    const session = found.kind === "token" ? await gate.session(found.token, host.workspaceId, host.port) : null;
    const row = session === null ? null : await gate.row(host.workspaceId);
    const owned = row !== null && row.ownerId === session?.userId ? row : null;
    sendJson(res, 200, { ...this.#words(owned), href: origins.dashboard + doorPath(host.workspaceId) });
  }

  #words(row: Workspace | null): {
    state: VisitState | "signed-out";
    heading: string;
    message: string;
    action: string;
  } {
    if (row === null) {
      const message = "Your session has ended. Text that was not saved stays on this page until you leave it.";
      return { state: "signed-out", heading: "You are signed out", message, action: "Sign in" };
    }
    const { state, heading, message } = doorStatus(row, null, this.#deps.clock.nowMs());
    const unsaved = "Text that was not saved stays on this page until you leave it.";
    switch (state) {
      case "ready":
        return {
          state,
          heading: `${row.name} is running again`,
          message: `Open it to go on. ${unsaved}`,
          action: "Open",
        };
      case "waking":
        return { state, heading, message: `It is being started. ${unsaved}`, action: "Show progress" };
      case "asleep":
        return { state, heading, message: `${message} ${unsaved}`, action: "Resume" };
      case "error":
      case "resetting":
      case "gone":
        return { state, heading, message, action: "Show details" };
    }
  }
}

/**
 * Adds one line to a page on its way from the container to the browser: the script above. The page is not kept for
 * that; what has gone through is gone, and the rest follows as it comes.
 */
export function addTabScript(req: IncomingMessage, res: ServerResponse): void {
  // A compressed page could not be added to.
  req.rawHeaders = req.rawHeaders.filter((_, i, raw) => raw[i - (i % 2)]?.toLowerCase() !== "accept-encoding");
  const writeHead = res.writeHead.bind(res) as (status: number, reason: string, headers: string[]) => ServerResponse;
  const write = res.write.bind(res) as (chunk: Buffer) => boolean;
  const end = res.end.bind(res) as (chunk?: Buffer) => ServerResponse;
  let begun: Buffer | null = null;

  const add = (chunk: Buffer): Buffer | null => {
    if (begun === null) return chunk;
    const text = Buffer.concat([begun, chunk]);
    const head = /<head[^>]*>/i.exec(text.toString("latin1"));
    begun = head === null && text.length < SEARCH_LIMIT ? text : null;
    if (begun !== null) return null;
    if (head === null) return text;
    const at = head.index + head[0].length;
    return Buffer.concat([text.subarray(0, at), Buffer.from(TAG), text.subarray(at)]);
  };
  res.writeHead = ((status: number, reason: string, headers: string[]) => {
    if (status !== 200 || !isPlainHtml(headers)) return writeHead(status, reason, headers);
    begun = Buffer.alloc(0);
    return writeHead(status, reason, without(headers, "content-length"));
  }) as typeof res.writeHead;
  res.write = ((chunk: string | Buffer, encoding?: BufferEncoding) => {
    const out = add(bytes(chunk, encoding));
    return out === null || write(out);
  }) as typeof res.write;
  res.end = ((chunk?: string | Buffer, encoding?: BufferEncoding) => {
    const out = add(chunk === undefined ? Buffer.alloc(0) : bytes(chunk, encoding)) ?? begun;
    begun = null;
    return out === null || out.length === 0 ? end() : end(out);
  }) as typeof res.end;
}

const bytes = (chunk: string | Buffer, encoding?: BufferEncoding): Buffer =>
  typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;

const headerOf = (headers: readonly string[], name: string): string =>
  headers.find((_, i) => i % 2 === 1 && headers[i - 1]?.toLowerCase() === name) ?? "";

const without = (headers: readonly string[], name: string): string[] =>
  headers.filter((_, i) => headers[i - (i % 2)]?.toLowerCase() !== name);

const isPlainHtml = (headers: readonly string[]): boolean =>
  headerOf(headers, "content-type").toLowerCase().startsWith("text/html") &&
  ["", "identity"].includes(headerOf(headers, "content-encoding"));
