import { fileURLToPath } from "node:url";
import type { Config } from "#config/config.ts";
import { ROLES } from "#config/variables.ts";
import type { Program } from "./child.ts";
import { controlSocket } from "./control-directory.ts";
import { freePort } from "./free-port.ts";

/** The program, which is told what to do by its environment. */
export const MAIN: string = fileURLToPath(new URL("../main.ts", import.meta.url));

export interface Deployment {
  readonly programs: readonly Program[];
  /** The one that can be started anew while people work. */
  readonly renewable: string;
  /** After all of them have ended. */
  readonly close: () => Promise<void>;
}

/**
 * What `npm start` runs: a proxy, which owns the port and every connection to a workspace, and a server that does the rest
 * and may end and begin again behind it. What both need for all of that time is ours: the port's number, the socket between
 * them, and the database that CodeHub brings along. A process that is to have some roles only is one program.
 */
export async function deploymentOf(
  config: Config,
  args: readonly string[],
  say: (words: string) => void,
): Promise<Deployment> {
  if (config.ROLES.length < ROLES.length) {
    const program = { name: "server", file: MAIN, args, roles: config.ROLES, environment: {} };
    return { programs: [program], renewable: program.name, close: async () => undefined };
  }
  const port = config.PORT === 0 ? await freePort() : config.PORT;
  const place = { PORT: String(port), CONTROL_SOCKET: await controlSocket(config.DATA_DIR, port) };
  // Last: whatever fails before it leaves nothing behind.
  const database =
    config.DATABASE_URL === null
      ? await (await import("./embedded-database.ts")).startEmbedded(config, (words) => say(`${capital(words)}.`))
      : null;
  const shared = { ...place, DATABASE_URL: database?.url ?? config.DATABASE_URL ?? "" };
  const program = (name: string, roles: readonly string[]): Program => ({
    name,
    file: MAIN,
    args,
    roles,
    environment: shared,
  });
  return {
    programs: [program("proxy", ["proxy"]), program("server", ["api", "coordinator"])],
    renewable: "server",
    close: async () => await database?.stop(),
  };
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
