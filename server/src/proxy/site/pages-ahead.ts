import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Workspace } from "#core/rows/workspace.ts";
import type { ContentChange } from "#proxy/wire/content-change.ts";
import { pathOf, queryOf, safeNext } from "#proxy/wire/request-target.ts";
import { beginTagging, TAB_TAG, tabTag, withTag } from "./tab-tag.ts";

/** What a container said of its IDE's page. It was asked for without any coding. */
interface PageAhead {
  readonly ownerId: string;
  readonly imageRef: string;
  /** Another home is another's page, also of the same workspace: it may have been emptied for what was in it. */
  readonly homeVolume: string | null;
  /** It may name the host that it was served from. */
  readonly address: string | null;
  /** Where it was, with its query: the page finds out from there what to open. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const SAME = ["ownerId", "imageRef", "homeVolume", "address"] as const;
const MAX_PAGE_BYTES = 64 * 1024;
const MAX_PAGES = 500;
/** Only a page that is known to wait for its connections is of any use before there is somebody to connect to. */
const MARK = 'id="vscode-workbench-web-configuration"';
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  "content-type",
  "content-security-policy",
  "cross-origin-embedder-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
  "referrer-policy",
  "x-content-type-options",
  "x-frame-options",
]);

/**
 * The page of each workspace's IDE as its own container served it last, for its owner's next visit while the container
 * starts: the browser then loads and runs it meanwhile. Never another workspace's, and nothing for another owner or
 * image. The page itself asks afterwards whether the container would still serve the same, and loads again if not.
 */
export class PagesAhead {
  readonly #pages = new Map<string, PageAhead>();

  /** The page that answers this visit, or null. For "/" it is the one that was open last, as the IDE itself would have it. */
  find({ id, ...row }: Workspace, target: string): PageAhead | null {
    const page = this.#pages.get(id);
    if (page === undefined) return null;
    if (SAME.some((column) => page[column] !== row[column])) return this.#forget(id);
    return target === "/" || target === page.target ? page : null;
  }

  /** Watches a page on its way from the container, and adds to it what every page of an IDE gets. */
  watch(row: Workspace, target: string): ContentChange {
    if (!isRemembered(target)) return TAB_TAG;
    return {
      begin: (status, headers) => {
        const known = this.find(row, target)?.body.toString("latin1") ?? "";
        const tagging = beginTagging(status, headers, preloads(known));
        if (tagging === null) return null;
        const chunks: Buffer[] = [];
        let size = 0;
        return {
          chunk: (chunk) => {
            size += chunk.length;
            // A copy: what was sent is given back, and nothing is left of it.
            if (size <= MAX_PAGE_BYTES) chunks.push(Buffer.from(chunk));
            return tagging.chunk(chunk);
          },
          end: () => {
            if (size > 0 && size <= MAX_PAGE_BYTES) this.#remember(row, target, headers, Buffer.concat(chunks));
            tagging.end();
          },
        };
      },
    };
  }

  #remember(
    { id, ownerId, imageRef, homeVolume, address }: Workspace,
    target: string,
    raw: readonly string[],
    body: Buffer,
  ): void {
    this.#pages.delete(id);
    const headers = keptHeaders(raw);
    if (headers === null || !body.includes(MARK)) return;
    this.#pages.set(id, { ownerId, imageRef, homeVolume, address, target, headers, body });
    const [oldest] = this.#pages.size > MAX_PAGES ? this.#pages.keys() : [];
    if (oldest !== undefined) this.#pages.delete(oldest);
  }

  #forget(workspaceId: string): null {
    this.#pages.delete(workspaceId);
    return null;
  }
}

/** Once closed, a folder is not opened again by itself; what is below the root is no page of the IDE. */
function isRemembered(target: string): boolean {
  const query = queryOf(target);
  return (
    pathOf(target) === "/" &&
    safeNext(target) === target &&
    (query.has("folder") || query.has("workspace")) &&
    !query.has("ew")
  );
}

/** Null where a header comes twice: nobody can say what the two together mean. */
function keptHeaders(raw: readonly string[]): Record<string, string> | null {
  const kept: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    if (!KEPT_HEADERS.has(name)) continue;
    if (kept[name] !== undefined) return null;
    kept[name] = raw[i + 1] ?? "";
  }
  return kept;
}

const MODULE = /<script type="module" src="([\w./:-]+)"/g;

/**
 * Asks for a page's modules once more, as plain scripts: Chromium 156 compiles a module anew on every visit unless it
 * was asked for that way, and what it has kept of it since the second visit is of no use. They are loaded once all the same.
 */
function preloads(page: string): string {
  const modules = new Set([...page.matchAll(MODULE)].map(([, src]) => src));
  return [...modules].map((src) => `<link rel="preload" as="script" crossorigin href="${src}">`).join("");
}

const NONCE = /'nonce-([A-Za-z0-9+/_-]+={0,2})'/;

/** With a nonce of its own: one that was used before would let in whatever knew it. */
export function sendPageAhead(res: ServerResponse, page: PageAhead, heading: string): void {
  if (res.headersSent || res.destroyed) return;
  const policy = page.headers["content-security-policy"] ?? "";
  const used = NONCE.exec(policy)?.[1];
  const fresh = randomBytes(16).toString("base64url");
  const renewed = (text: string): string => (used === undefined ? text : text.replaceAll(used, fresh));
  const text = renewed(page.body.toString("latin1"));
  const body = withTag(Buffer.from(text, "latin1"), preloads(text) + tabTag(heading));
  res.writeHead(200, {
    ...page.headers,
    ...(policy === "" ? {} : { "content-security-policy": renewed(policy) }),
    "Content-Length": body.length,
    "Cache-Control": "no-store",
  });
  res.end(body);
}
