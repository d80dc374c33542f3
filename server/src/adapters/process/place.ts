import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Where the process runtime keeps its things below the data directory.
 *
 * `run/{workspace}/` is one "container": its existence is the claim on the workspace's name, as a container name is with an
 * engine. It is ours alone; the workspace's account cannot write there, so records, logs and exit codes cannot be forged.
 */
export interface Place {
  readonly dataDir: string;
  readonly runDir: string;
  /** One empty file per workspace, touched when something happened to it, so that one watch serves all. */
  readonly hintsDir: string;
  /** Links with a stable name to the current home: paths inside a home outlive an archive and a restore. */
  readonly homesDir: string;
  /** Sockets lie apart, under short names: the kernel takes no more than 107 bytes. */
  readonly socketsDir: string;
  readonly ideDir: string;
  /** Where only memory backs what is written, made when it is needed; null where this machine has no such place. */
  readonly memoryDir: string | null;
  /** Null where no rooms can be made; else what of ours lies below /home, relative to it. */
  readonly rooms: { readonly kept: readonly string[] } | null;
}

export const homeOf = (place: Place, volume: string): string => join(place.dataDir, "volumes", volume, "home");

// VS Code puts `vscode-ipc-{uuid}.sock` into the runtime directory we give it, and `/{12 hex}/u` stands before that.
const LONGEST_SOCKETS_DIR =
  107 - "/0123456789ab/u".length - "/vscode-ipc-00000000-0000-0000-0000-000000000000.sock".length;

/**
 * Run by root, homes belong to accounts of their own that must pass through the data directory but not list it: 0711.
 * What must stay secret in it has its own mode.
 */
export async function preparePlace(
  dataDir: string,
  ideDir: string | undefined,
  asRoot: boolean,
): Promise<Omit<Place, "rooms">> {
  const passable = asRoot ? 0o711 : 0o700;
  const ourName = `codehub-${createHash("sha256").update(dataDir).digest("hex").slice(0, 8)}`;
  let socketsDir = join(dataDir, "s");
  if (Buffer.byteLength(socketsDir) > LONGEST_SOCKETS_DIR) socketsDir = join(tmpdir(), ourName);
  const place = {
    dataDir,
    runDir: join(dataDir, "run"),
    hintsDir: join(dataDir, "run", ".hints"),
    homesDir: join(dataDir, "homes"),
    socketsDir,
    ideDir: ideDir ?? join(dataDir, "ide"),
    memoryDir: await memoryPlace(ourName),
  };
  await ours(dataDir, passable);
  await ours(join(dataDir, "volumes"), passable);
  await ours(place.runDir, 0o700);
  // What Node keeps of our programs there, it runs as ours.
  await ours(join(dataDir, "cache"), 0o700);
  await ours(place.hintsDir, 0o700);
  await ours(place.homesDir, passable);
  await ours(place.socketsDir, passable);
  await mkdir(place.ideDir, { recursive: true, mode: 0o755 });
  return place;
}

const TMPFS_MAGIC = 0x01021994;
const SHARED_MEMORY = "/dev/shm";

async function memoryPlace(name: string): Promise<string | null> {
  const found = await statfs(SHARED_MEMORY).catch(() => null);
  return found?.type === TMPFS_MAGIC ? join(SHARED_MEMORY, name) : null;
}

/** Rejects where somebody else has put a folder in its place, as everybody may where places are shared. */
export async function ours(path: string, mode: number): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  const info = await lstat(path);
  if (!info.isDirectory() || info.uid !== process.getuid?.()) {
    throw new Error(
      `${path} should be a directory of this server but belongs to somebody else. Remove it and start again.`,
    );
  }
  await chmod(path, mode);
}
