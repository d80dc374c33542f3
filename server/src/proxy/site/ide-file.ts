import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { CODINGS, type Coding, type IdeFiles } from "#ports/ide-files.ts";
import type { WorkspaceHost } from "#proxy/door/origins.ts";

/** A first look that costs nothing; whether there is such a file is known to whoever has them. */
export const mayBeIdeFile = (req: IncomingMessage, host: WorkspaceHost): boolean =>
  host.port === null && (req.method === "GET" || req.method === "HEAD") && req.url?.includes("/static/") === true;

/**
 * Answers with one of the IDE's own files; false where it is none, and nothing was sent. Its address names the commit that it
 * was built from, so it is good for ever, but `private`: only who may see the workspace is served from its host.
 */
export async function sendIdeFile(req: IncomingMessage, res: ServerResponse, files: IdeFiles): Promise<boolean> {
  const file = await files.find(req.url ?? "", acceptedCodings(req.headers["accept-encoding"]));
  if (file === null) return false;
  if (res.headersSent || res.destroyed) return true;
  const headers = {
    "Cache-Control": "private, max-age=31536000, immutable",
    ETag: file.tag,
    ...(file.varies ? { Vary: "Accept-Encoding" } : {}),
  };
  if (matches(req.headers["if-none-match"], file.tag)) {
    res.writeHead(304, headers).end();
    return true;
  }
  res.writeHead(200, {
    "Content-Type": file.type,
    "Content-Length": file.bytes,
    ...(file.coding === null ? {} : { "Content-Encoding": file.coding }),
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  if (req.method === "HEAD") res.end();
  // A file that cannot be read to its end ends the connection: its length was promised.
  else pipeline(file.open(), res, () => undefined);
  return true;
}

/** What a client takes; what it gives no weight at all it does not take. */
function acceptedCodings(header: string | string[] | undefined): ReadonlySet<Coding> {
  const accepted = new Set<Coding>();
  for (const item of String(header ?? "").split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    const refused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    const coding = CODINGS.find((one) => one === name);
    if (coding !== undefined && !refused) accepted.add(coding);
  }
  return accepted;
}

/** For `If-None-Match` a weak tag is as good as a strong one. */
const matches = (header: string | undefined, tag: string): boolean =>
  header?.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === tag) === true;
