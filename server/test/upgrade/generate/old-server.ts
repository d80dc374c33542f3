import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const PROGRAM = join(import.meta.dirname, "old-program.ts");

export interface OldServer {
  readonly url: string;
  /** From now on tar stops in the middle for the jobs of this workspace. */
  readonly holdJobs: (workspaceId: string) => Promise<void>;
  /** As a power cut would: the server, its jobs and its workspaces end at once. */
  readonly cutPower: () => Promise<void>;
}

/** tar, except for the jobs of workspaces that have a file in the gate: those get through a part and then no further. */
const HELD_TAR = (gate: string) => `#!/bin/sh
[ -e "${gate}/$CODEHUB_JOB_WORKSPACE" ] || exec /usr/bin/tar "$@"
case "$1" in
  --create) /usr/bin/tar "$@" | head -c 2048 ;;
  --extract) head -c 4096 | /usr/bin/tar "$@" 2>/dev/null ;;
esac
exec sleep 100000
`;

export async function startOldServer(
  checkout: string,
  workDir: string,
  environment: Readonly<Record<string, string>>,
): Promise<OldServer> {
  const gate = join(workDir, "gate");
  const bin = join(workDir, "bin");
  await mkdir(gate, { recursive: true });
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "tar"), HELD_TAR(gate));
  await chmod(join(bin, "tar"), 0o755);
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, checkout], {
    env: { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, ...environment },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const [url] = (await once(child, "message")) as [string];
  return {
    url,
    holdJobs: (workspaceId) => writeFile(join(gate, workspaceId), ""),
    cutPower: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
      await endEverythingOf(environment["DATA_DIR"] ?? "");
    },
  };
}

/** What the server started is known by the data directory it was given. */
async function endEverythingOf(dataDir: string): Promise<void> {
  for (let found = [0]; found.length > 0; await pause(50)) {
    found = [];
    for (const name of (await readdir("/proc")).filter((entry) => /^\d+$/.test(entry))) {
      const read = (file: string) => readFile(`/proc/${name}/${file}`, "latin1").catch(() => "");
      const mentions = `${await read("cmdline")}${await read("environ")}`.includes(dataDir);
      if (mentions && Number(name) !== process.pid) found.push(Number(name));
    }
    for (const pid of found) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
