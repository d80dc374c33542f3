import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { openFilesystemStore } from "#adapters/filesystem/archives.ts";
import { ProcessJobLauncher } from "#adapters/process/jobs.ts";
import { findProcesses } from "#adapters/process/labels.ts";
import { openProcessVolumes } from "#adapters/process/volumes.ts";
import { systemClock, systemIds } from "#adapters/system/clock.ts";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import type { JobLauncher } from "#jobs/job-launcher.ts";
import { StorageJobRunner } from "#jobs/storage-jobs.ts";
import type { Volumes } from "#ports/volumes.ts";

/**
 * The control plane's part, alone in a process so that its memory can be told: `archive VOLUME`, `restore KEY FACTS` or
 * `empty`, after the scratch folder, deployment and workspace. Prints one line of JSON.
 */
const [scratch = "", deploymentId = "", workspaceId = "", what = "", argument = "", factsJson = ""] =
  process.argv.slice(2);
const store = await openFilesystemStore({ directory: `${scratch}/archives`, deploymentId });
const engine = process.env["ARCHIVE_BENCH_ENGINE"];
const { volumes, launcher } = engine === undefined ? await onProcesses() : await onDocker(engine);
const jobs = new StorageJobRunner({ store, launcher, clock: systemClock, ids: systemIds });
/**
 * When the archive with its marker was stored, or comparing was first heard of: reading back and comparing come after the
 * work that the plain pipe does, too.
 */
let workedAt: number | null = null;
const putMeta = store.putMeta.bind(store);
Object.assign(store, {
  putMeta: async (...args: Parameters<typeof putMeta>) => {
    await putMeta(...args);
    workedAt = performance.now();
  },
});
const options = {
  onProgress: ({ step }: { step: string }) => {
    if (step === "comparing") workedAt ??= performance.now();
  },
  signal: new AbortController().signal,
};

let jobPeakKb = 0;
const sampling = setInterval(async () => {
  for (const { pid } of await findProcesses({ CODEHUB_JOB_WORKSPACE: workspaceId })) {
    const peak = peakKb(pid);
    if (peak > jobPeakKb) jobPeakKb = peak;
  }
}, 1000);

const attempt = randomUUID();
const key = archiveKey(workspaceId, attempt);
const volume = volumeName(workspaceId, attempt);
let facts: ArchiveFacts | null = null;
if (what === "restore") await volumes.create({ name: volume, workspaceId, attempt });
const began = performance.now();
if (what === "empty") {
  facts = await jobs.archiveEmpty({ workspaceId, attempt, key }, options);
} else if (what === "archive") {
  facts = await jobs.archive({ workspaceId, attempt, volume: argument, key }, options);
} else {
  await jobs.restore({ workspaceId, attempt, volume, key: argument, expected: JSON.parse(factsJson) }, options);
}
const ended = performance.now();
const ms = ended - began;
const workMs = (workedAt ?? ended) - began;
clearInterval(sampling);
const serverPeakKb = process.resourceUsage().maxRSS;
process.stdout.write(`${JSON.stringify({ ms, workMs, serverPeakKb, jobPeakKb, key, volume, facts })}\n`);

/** Loaded only where it is used: what it brings along would count as the server's memory. */
async function onDocker(host: string): Promise<{ volumes: Volumes; launcher: JobLauncher }> {
  const { dockerHarness } = await import("../../test/docker/docker-harness.ts");
  const channel = process.env["ARCHIVE_BENCH_CHANNEL"] === "streams" ? "streams" : "socket";
  return dockerHarness(host, { deploymentId, channel, scratch });
}

async function onProcesses(): Promise<{ volumes: Volumes; launcher: JobLauncher }> {
  const directory = `${scratch}/volumes`;
  const volumes = await openProcessVolumes({ directory, deploymentId, references: async () => [] });
  const cacheDirectory = `${scratch}/cache`;
  return {
    volumes,
    launcher: new ProcessJobLauncher({ deploymentId, volumes, cacheDirectory, clock: systemClock }),
  };
}

/** Of a program named node; tar and zstd are not ours. */
function peakKb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    if (/^Name:\s+(tar|zstd|du|sync)$/m.test(status)) return 0;
    return Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
