import fs from "node:fs";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/**
 * Writes each text of the built dashboard once more, as small as it gets: beside `x.js` comes `x.js.br` and `x.js.gz`. The server sends
 * them as they are, so that no start and no visit waits for it.
 */

const FOLDER = path.resolve(import.meta.dirname, "../dashboard/dist");
const TEXTS = new Set([".html", ".js", ".css", ".svg", ".json", ".webmanifest", ".txt"]);
/** Less than that fits one packet anyway. */
const WORTH_BYTES = 500;

for (const entry of fs.readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
  const file = path.join(entry.parentPath, entry.name);
  if (!entry.isFile() || !TEXTS.has(path.extname(file))) continue;
  const plain = fs.readFileSync(file);
  if (plain.length < WORTH_BYTES) continue;
  fs.writeFileSync(`${file}.br`, brotliCompressSync(plain));
  fs.writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
}
