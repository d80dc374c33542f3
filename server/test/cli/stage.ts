import { chmod, copyFile, cp, lchown, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@codehub/contract";
import pg from "pg";
import { expect, vi } from "vitest";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { startApp } from "#compose/app.ts";
import { readConfig } from "#config/config.ts";
import { describeTree } from "../data/fingerprint.ts";
import { apiAs } from "../e2e/accounts.ts";
import { admin, endWorkspaces } from "../e2e/program.ts";

const FAKE_IDE = join(import.meta.dirname, "../runtime/fake-ide.mjs");

/** A folder as DATA_DIR has to be: accounts of workspaces pass through it. */
export async function dataDirectory(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "codehub-operator-"));
  await chmod(dataDir, 0o711);
  return dataDir;
}

export interface Stage {
  readonly url: string;
  readonly api: Client;
  readonly dataDir: string;
  readonly reaches: (id: string, phase: string) => Promise<void>;
  /** Where the process runtime has its home. */
  readonly folder: (id: string) => Promise<string>;
  /** Everything a user can tell about the home on its volume. */
  readonly home: (id: string) => Promise<string>;
  /** Puts something into the home: files, a link, modes and times. */
  readonly fill: (id: string, words: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** The whole program in this process, with workspaces as processes and an IDE that starts at once. */
export async function startStage(dataDir: string, databaseUrl: () => Promise<string>, more: object): Promise<Stage> {
  const ide = join(dataDir, "fake-ide.mjs");
  await copyFile(FAKE_IDE, ide);
  await chmod(ide, 0o644);
  const node = await reachableNode(dataDir);
  const environment = {
    PORT: "0",
    DATA_DIR: dataDir,
    RUNTIME: "process",
    ADMIN_USERNAME: admin.username,
    ADMIN_PASSWORD: admin.password,
    TTL_STANDBY_SECONDS: "0",
    TTL_ARCHIVE_SECONDS: "0",
    ...more,
  };
  const config = readConfig(environment, { isRoot: process.getuid?.() === 0, homeDir: dataDir });
  const app = await startApp(config, createLogger({ level: "error", destination: process.stderr }), {
    command: ({ socket }) => [node, ide, socket],
  });
  const api = await apiAs(app.url);
  const folder = async (id: string): Promise<string> => {
    const client = new pg.Client({ connectionString: await databaseUrl() });
    await client.connect();
    const { rows } = await client.query("SELECT home_volume FROM workspaces WHERE id = $1", [id]);
    await client.end();
    return join(dataDir, "volumes", rows[0]?.home_volume ?? "none", "home");
  };
  return {
    url: app.url,
    api,
    dataDir,
    reaches: (id, phase) =>
      vi.waitFor(
        async () => {
          const workspace = await api.getWorkspace({ params: { id } });
          const { operation, error } = workspace;
          expect({ phase: workspace.phase, operation, error }).toMatchObject({ phase, operation: "NONE" });
        },
        { timeout: 60_000, interval: 100 },
      ),
    folder,
    home: async (id) => describeTree(await folder(id)),
    fill: async (id, words) => {
      const home = await folder(id);
      const { uid } = await stat(home);
      await mkdir(join(home, "deep/er"), { recursive: true });
      await writeFile(join(home, "deep/er", words), words.repeat(1_000));
      await symlink(words, join(home, `link to ${words}`));
      for (const name of await readdir(home, { recursive: true })) await lchown(join(home, name), uid, uid);
      await chmod(join(home, "deep"), 0o510);
    },
    stop: async () => {
      await app.stop();
      await endWorkspaces(dataDir);
    },
  };
}

/** What an operator does with a disk that has survived: the archives, elsewhere. */
export async function carryArchives(from: string, to: string): Promise<void> {
  await cp(join(from, "archives"), join(to, "archives"), { recursive: true, preserveTimestamps: true });
}

export async function removeAll(...folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}
