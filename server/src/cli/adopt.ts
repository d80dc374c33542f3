import { openArchives } from "#compose/world.ts";
import type { Config } from "#config/config.ts";
import { adoptArchives } from "#core/moving/adopt-archives.ts";
import { parseArchiveKey } from "#core/rows/names.ts";
import type { ArchiveRecord, Ms } from "#core/rows/workspace.ts";
import type { ArchiveStore } from "#ports/archives.ts";
import type { LeaderStore } from "#ports/store.ts";

const READ_AT_ONCE = 500;

/** What the store has that the database did not know. */
export interface Adopted {
  readonly archives: number;
  /** Workspaces that were made after the backup: their archives are there, and nobody's. */
  readonly strangers: number;
}

/** Makes archives known that were made after the backup, so that every home is as new as the store has it. */
export async function adopt(config: Config, store: LeaderStore, takenAt: Ms): Promise<Adopted> {
  const { deploymentId, storeId } = await store.deployment();
  const archives = await openArchives(config, deploymentId, storeId);
  const keys = (await archives.list()).map(({ key }) => key);
  const unknown = new Map<string, string[]>();
  const strangers = new Set<string>();
  for (let at = 0; at < keys.length; at += READ_AT_ONCE) {
    for (const { key, row, record } of await store.readArchives(keys.slice(at, at + READ_AT_ONCE))) {
      const workspaceId = parseArchiveKey(key)?.workspaceId;
      if (record !== null || workspaceId === undefined) continue;
      if (row === null) strangers.add(workspaceId);
      else unknown.set(workspaceId, [...(unknown.get(workspaceId) ?? []), key]);
    }
  }
  let adopted = 0;
  for (const [workspaceId, theirs] of unknown) {
    const found = (await Promise.all(theirs.map((key) => recordOf(archives, key)))).filter((one) => one !== null);
    await store.mutate(workspaceId, (facts) => {
      const mutation = adoptArchives(facts, found, takenAt);
      adopted += mutation?.archives?.filter(({ key }) => theirs.includes(key)).length ?? 0;
      return mutation;
    });
  }
  return { archives: adopted, strangers: strangers.size };
}

/** As its marker tells of it; null for an upload that was never finished. What it says is compared whenever it is restored. */
async function recordOf(archives: ArchiveStore, key: string): Promise<ArchiveRecord | null> {
  const parts = parseArchiveKey(key);
  const head = await archives.head(key);
  if (parts === null || head === null || head.meta === null || head.meta.sizeBytes !== head.sizeBytes) return null;
  const { workspaceId: _w, attempt: _a, createdAt, ...facts } = head.meta;
  return { key, ...parts, state: "version", facts, createdAt, verifiedAt: createdAt, keepUntil: null };
}
