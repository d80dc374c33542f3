import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Coding, IdeFile } from "#ports/ide-files.ts";
import { CodeServerFiles } from "./ide-files.ts";

const COMMIT = "53c2f3253bcf32886706fc023e794bbeb253c90f";
const STATIC = `/stable-${COMMIT}/static/`;
const SCRIPT = "console.log('the workbench');\n".repeat(500);

let dir: string;
let files: CodeServerFiles;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "codehub-ide-files-"));
  const vscode = join(dir, "code-server/lib/vscode");
  await mkdir(join(vscode, "out/vs"), { recursive: true });
  await mkdir(join(vscode, "node_modules/@vscode/iconv"), { recursive: true });
  await mkdir(join(dir, "elsewhere"));
  const write = (path: string, text: string) => writeFile(join(dir, path), text);
  await write("code-server/lib/vscode/product.json", JSON.stringify({ quality: "stable", commit: COMMIT }));
  await write("code-server/lib/vscode/out/vs/workbench.js", SCRIPT);
  await write("code-server/lib/vscode/out/vs/small.svg", "<svg/>");
  await write("code-server/lib/vscode/out/vs/page.html", "<p>");
  await write("code-server/lib/vscode/out/vs/.hidden.js", "1");
  await write("code-server/lib/vscode/node_modules/@vscode/iconv/i.js", "2");
  await write("elsewhere/secret.js", "3");
  await symlink(join(dir, "elsewhere/secret.js"), join(vscode, "out/vs/link.js"));
  await symlink(join(dir, "elsewhere"), join(vscode, "out/linked"));
  files = new CodeServerFiles(join(dir, "code-server/out/node/entry.js"), join(dir, "packed"));
});
afterEach(() => rm(dir, { recursive: true }));

const find = (below: string, ...codings: Coding[]): Promise<IdeFile | null> =>
  files.find(STATIC + below, new Set(codings));

async function bytesOf(file: IdeFile | null): Promise<Buffer> {
  const bytes = file === null ? Buffer.alloc(0) : await buffer(file.open());
  expect(file?.bytes).toBe(bytes.length);
  return bytes;
}

test("a file has the installation's own bytes in every coding, the best one first, and a tag for each", async () => {
  const plain = await find("out/vs/workbench.js");
  expect(plain).toMatchObject({ coding: null, type: "text/javascript", varies: true });
  expect((await bytesOf(plain)).toString()).toBe(SCRIPT);
  const gzip = await find("out/vs/workbench.js", "gzip");
  expect(gunzipSync(await bytesOf(gzip)).toString()).toBe(SCRIPT);
  const brotli = await find("out/vs/workbench.js", "gzip", "br");
  expect(brotliDecompressSync(await bytesOf(brotli)).toString()).toBe(SCRIPT);
  const zstd = await find("out/vs/workbench.js", "gzip", "br", "zstd");
  expect(zstdDecompressSync(await bytesOf(zstd)).toString()).toBe(SCRIPT);
  expect(new Set([plain, gzip, brotli, zstd].map((file) => file?.tag)).size).toBe(4);
});

test("what is packed is packed once, also when many ask at once, and nothing half-made stays", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => find("out/vs/workbench.js", "zstd")));
  expect(new Set(all.map((file) => file?.tag)).size).toBe(1);
  expect(await readdir(join(dir, "packed/zstd/out/vs"))).toEqual(["workbench.js"]);
});

test("what is small is sent as it is", async () => {
  expect(await find("out/vs/small.svg", "zstd")).toMatchObject({ coding: null, varies: false });
});

test("a package of an owner is found", async () => {
  expect((await bytesOf(await find("node_modules/@vscode/iconv/i.js"))).toString()).toBe("2");
});

test.each([
  "out/vs/../../product.json",
  "out/../product.json",
  "product.json",
  "out/vs/%2e%2e/workbench.js",
  "out/vs/..%2fworkbench.js",
  "out/vs//workbench.js",
  "out//etc/passwd.js",
  "out/vs/./workbench.js",
  "out/vs/workbench.js?x=1",
  "out/vs/workbench.js/",
  "out/vs/workbench.js\0.css",
  "out\\vs\\workbench.js",
  "out/vs",
  "out/vs/.hidden.js",
  "out/vs/page.html",
  "out/vs/link.js",
  "out/linked/secret.js",
  "out/vs/absent.js",
])("%s is no file of the IDE's", async (below) => {
  expect(await find(below)).toBeNull();
});

test("another commit's files are not ours", async () => {
  const other = STATIC.replace("53c2", "0000");
  expect(await files.find(`${other}out/vs/workbench.js`, new Set())).toBeNull();
  expect(await files.find("/static/out/vs/workbench.js", new Set())).toBeNull();
});
