import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import { startS3Server } from "../test/data/s3-server.ts";
import { giveAll } from "../test/data/zoo.ts";
import { type KubernetesDataPlane, kubernetesDataPlane } from "../test/kubernetes/kubernetes-data-plane.ts";
import { clusterSource } from "../test/kubernetes/private-cluster.ts";
import { PipePods } from "./archive/pipe-pods.ts";
import { plantMixedTree } from "./archive/tree.ts";
import type { BenchResult } from "./result.ts";
import { openCluster } from "./shared/cluster.ts";

const ROUNDS = Number(process.env["ARCHIVE_BENCH_ROUNDS"] ?? 2);
const BYTES = Number(process.env["ARCHIVE_BENCH_BYTES"] ?? 2e9);

interface Round {
  readonly volumes: readonly string[];
  readonly pipeArchive: number;
  readonly archive: number;
  readonly archiveChecked: number;
  readonly pipeRestore: number;
  readonly pipeRestoreSynced: number;
  readonly restore: number;
  readonly restoreChecked: number;
}

/**
 * Archive and restore of a home on a cluster against the plain pipe `tar | zstd -T0` in a pod of the same cluster, with the
 * same image and claim, to and from the same store. Both begin with the request for a pod. As in the other bench of
 * archives ours does more, and there are two ratios each way. The best of the rounds, in turns. No tree is removed between
 * them: a disk that has just removed many files is slow to make new ones for minutes.
 */
export async function run(): Promise<BenchResult> {
  const source = clusterSource();
  if (source === null) return { metrics: {}, ratios: {} };
  await using cluster = await openCluster(source, { images: [] });
  await using s3 = await startS3Server();
  const plane = await kubernetesDataPlane(cluster, s3.access);
  try {
    const workspaceId = randomUUID();
    const home = await newHome(plane, workspaceId);
    const { files } = plantMixedTree(plane.homePath(home), BYTES);
    giveAll(plane.homePath(home), plane.owner);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await oneRound(plane, workspaceId, home));
      console.error(rounds.at(-1));
    }
    for (const volume of rounds.flatMap(({ volumes }) => volumes)) await plane.volumes.remove(volume);
    return summary(files, rounds);
  } finally {
    await plane.close();
  }
}

function summary(files: number, rounds: readonly Round[]): BenchResult {
  const best = (pick: (round: Round) => number): number => Math.min(...rounds.map(pick));
  const megabytes = (ms: number): number => BYTES / 1e6 / (ms / 1000);
  const [pipeArchive, pipeRestore] = [best((one) => one.pipeArchive), best((one) => one.pipeRestore)];
  const [archive, restore] = [best((one) => one.archive), best((one) => one.restore)];
  const [archiveChecked, restoreChecked] = [best((one) => one.archiveChecked), best((one) => one.restoreChecked)];
  return {
    metrics: {
      tree_mb: BYTES / 1e6,
      tree_files: files,
      archive_mb_s: megabytes(archive),
      archive_checked_mb_s: megabytes(archiveChecked),
      pipe_archive_mb_s: megabytes(pipeArchive),
      restore_mb_s: megabytes(restore),
      restore_checked_mb_s: megabytes(restoreChecked),
      pipe_restore_mb_s: megabytes(pipeRestore),
    },
    ratios: {
      archive_tar_kubernetes: pipeArchive / archive,
      archive_checked_tar_kubernetes: pipeArchive / archiveChecked,
      restore_tar_kubernetes: pipeRestore / restore,
      restore_checked_tar_kubernetes: best((one) => one.pipeRestoreSynced) / restoreChecked,
    },
  };
}

async function oneRound(plane: KubernetesDataPlane, workspaceId: string, home: string): Promise<Round> {
  const pipes = new PipePods(plane, workspaceId, BYTES);
  const pipeKey = archiveKey(workspaceId, randomUUID());
  sync(plane, home);
  const pipeArchive = await pipes.archive(home, pipeKey);
  await pipes.gone();
  const archived = await archive(plane, workspaceId, home);
  const copy = await newHome(plane, workspaceId);
  sync(plane, home);
  const pipeRestore = await pipes.restore(pipeKey, copy);
  await pipes.gone();
  execFileSync("diff", ["-rq", plane.homePath(home), plane.homePath(copy)]);
  const restored = await restore(plane, workspaceId, archived.key, archived.facts);
  execFileSync("diff", ["-rq", plane.homePath(home), plane.homePath(restored.volume)]);
  for (const key of [pipeKey, archived.key]) await plane.store.remove(key);
  return {
    volumes: [copy, restored.volume],
    pipeArchive,
    archive: archived.workMs,
    archiveChecked: archived.ms,
    pipeRestore: pipeRestore.unsynced,
    pipeRestoreSynced: pipeRestore.synced,
    restore: restored.workMs,
    restoreChecked: restored.ms,
  };
}

/** A claim that holds the tree, made and sealed like every new home. */
async function newHome({ volumes }: KubernetesDataPlane, workspaceId: string): Promise<string> {
  const attempt = randomUUID();
  const name = volumeName(workspaceId, attempt);
  await volumes.create({ name, workspaceId, attempt, atLeastBytes: 2 * BYTES });
  await volumes.seal(name, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
  return name;
}

/** Of the disks behind the claims: what one round wrote is not paid for by the next. */
const sync = (plane: KubernetesDataPlane, volume: string): void =>
  void execFileSync("sync", ["-f", plane.homePath(volume)]);

async function archive(plane: KubernetesDataPlane, workspaceId: string, volume: string) {
  const attempt = randomUUID();
  const key = archiveKey(workspaceId, attempt);
  let storedAt = Number.NaN;
  const putMeta: typeof plane.store.putMeta = async (...args) => {
    await plane.store.putMeta(...args);
    storedAt = performance.now();
  };
  const store = new Proxy(plane.store, {
    get: (target, name) => {
      const value: unknown = name === "putMeta" ? putMeta : Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const signal = new AbortController().signal;
  const begun = performance.now();
  const facts = await plane
    .jobs(store)
    .archive({ workspaceId, attempt, volume, key }, { onProgress: () => {}, signal });
  return { key, facts, ms: performance.now() - begun, workMs: storedAt - begun };
}

async function restore(plane: KubernetesDataPlane, workspaceId: string, key: string, expected: ArchiveFacts) {
  const attempt = randomUUID();
  const volume = volumeName(workspaceId, attempt);
  await plane.volumes.create({ name: volume, workspaceId, attempt, atLeastBytes: 2 * BYTES });
  sync(plane, volume);
  let comparedAt: number | null = null;
  const onProgress = ({ step }: { readonly step: string }): void => {
    if (step === "comparing") comparedAt ??= performance.now();
  };
  const signal = new AbortController().signal;
  const begun = performance.now();
  await plane.jobs(plane.store).restore({ workspaceId, attempt, volume, key, expected }, { onProgress, signal });
  const ended = performance.now();
  return { volume, ms: ended - begun, workMs: (comparedAt ?? ended) - begun };
}
