import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { homeOf, type Place } from "./place.ts";

/**
 * How a workspace's user sees this machine: by a name, with the home at /home/coder, without the homes and the processes of
 * others, and by the workspace's own name. It is a namespace for mounts and one for the host's name that live as long as its processes, so they outlive the server with them.
 */
export interface Room {
  readonly uid: number;
  /** The volume's own folder. Every folder on the way to it is root's, so nobody can put a link in its place. Null: memory. */
  readonly home: string | null;
  /** Where the home was seen before there were rooms, and still is: a name in a folder of root's. */
  readonly formerHome: string;
  /** What this machine is called in it; left out: as it is called. */
  readonly hostName?: string;
  /** What has to stay below /home, relative to it: places of ours that lie there. */
  readonly kept: readonly string[];
}

export const ROOM_HOME = "/home/coder";
/** Memory, and the workspace's own. */
export const ROOM_FILES = "/run/codehub";

/** Passed as text, as everything is that runs on the way into a workspace. */
export const NAMES: string = readFileSync(new URL("./names.sh", import.meta.url), "utf8");
const SCRIPT = NAMES + readFileSync(new URL("./room.sh", import.meta.url), "utf8");
/** Of root's own, until the user's variables take its place: a program that the user put somewhere is never found by it. */
export const SAFE_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";
const TRIAL_LIMIT_MS = 10_000;
const TRIAL_UID = 65_533;

/** To the script, in place of a path. */
const IN_MEMORY = "memory";

export interface UserProgram {
  readonly command: readonly string[];
  /** Without a room; in one a program begins in its home. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it is known by from its first moment, while root still prepares the room. */
  readonly marks: Readonly<Record<string, string>>;
  readonly stdin: "ignore" | "inherit" | "pipe";
  /** Given its namespace, open, when the room is made and nobody but root is in it. */
  readonly onRoom?: (namespace: number) => void;
}

/** Starts a program as a workspace's user, in a group of its own: in its room, or by its account alone where there are none. */
export function spawnAsUser(room: Room | null, uid: number | null, program: UserProgram): ChildProcess {
  const { command, cwd, env, marks, stdin, onRoom } = program;
  const [file = "", ...args] = command;
  if (room === null) {
    const account = uid === null ? {} : { uid, gid: uid };
    return spawn(file, args, {
      cwd,
      env: { ...env, ...marks },
      detached: true,
      stdio: [stdin, "pipe", "pipe"],
      ...account,
    });
  }
  const settings = [String(room.uid), room.home ?? IN_MEMORY, room.formerHome, room.hostName ?? "", ...room.kept, "--"];
  const child = spawn(
    "unshare",
    ["--mount", "--uts", "--propagation", "slave", "--", "/bin/sh", "-c", SCRIPT, "room", ...settings, ...command],
    { cwd: "/", env: { PATH: SAFE_PATH, ...marks }, detached: true, stdio: [stdin, "pipe", "pipe", "pipe", "pipe"] },
  );
  const [, , , variables, made] = child.stdio as unknown as [unknown, unknown, unknown, Writable, Readable];
  // Whoever does not read them has ended, and is seen to have.
  variables.on("error", () => {});
  made.once("data", () => {
    try {
      onRoom?.(openSync(`/proc/${child.pid}/ns/mnt`, "r"));
    } catch {
      // It was ended just now.
    }
    variables.end(`go\n${exports(env)}`);
  });
  return child;
}

/** For a shell. What it could not take by name is refused where a start is described. */
const exports = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}='${value.replaceAll("'", `'\\''`)}'\n`)
    .join("");

export const isVariableName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);

export function roomOf(
  place: Place,
  of: { uid: number | null; volume: string; workspaceId: string; hostName?: string | undefined },
): Room | null {
  if (place.rooms === null || of.uid === null) return null;
  const formerHome = join(place.homesDir, of.workspaceId);
  const named = of.hostName === undefined ? {} : { hostName: of.hostName };
  return { uid: of.uid, home: homeOf(place, of.volume), formerHome, ...named, kept: place.rooms.kept };
}

/** With a home that lives no longer than the room. */
export function apartRoom(place: Place, { uid, id }: { uid: number | null; id: string }): Room | null {
  if (place.rooms === null || uid === null) return null;
  return { uid, home: null, formerHome: join(place.homesDir, id), kept: place.rooms.kept };
}

/**
 * Whether rooms can be made here, found out by making one: it takes root, the right to mount, and util-linux. Null where
 * something of that is missing; what has to stay of /home otherwise.
 */
export async function tryRoom(place: Omit<Place, "rooms">): Promise<Place["rooms"]> {
  if (process.getuid?.() !== 0) return null;
  const trial = await mkdtemp(join(place.runDir, ".room-"));
  try {
    await mkdir("/home", { recursive: true });
    await mkdir(ROOM_FILES, { recursive: true });
    const kept = await belowHome([place.dataDir, place.socketsDir, place.ideDir]);
    const home = join(trial, "home");
    await mkdir(home);
    await chmod(home, 0o755);
    const room = { uid: TRIAL_UID, home, formerHome: join(place.homesDir, "trial"), kept };
    return (await says(room, TRIAL)) === `coder ${ROOM_HOME} tmpfs 1` ? { kept } : null;
  } catch {
    return null;
  } finally {
    await rm(trial, { recursive: true, force: true });
  }
}

const TRIAL = [
  `echo "$(id -un) $(pwd -P) $(stat -f -c %T ${ROOM_FILES})"`,
  `"$(sed -n 's/^NoNewPrivs:[^0-9]*//p' /proc/self/status)"`,
].join(" ");

async function says(room: Room, script: string): Promise<string> {
  const env = { PATH: SAFE_PATH };
  const command = ["/bin/sh", "-c", script];
  const child = spawnAsUser(room, room.uid, { command, cwd: "/", env, marks: {}, stdin: "ignore" });
  const limit = setTimeout(() => child.kill("SIGKILL"), TRIAL_LIMIT_MS);
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  child.stderr?.resume();
  try {
    return (await Promise.race([text(child.stdout as Readable), failed])).trim();
  } finally {
    clearTimeout(limit);
  }
}

/** Without those that lie in another of them. */
async function belowHome(paths: readonly string[]): Promise<string[]> {
  const top = await realpath("/home");
  const real = await Promise.all(paths.map((path) => realpath(path)));
  const below = [...new Set(real.filter((path) => path.startsWith(`${top}/`)))];
  return below
    .filter((path) => !below.some((other) => path.startsWith(`${other}/`)))
    .map((path) => relative(top, path));
}
