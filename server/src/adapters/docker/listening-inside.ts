import { eachOnce, type ListeningSocket, parseListening } from "#adapters/runtime-parts/listening-sockets.ts";
import { programName } from "#adapters/runtime-parts/program-name.ts";
import type { ListeningPort } from "#ports/runtime.ts";
import type { Engine } from "./engine.ts";
import { execute } from "./exec.ts";
import { RELAY_NAME } from "./loopback-relay.ts";

/**
 * Programs that every image has, started once for all processes. What belongs to other accounts is neither read nor
 * believed: the engine's own name server listens in the container too, as root. The last word says that all was said.
 */
const LOOK = `id -u
cat /proc/net/tcp /proc/net/tcp6
echo files
ls -l /proc/[0-9]*/fd
echo commands
head -v -c 400 /proc/[0-9]*/cmdline
echo; echo end`;
const SAID = /^(\d+)\n(.*?)\nfiles\n(.*?)\ncommands\n(.*)\nend\n$/s;

/** Every TCP port that the container's own user listens on, with the program that does. */
export async function listeningInside(engine: Engine, containerId: string): Promise<readonly ListeningPort[]> {
  return readLook(await execute(engine, containerId, ["sh", "-c", LOOK]));
}

export function readLook(said: string): readonly ListeningPort[] {
  const [, uid, tables = "", files = "", commands = ""] = SAID.exec(said) ?? [];
  if (uid === undefined) throw new Error("The container did not say what listens in it.");
  const programs = programsOf(files, namesOf(commands));
  const named = ({ port, inode }: ListeningSocket) => ({ port, program: programs.get(inode) ?? null });
  const own = parseListening(tables).filter((socket) => socket.uid === Number(uid));
  // Our relay stands in for a program that listens on its loopback, and stays a while when that is gone.
  return eachOnce(own.map(named).filter(({ program }) => program !== RELAY_NAME));
}

function namesOf(commands: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [, pid = "", line = ""] of commands.matchAll(/^==> \/proc\/(\d+)\/cmdline <==\n([^\n]*)/gm)) {
    const name = programName(line);
    if (name !== null) names.set(pid, name);
  }
  return names;
}

/** By the sockets they hold, from a list of each process's files. */
function programsOf(files: string, names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const programs = new Map<string, string>();
  let name: string | undefined;
  for (const line of files.split("\n")) {
    const pid = /^\/proc\/(\d+)\/fd:$/.exec(line)?.[1];
    if (pid !== undefined) name = names.get(pid);
    const inode = / -> socket:\[(\d+)\]$/.exec(line)?.[1];
    if (inode !== undefined && name !== undefined) programs.set(inode, name);
  }
  return programs;
}
