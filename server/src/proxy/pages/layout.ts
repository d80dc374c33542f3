import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { WAIT_SCRIPT } from "./scripts.ts";
import { STYLE } from "./style.ts";

/** Text that is safe inside an element and inside a quoted attribute. Everything from a row goes through here. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);

export interface Page {
  readonly status: number;
  readonly title: string;
  readonly heading: string;
  readonly tone: "calm" | "warn" | "error";
  /** Markup made by our own functions. */
  readonly body: string;
  /** Given to the waiting script as data attributes; without it the page has no script at all. */
  readonly live?: Readonly<Record<string, string>>;
  readonly retryAfterSeconds?: number;
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const policy = (script: string): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${script}`,
    "connect-src 'self'",
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const QUIET_POLICY = policy("'none'");
const LIVE_POLICY = policy(hashOf(WAIT_SCRIPT));

const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#4453cf"/><path d="M9 20.5 16 24l7-3.5M9 16l7 3.5 7-3.5M16 8l-7 3.5 7 3.5 7-3.5z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>';
const ICON = `data:image/svg+xml,${encodeURIComponent(MARK)}`;

export function render(page: Page): string {
  const data = Object.entries(page.live ?? {})
    .map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
    .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · CodeHub</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body class="${page.tone}"${data}>
<main>
<p class="brand">${MARK} CodeHub</p>
<h1 id="heading">${escapeHtml(page.heading)}</h1>
${page.body}
</main>
${page.live === undefined ? "" : `<script>${WAIT_SCRIPT}</script>`}
</body>
</html>
`;
}

/** Never cached, never framed, never sniffed; `same-origin` because forms would otherwise send a null Origin. */
export function sendPage(
  res: ServerResponse,
  page: Page,
  headers: Readonly<Record<string, string | string[]>> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  const html = render(page);
  res.writeHead(page.status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": Buffer.byteLength(html),
    "Content-Security-Policy": page.live === undefined ? QUIET_POLICY : LIVE_POLICY,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    ...(page.retryAfterSeconds === undefined ? {} : { "Retry-After": String(page.retryAfterSeconds) }),
    ...headers,
  });
  res.end(html);
}
