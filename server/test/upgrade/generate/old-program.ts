import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * The old release's own server, started from a checkout of it: `old-program.ts CHECKOUT`, configured by its environment.
 * Only the IDE is a small program, so that nothing has to be installed; a home with a file `.mute` gets none that answers.
 */

const checkout = process.argv[2] ?? "";
const old = (path: string) => import(pathToFileURL(join(checkout, "server/src", path)).href);
const { readConfig } = await old("config/config.ts");
const { createLogger } = await old("adapters/system/logger.ts");
const { startApp } = await old("compose/app.ts");

const config = readConfig(process.env, { isRoot: true, homeDir: "/root" });
const script = '[ -e "$HOME/.mute" ] && exec sleep 100000; exec "$@"';
const ide = {
  command: ({ socket }: { socket: string }) => [
    ...["/bin/sh", "-c", script, "sh"],
    ...[join(config.DATA_DIR, "node"), join(config.DATA_DIR, "ide.mjs"), socket],
  ],
};
const app = await startApp(config, createLogger({ level: "warn", destination: process.stderr }), ide);
process.send?.(app.url);
