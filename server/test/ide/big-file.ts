import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { Page } from "playwright-core";

export const BLOCKS = 300;
const BLOCK_BYTES = 1_048_576;

/** A web app as somebody might start it in a terminal, on localhost as most do: a page, an upload into the home, and a download from it. */
const app = (port: number): string => `
const http = require("http"), fs = require("fs"), crypto = require("crypto");
http.createServer((req, res) => {
  if (req.method === "POST") {
    const hash = crypto.createHash("sha256");
    req.on("data", (chunk) => hash.update(chunk));
    req.pipe(fs.createWriteStream("big.bin")).on("finish", () => res.end(hash.digest("hex")));
  } else if (req.url === "/big.bin") {
    const head = { "content-type": "application/octet-stream", "content-length": fs.statSync("big.bin").size };
    res.writeHead(200, { ...head, "content-disposition": "attachment" });
    fs.createReadStream("big.bin").pipe(res);
  } else res.writeHead(200, { "content-type": "text/html" }).end("<h1>An app on a port</h1><a href=/big.bin>big</a>");
}).listen(${port}, "127.0.0.1", () => console.log("app", "listens"));`;

/** One line for a shell that has Node and base64. */
export const startApp = (port: number): string =>
  `node -e "$(echo ${Buffer.from(app(port)).toString("base64")} | base64 -d)"`;

/** Random enough not to be the same twice: one block again and again, each time behind its number. */
function block(): Uint8Array {
  const bytes = new Uint8Array(BLOCK_BYTES);
  let state = 2_463_534_242;
  for (let i = 0; i < bytes.length; i += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[i] = state;
  }
  return bytes;
}

export const BIG_BYTES = BLOCKS * (BLOCK_BYTES + 4);

export function bigSha256(): string {
  const hash = createHash("sha256");
  const body = block();
  for (let i = 0; i < BLOCKS; i += 1) hash.update(new Uint8Array(Uint32Array.of(i).buffer)).update(body);
  return hash.digest("hex");
}

/** Sent by the page itself, as an upload form would; answers with the digest of what arrived. */
export async function upload(page: Page): Promise<string> {
  const script = `(async () => {
    const body = new Blob([(${block.toString().replaceAll("BLOCK_BYTES", String(BLOCK_BYTES))})()]);
    const parts = [];
    for (let i = 0; i < ${BLOCKS}; i += 1) parts.push(Uint32Array.of(i), body);
    const answer = await fetch("/upload", { method: "POST", body: new Blob(parts) });
    return await answer.text();
  })()`;
  return await page.evaluate<string>(script);
}

/** The most memory a process has held since it was last asked to forget that. */
export const forgetPeak = (pid: number): Promise<void> => writeFile(`/proc/${pid}/clear_refs`, "5");

export async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
