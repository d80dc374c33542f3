import { randomUUID } from "node:crypto";
import type pg from "pg";

/** Workspaces with a repository, one for each that can become of it. */

const ago = (ms: number): Date => new Date(Date.now() - ms);
const minute = 60_000;

interface Sample {
  readonly name: string;
  readonly path: string;
  readonly phase: "RUNNING" | "STANDBY";
  readonly preparing?: number;
  readonly skipped?: true;
  readonly setup?: object;
  readonly log?: string;
}

const settled = {
  ...{ version: 1, folder: null, commit: null, branch: null, failure: null, notices: [] },
  at: ago(12 * minute).toISOString(),
};

const samples: readonly Sample[] = [
  { name: "website", path: "team/website", phase: "STANDBY", preparing: 58 },
  {
    ...{ name: "compiler", path: "team/compiler", phase: "RUNNING" },
    setup: {
      ...{ ...settled, state: "ready", folder: "compiler", branch: "feature/parser" },
      ...{ commit: "9f2c4e1b7a6d5038c1e2f3a4b5c6d7e8f9012345", took_ms: 14_200 },
      notices: [{ code: "submodule_failed", fields: { path: "vendor/tables", said: "repository not found" } }],
    },
    log: "Cloning into 'compiler'...\nremote: Counting objects: 100% (4842/4842), done.\nReceiving objects: 100% (4842/4842), 153.40 MiB | 61.67 MiB/s, done.\nfatal: could not get submodule 'vendor/tables'\n",
  },
  {
    ...{ name: "firmware", path: "devices/firmware", phase: "RUNNING" },
    setup: {
      ...{ ...settled, state: "failed", took_ms: 2_100 },
      failure: {
        ...{ code: "key_unknown", fields: { host: "git.example.com" }, step: "cloning" },
        message:
          "git@git.example.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
      },
    },
    log: "Cloning into 'firmware'...\ngit@git.example.com: Permission denied (publickey).\n",
  },
  {
    ...{ name: "handbook", path: "team/handbook", phase: "RUNNING", skipped: true },
    setup: { ...settled, state: "skipped", took_ms: 900 },
  },
];

const sourceOf = (path: string) => ({
  address: `https://git.example.com/${path}/tree/feature/parser`,
  ...{ cloneUrl: `https://git.example.com/${path}`, protocol: "https", host: "git.example.com" },
  ...{ key: `git.example.com/${path}`, ref: null, folder: path.split("/").at(-1) },
});

const condition = (status: boolean, reason: string) => ({
  ...{ status, reason, fields: {}, message: "" },
  last_transition_time: ago(13 * minute).toISOString(),
});

async function insert(database: pg.Client, owner: string, sample: Sample): Promise<string> {
  const id = randomUUID();
  const volume = `ws-${id}-home-${randomUUID().slice(0, 8)}`;
  const runs = sample.phase === "RUNNING";
  const conditions = {
    "policy.healthy": condition(true, "Healthy"),
    "storage.volume_ready": condition(true, "VolumeFound"),
    "storage.archive_ready": condition(false, "NoArchive"),
    "infra.container_present": condition(runs, runs ? "ContainerFound" : "NoContainer"),
    "infra.container_ready": condition(runs, runs ? "ContainerRunning" : "NoContainer"),
  };
  const busy = sample.preparing !== undefined;
  await database.query(
    `INSERT INTO workspaces (id, owner_id, created_at, name, image_ref, desired_state, last_access_at, conditions, phase,
       phase_changed_at, observed_at, operation, op_started_at, op_id, op_epoch, home_volume, source, setup_wanted,
       setup_skipped, home_ctx)
     VALUES ($1, $2, $3, $4, 'codehub/workspace:latest', 'RUNNING', $5, $6, $7, $8, now(), $9, $10, $11, $12, $13, $14, 1,
       $15, $16)`,
    [
      ...[id, owner, ago(14 * minute), sample.name, ago(minute), JSON.stringify(conditions), sample.phase],
      ...[ago(12 * minute), busy ? "PREPARING" : "NONE", busy ? ago(9_000) : null, busy ? randomUUID() : null],
      ...[busy ? 7 : null, volume, JSON.stringify(sourceOf(sample.path)), sample.skipped === true ? 1 : 0],
      JSON.stringify(sample.setup === undefined ? {} : { setup: sample.setup }),
    ],
  );
  if (sample.preparing !== undefined) await progress(database, id, sample.path, sample.preparing);
  if (sample.log !== undefined)
    await database.query("INSERT INTO setup_logs (workspace_id, version, log) VALUES ($1, 1, $2)", [id, sample.log]);
  return id;
}

/** How far the clone is, as its job tells it once a second. */
export async function progress(database: pg.Client, id: string, path: string, percent: number): Promise<void> {
  const fields = { host: "git.example.com", repository: `git.example.com/${path}`, percent };
  await database.query(
    `INSERT INTO progress (workspace_id, op_id, stage, done_bytes, done_files, bytes_per_second, waiting)
     SELECT id, op_id, 'cloning', $2, 0, 61670000, $3 FROM workspaces WHERE id = $1
     ON CONFLICT (workspace_id) DO UPDATE SET done_bytes = excluded.done_bytes, waiting = excluded.waiting`,
    [id, percent * 1_500_000, JSON.stringify({ code: "cloning", fields, since: ago(9_000).toISOString() })],
  );
}

/** Returns the ids by name. */
export async function seedRepositories(database: pg.Client, owner: string): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const sample of samples) ids.set(sample.name, await insert(database, owner, sample));
  return ids;
}
