import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { volumeName } from "#core/rows/names.ts";
import { dockerHarness } from "../test/docker/docker-harness.ts";
import { dockerAvailable, startEngine } from "../test/docker/private-engine.ts";
import { plantMixedTree } from "./archive/tree.ts";
import type { BenchResult } from "./result.ts";

const MIB = 2 ** 20;
const ROUNDS = Number(process.env["ARCHIVE_BENCH_ROUNDS"] ?? 2);
/**
 * So much that starting a job, which costs the same for every home, weighs little where the pipe does 350 MB a second, and so little that all of it takes less than
 * five minutes where it does 200.
 */
const BYTES = Number(process.env["ARCHIVE_BENCH_BYTES"] ?? 1536 * MIB);
const WORKER = join(import.meta.dirname, "archive", "worker.ts");

interface Measured {
  readonly ms: number;
  /** Without reading back what was stored, or comparing what was restored. */
  readonly workMs: number;
  readonly serverPeakKb: number;
  readonly jobPeakKb: number;
  readonly key: string;
  readonly volume: string;
  readonly facts: object | null;
}

/**
 * Archive and restore of a home against the plain pipe `tar | zstd -T0` on the same tree: on the process runtime, and on
 * Docker where there is an engine (`…_docker`, and with ARCHIVE_BENCH_STREAMS also `…_docker_streams`).
 *
 * Ours does more: it reads the archive back and decodes it, takes the object's checksum, compares the restored volume
 * with the manifest, and ends with everything on the disk. So there are two ratios each way: `archive_tar` and `restore_tar` for the part that both
 * do, `…_checked_tar` for all that ours does against the pipe with its result on the disk (`sync -f`), because bytes in
 * memory are no copy. Rounds alternate and the best of each counts: this machine has other work. No tree is removed
 * between them, because ext4 without a journal is slow to make files for minutes after it removed many; for the same
 * reason a second run wants six minutes of rest.
 */
export async function run(): Promise<BenchResult> {
  const once = await withHome(BYTES, compare);
  const half = await withHome(BYTES / 2, memoryOnly);
  const docker = dockerAvailable() ? await onDocker(BYTES) : null;
  const { metrics, ratios } = summary(BYTES, once);
  return {
    metrics: {
      tree_mb: BYTES / 1e6,
      tree_files: once.files,
      ...metrics,
      server_peak_mib: once.serverPeakKb / 1024,
      job_peak_mib: once.jobPeakKb / 1024,
      server_peak_mib_half: half.serverPeakKb / 1024,
      job_peak_mib_half: half.jobPeakKb / 1024,
      ...docker?.metrics,
    },
    ratios: { ...ratios, ...docker?.ratios },
  };
}

function summary(bytes: number, best: ReturnType<typeof compare>): BenchResult {
  const megabytes = (ms: number) => bytes / 1e6 / (ms / 1000);
  return {
    metrics: {
      archive_mb_s: megabytes(best.archive),
      archive_checked_mb_s: megabytes(best.archiveChecked),
      pipe_archive_mb_s: megabytes(best.pipeArchive),
      restore_mb_s: megabytes(best.restore),
      restore_checked_mb_s: megabytes(best.restoreChecked),
      pipe_restore_mb_s: megabytes(best.pipeRestore),
      pipe_restore_synced_mb_s: megabytes(best.pipeRestoreSynced),
    },
    ratios: {
      archive_tar: best.pipeArchive / best.archive,
      archive_checked_tar: best.pipeArchive / best.archiveChecked,
      restore_tar: best.pipeRestore / best.restore,
      restore_checked_tar: best.pipeRestoreSynced / best.restoreChecked,
    },
  };
}

/** As it is on an engine of this machine and, to be compared with it, as it is on any other. */
async function onDocker(bytes: number): Promise<BenchResult> {
  const socket = named("_docker", summary(bytes, await withDockerHome(bytes, "socket", compare)));
  if (process.env["ARCHIVE_BENCH_STREAMS"] === undefined) return socket;
  const streams = named("_docker_streams", summary(bytes, await withDockerHome(bytes, "streams", compare)));
  return {
    metrics: { ...socket.metrics, ...streams.metrics },
    ratios: { ...socket.ratios, ...streams.ratios },
  };
}

function named(suffix: string, { metrics, ratios }: BenchResult): BenchResult {
  const rename = (values: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name + suffix, value]));
  return { metrics: rename(metrics), ratios: rename(ratios) };
}

interface Home {
  readonly scratch: string;
  readonly path: string;
  readonly volume: string;
  readonly files: number;
  /** Deployment and workspace. */
  readonly ids: readonly [string, string];
  /** Of the worker, beside its usual environment. */
  readonly environment: Readonly<Record<string, string>>;
}

async function withHome<T>(bytes: number, work: (home: Home) => T): Promise<T> {
  const scratch = mkdtempSync(join(process.env["ARCHIVE_BENCH_DIR"] ?? tmpdir(), "codehub-bench-archive-"));
  try {
    const [deploymentId, workspaceId, attempt] = [randomUUID(), randomUUID(), randomUUID()];
    const directory = join(scratch, "volumes");
    const volumes = await openProcessVolumes({ directory, deploymentId, references: async () => [] });
    const volume = volumeName(workspaceId, attempt);
    await volumes.create({ name: volume, workspaceId, attempt });
    const path = join(volumes.path(volume), "home");
    const { files } = plantMixedTree(path, bytes);
    await volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    // A server has its programs compiled after the first start; the first round must not pay for it.
    worker([scratch, deploymentId, randomUUID(), "empty"], {});
    execFileSync("sync", ["-f", scratch]);
    return work({ scratch, path, volume, files, ids: [deploymentId, workspaceId], environment: {} });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The same tree in a volume of an engine of the bench's own; it is planted where the engine keeps the volume. */
async function withDockerHome<T>(bytes: number, channel: "socket" | "streams", work: (home: Home) => T): Promise<T> {
  const scratch = mkdtempSync(join(process.env["ARCHIVE_BENCH_DIR"] ?? tmpdir(), "codehub-bench-archive-"));
  await using engine = await startEngine();
  const harness = await dockerHarness(engine.host, { scratch });
  try {
    const { deploymentId } = harness;
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    const { Mountpoint } = await harness.engine.need<{ Mountpoint: string }>("GET", `/volumes/${volume}`);
    const path = join(Mountpoint, "home");
    const { files } = plantMixedTree(path, bytes);
    const environment = { ARCHIVE_BENCH_ENGINE: engine.host, ARCHIVE_BENCH_CHANNEL: channel };
    execFileSync("sync", ["-f", scratch]);
    return work({ scratch, path, volume, files, ids: [deploymentId, workspaceId], environment });
  } finally {
    // The work waited for programs: of connections that the engine closed meanwhile nobody has heard yet.
    await (await dockerHarness(engine.host, { deploymentId: harness.deploymentId, scratch })).close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Milliseconds, the best of all rounds. What is stored is on the disk in both; what is restored only where it says so. */
function compare(home: Home) {
  const results = Array.from({ length: ROUNDS }, (_, round) => oneRound(home, round));
  const best = (pick: (result: (typeof results)[number]) => number) => Math.min(...results.map(pick));
  return {
    files: home.files,
    archive: best(({ archived }) => archived.workMs),
    archiveChecked: best(({ archived }) => archived.ms),
    pipeArchive: best(({ pipeArchive }) => pipeArchive.synced),
    restore: best(({ restored }) => restored.workMs),
    restoreChecked: best(({ restored }) => restored.ms),
    pipeRestore: best(({ pipeRestore }) => pipeRestore.unsynced),
    pipeRestoreSynced: best(({ pipeRestore }) => pipeRestore.synced),
    ...peakOf(...results.flatMap(({ archived, restored }) => [archived, restored])),
  };
}

function memoryOnly({ scratch, ids, volume, environment }: Home): Pick<Measured, "serverPeakKb" | "jobPeakKb"> {
  const archived = worker([scratch, ...ids, "archive", volume], environment);
  const facts = JSON.stringify(archived.facts);
  const restored = worker([scratch, ...ids, "restore", archived.key, facts], environment);
  return peakOf(archived, restored);
}

function peakOf(...runs: readonly Measured[]): Pick<Measured, "serverPeakKb" | "jobPeakKb"> {
  return {
    serverPeakKb: Math.max(...runs.map(({ serverPeakKb }) => serverPeakKb)),
    jobPeakKb: Math.max(...runs.map(({ jobPeakKb }) => jobPeakKb)),
  };
}

function oneRound({ scratch, path: home, volume, ids, environment }: Home, round: number) {
  const [file, copy] = [join(scratch, `pipe-${round}.tar.zst`), join(scratch, `pipe-${round}`)];
  const pipeArchive = pipe(`tar -C '${home}' -cf - . | zstd -T0 -q -o '${file}'`, file);
  const archived = worker([scratch, ...ids, "archive", volume], environment);
  mkdirSync(copy);
  const pipeRestore = pipe(`zstd -dcq '${file}' | tar -C '${copy}' -xpf -`, copy);
  const facts = JSON.stringify(archived.facts);
  const restored = worker([scratch, ...ids, "restore", archived.key, facts], environment);
  for (const archive of [file, join(scratch, "archives", archived.key)]) rmSync(archive);
  // Every round takes the same way; one of them is compared byte by byte, by a program that is not ours.
  if (round === ROUNDS - 1) execFileSync("diff", ["-rq", home, home.replace(volume, restored.volume)]);
  return { pipeArchive, archived, pipeRestore, restored };
}

function pipe(command: string, result: string): { unsynced: number; synced: number } {
  execFileSync("sync", ["-f", dirname(result)]);
  const began = performance.now();
  execFileSync("bash", ["-c", `set -o pipefail; ${command}`]);
  const unsynced = performance.now() - began;
  execFileSync("sync", ["-f", result]);
  return { unsynced, synced: performance.now() - began };
}

function worker(args: readonly string[], environment: Home["environment"]): Measured {
  const scratch = args[0] ?? "";
  const env = { ...process.env, NODE_COMPILE_CACHE: join(scratch, "cache"), ...environment };
  execFileSync("sync", ["-f", scratch]);
  const output = execFileSync(process.execPath, [WORKER, ...args], { stdio: ["ignore", "pipe", "inherit"], env });
  return JSON.parse(output.toString("utf8")) as Measured;
}
