import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { giveHome } from "#adapters/process/accounts.ts";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { type ContainerRecord, removeContainerDir } from "#adapters/process/record.ts";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { volumeName } from "#core/rows/names.ts";
import { mayActAsRoot } from "../root.ts";

const USER = 61_001;
const OTHER_USER = 61_002;
const ROUNDS = 6;
const CANARIES = Array.from({ length: 60 }, (_, index) => `file-${index}`);

/** Accounts of their own need root; without it everything belongs to one account, and there is nobody to attack. */
describe.runIf(mayActAsRoot("an attack by another account"))("while a hostile user swaps directories and links", () => {
  let base: string;
  let canaryDir: string;
  let node: string;
  let attackers: ChildProcess[];

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "codehub-race-"));
    await chmod(base, 0o711);
    canaryDir = join(base, "canaries");
    await mkdir(canaryDir, { mode: 0o755 });
    for (const name of CANARIES) await writeFile(join(canaryDir, name), "root's", { mode: 0o644 });
    await copyFile(new URL("./racing-user.mjs", import.meta.url), join(base, "racing-user.mjs"));
    node = await reachableNode(base);
    attackers = [];
  });
  afterEach(async () => {
    await endAttackers();
    await rm(base, { recursive: true, force: true });
  });

  /** One that races in a directory of his; resolves when he does. */
  const attack = async (directory: string): Promise<void> => {
    const attacker = spawn(node, [join(base, "racing-user.mjs"), canaryDir, CANARIES.join(",")], {
      cwd: directory,
      uid: USER,
      gid: USER,
      stdio: ["ignore", "pipe", "inherit"],
    });
    attackers.push(attacker);
    await once(attacker.stdout as NodeJS.EventEmitter, "data");
  };
  const endAttackers = async (): Promise<void> => {
    for (const attacker of attackers.splice(0)) {
      const gone = once(attacker, "exit");
      attacker.kill("SIGKILL");
      await gone;
    }
  };
  const expectCanariesWhole = async (): Promise<void> => {
    expect((await readdir(canaryDir)).length).toBe(CANARIES.length);
    for (const name of [".", ...CANARIES]) {
      const { uid, gid, mode } = await lstat(join(canaryDir, name));
      expect([uid, gid, mode & 0o777], name).toEqual([0, 0, name === "." ? 0o755 : 0o644]);
    }
  };
  const giveTo = async (uid: number, path: string): Promise<void> => {
    await mkdir(path, { mode: 0o700 });
    await chown(path, uid, uid);
  };

  it("removing a container's directories takes nothing but them away", async () => {
    const runDir = join(base, "run");
    await mkdir(runDir, { mode: 0o700 });
    for (let round = 0; round < ROUNDS; round++) {
      const workspaceId = randomUUID();
      const socketDir = join(base, `s${round}`);
      const userSocketDir = join(socketDir, "u");
      const record = { id: `${workspaceId}.x`, workspaceId, uid: USER, socketDir, userSocketDir } as ContainerRecord;
      await mkdir(join(runDir, workspaceId));
      await mkdir(socketDir, { mode: 0o711 });
      await giveTo(USER, userSocketDir);
      await attack(userSocketDir);
      const removing = removeContainerDir(runDir, { ...record, hintFile: join(base, "hint") });
      const [outcome] = await Promise.allSettled([removing]);
      await endAttackers();
      await expectCanariesWhole();
      expect(outcome).toMatchObject({ status: "fulfilled" });
      await expect(lstat(socketDir)).rejects.toThrow("ENOENT");
    }
  });

  it("removing a home takes nothing but it away", async () => {
    const directory = join(base, "volumes");
    const volumes = await openProcessVolumes({ directory, deploymentId: randomUUID(), references: async () => [] });
    for (let round = 0; round < ROUNDS; round++) {
      const [workspaceId, attempt] = [randomUUID(), randomUUID()];
      const name = volumeName(workspaceId, attempt);
      await volumes.create({ name, workspaceId, attempt });
      const home = join(volumes.path(name), "home");
      await chown(home, USER, USER);
      await attack(home);
      const [outcome] = await Promise.allSettled([volumes.remove(name)]);
      await endAttackers();
      await expectCanariesWhole();
      expect(outcome).toMatchObject({ status: "fulfilled" });
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it("giving a home to its account changes nothing outside it", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const home = join(base, `volume${round}`, "home");
      await mkdir(join(home, ".."));
      await giveTo(USER, home);
      // The home itself is closed before its content changes hands; whoever is inside already stays inside.
      const inside = join(home, "inside");
      await giveTo(USER, inside);
      await attack(inside);
      // What vanishes while it is looked at makes the change fail; then it is tried again, without the attacker.
      await giveHome(join(home, ".."), home, OTHER_USER).catch(() => undefined);
      await endAttackers();
      await expectCanariesWhole();
      await giveHome(join(home, ".."), home, OTHER_USER);
      expect((await lstat(inside)).uid).toBe(OTHER_USER);
    }
  });
});
