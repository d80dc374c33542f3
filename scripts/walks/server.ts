import { Session } from "node:inspector/promises";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

/*
 * The server of a source tree with V8 counting calls: `server.ts TREE IDE-PROGRAM`, configured by its environment. Whoever
 * started it asks with a message what was called since the last time. Only the IDE is a small program, so that nothing has
 * to be installed.
 */

export interface Called {
  /** Below the tree. */
  readonly file: string;
  readonly name: string;
  readonly offset: number;
}

const [, , tree = "", ideProgram = ""] = process.argv;
const root = `${pathToFileURL(tree).href}/`;

const profiler = new Session();
profiler.connect();
await profiler.post("Profiler.enable");
// Before anything of the server is loaded: what is compiled earlier is not counted.
await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** Functions with a name, called since the last time. One without a name is a part of the function it is written in. */
async function called(): Promise<Called[]> {
  const { result } = await profiler.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => /^(server|contract)\/src\//.test(url.slice(root.length)) && url.startsWith(root))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ functionName, ranges }) => /^[\w$#]/.test(functionName) && (ranges[0]?.count ?? 0) > 0)
        .map(({ functionName, ranges }) => ({
          file: url.slice(root.length),
          name: functionName,
          offset: ranges[0]?.startOffset ?? 0,
        })),
    );
}

const load = (file: string) => import(pathToFileURL(path.join(tree, "server/src", file)).href);
const { readConfig } = await load("config/config.ts");
const { createLogger } = await load("adapters/system/logger.ts");
const { startApp } = await load("compose/app.ts");
const { reachableNode } = await load("adapters/process/ide-install.ts");

const config = readConfig(process.env, { isRoot: process.getuid?.() === 0, homeDir: os.homedir() });
const node: string = await reachableNode(config.DATA_DIR);
const ide = { command: ({ socket }: { socket: string }) => [node, ideProgram, socket] };
const app = await startApp(config, createLogger({ level: "warn", destination: process.stderr }), ide);
process.on("message", () => void called().then((functions) => process.send?.(functions)));
process.once("SIGTERM", () => void app.stop().then(() => process.exit(0)));
process.send?.(app.url);
