import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";

/** Rows for pictures and for large lists: what a fleet looks like after weeks, which no test has the time to live through. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms: number): Date => new Date(Date.now() - ms);

/** Many workspaces that nothing has to be done for: each is as empty as it was asked to be. */
export async function seedMany(database: pg.Client, owner: string, count: number): Promise<void> {
  await database.query(
    `INSERT INTO workspaces (id, owner_id, name, image_ref, desired_state, created_at)
     SELECT gen_random_uuid(), $1, 'workspace ' || n, 'codehub/workspace:latest', 'PENDING', now() - n * interval '1 minute'
     FROM generate_series(1, $2::integer) AS n`,
    [owner, count],
  );
}

interface Sample {
  readonly name: string;
  readonly description?: string;
  readonly memo?: string;
  readonly phase: "RUNNING" | "STANDBY" | "ARCHIVED" | "PENDING" | "ERROR" | "DELETED";
  readonly desired: "RUNNING" | "STANDBY" | "ARCHIVED" | "PENDING" | "DELETED";
  readonly age: number;
  readonly active: number;
  readonly since: number;
  readonly homeBytes: number | null;
  readonly archivedAgo?: number;
  readonly operation?: {
    readonly name: "RESTORING" | "ARCHIVING";
    readonly stage: string;
    readonly share: number;
    readonly forMs: number;
  };
}

const samples: readonly Sample[] = [
  {
    name: "payments-service",
    description: "Rust rewrite, feature branch",
    memo: "# Payments\n\nRun `make dev`, then open port 3000.\n\n- staging key in **1Password**\n- [runbook](https://example.org/runbook)\n\n> Do not migrate on Fridays.",
    phase: "RUNNING",
    desired: "RUNNING",
    age: 6.5 * DAY,
    active: 2 * MINUTE,
    since: 2 * HOUR,
    homeBytes: 1_240_000_000,
    archivedAgo: 11 * HOUR,
  },
  {
    name: "thesis",
    description: "LaTeX and notebooks",
    phase: "ARCHIVED",
    desired: "RUNNING",
    age: 40 * DAY,
    active: 21_000,
    since: 6 * DAY,
    homeBytes: 2_300_000_000,
    archivedAgo: 6 * DAY,
    operation: { name: "RESTORING", stage: "unpacking", share: 0.41, forMs: 21_000 },
  },
  {
    name: "kernel-playground",
    phase: "STANDBY",
    desired: "STANDBY",
    age: 12 * DAY,
    active: 25 * MINUTE,
    since: 15 * MINUTE,
    homeBytes: 8_300_000_000,
    archivedAgo: 2 * DAY,
  },
  {
    name: "design-system",
    description: "components and stories",
    phase: "ERROR",
    desired: "RUNNING",
    age: 30 * DAY,
    active: 40 * MINUTE,
    since: 13 * MINUTE,
    homeBytes: 640_000_000,
    archivedAgo: 3 * HOUR,
  },
  {
    name: "scratch",
    phase: "STANDBY",
    desired: "ARCHIVED",
    age: 5 * HOUR,
    active: 50 * MINUTE,
    since: 40 * MINUTE,
    homeBytes: null,
    operation: { name: "ARCHIVING", stage: "packing", share: 0.72, forMs: 6_000 },
  },
  {
    name: "course-2026",
    description: "exercises, week 7",
    phase: "ARCHIVED",
    desired: "ARCHIVED",
    age: 70 * DAY,
    active: 9 * DAY,
    since: 9 * DAY - 40 * MINUTE,
    homeBytes: 312_000_000,
    archivedAgo: 9 * DAY - 40 * MINUTE,
  },
  {
    name: "data-import",
    description: "one-off, keep for the audit",
    phase: "ARCHIVED",
    desired: "ARCHIVED",
    age: 90 * DAY,
    active: 62 * DAY,
    since: 62 * DAY - HOUR,
    homeBytes: 97_000_000,
    archivedAgo: 62 * DAY - HOUR,
  },
  {
    name: "old-demo",
    phase: "DELETED",
    desired: "DELETED",
    age: 120 * DAY,
    active: 3 * DAY,
    since: 2 * DAY,
    homeBytes: 180_000_000,
    archivedAgo: 2 * DAY,
  },
];

const condition = (status: boolean, reason: string, since: number, fields: object = {}) => ({
  status,
  reason,
  fields,
  message: "",
  last_transition_time: ago(since).toISOString(),
});

const lostHome = (volume: string | null) => ({ failure: "volume_lost", volume });

function conditionsOf(sample: Sample, volume: string | null) {
  const { phase, since, age, archivedAgo } = sample;
  const runs = phase === "RUNNING";
  const lost = phase === "ERROR";
  return {
    "policy.healthy": lost ? condition(false, "DataLost", since, lostHome(volume)) : condition(true, "Healthy", age),
    "storage.volume_ready":
      volume === null
        ? condition(false, "NoVolume", since)
        : condition(!lost, lost ? "VolumeMissing" : "VolumeFound", since, { volume }),
    "storage.archive_ready":
      archivedAgo === undefined ? condition(false, "NoArchive", age) : condition(true, "ArchiveUploaded", archivedAgo),
    "infra.container_present": condition(runs, runs ? "ContainerFound" : "NoContainer", since, { count: runs ? 1 : 0 }),
    "infra.container_ready": condition(runs, runs ? "ContainerRunning" : "NoContainer", since),
  };
}

async function insertWorkspace(database: pg.Client, owner: string, sample: Sample): Promise<string> {
  const id = randomUUID();
  const onVolume = sample.phase === "RUNNING" || sample.phase === "STANDBY" || sample.phase === "ERROR";
  const volume = onVolume ? `ws-${id}-home-${randomUUID().slice(0, 8)}` : null;
  const opId = randomUUID();
  const key = onVolume || sample.archivedAgo === undefined ? null : `${id}/${opId}/home.tar.zst`;
  const lost = sample.phase === "ERROR";
  const info = {
    reason: "DataLost",
    fields: lostHome(volume),
    message: "",
    operation: null,
    is_terminal: true,
    attempts: 1,
    previous_phase: "STANDBY",
    occurred_at: ago(sample.since).toISOString(),
  };
  const { operation } = sample;
  await database.query(
    `INSERT INTO workspaces (id, owner_id, created_at, name, description, memo, image_ref, desired_state, deleted_at,
       last_access_at, conditions, phase, phase_changed_at, observed_at, operation, op_started_at, op_id, op_epoch,
       home_volume, archive_key, error_reason, error_count, error_info)
     VALUES ($1, $2, $3, $4, $5, $6, 'codehub/workspace:latest', $7, $8, $9, $10, $11, $12, now(), $13, $14, $15, $16,
       $17, $18, $19, $20, $21)`,
    [
      ...[id, owner, ago(sample.age), sample.name, sample.description ?? null, sample.memo ?? null, sample.desired],
      ...[sample.phase === "DELETED" ? ago(sample.since) : null, ago(sample.active)],
      ...[JSON.stringify(conditionsOf(sample, volume)), sample.phase, ago(sample.since)],
      ...[operation?.name ?? "NONE", operation === undefined ? null : ago(operation.forMs)],
      ...[operation === undefined ? null : randomUUID(), operation === undefined ? null : 7],
      ...[volume, key, lost ? "DataLost" : null, lost ? 1 : 0, lost ? JSON.stringify(info) : null],
    ],
  );
  if (sample.archivedAgo !== undefined) await insertArchives(database, id, opId, sample);
  if (operation !== undefined) await insertProgress(database, id, sample);
  return id;
}

async function insertArchives(database: pg.Client, id: string, opId: string, sample: Sample): Promise<void> {
  const home = sample.homeBytes ?? 0;
  const insert = (attempt: string, state: string, size: number, at: number) =>
    database.query(
      `INSERT INTO archives (key, workspace_id, op_id, state, sha256, size_bytes, content_bytes, entry_count,
         manifest_digest, format_version, created_at, verified_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10, $11)`,
      [
        ...[`${id}/${attempt}/home.tar.zst`, id, attempt, state, randomBytes(32).toString("hex")],
        ...[Math.round(size * 0.32), size, Math.round(size / 30_000), randomBytes(32).toString("hex")],
        ...[ago(at), ago(at - 20_000)],
      ],
    );
  const newest = sample.archivedAgo ?? 0;
  await insert(opId, sample.phase === "DELETED" ? "trash" : "current", home, newest);
  if (sample.age > newest + 4 * DAY) await insert(randomUUID(), "version", Math.round(home * 0.96), newest + 2 * DAY);
}

async function insertProgress(database: pg.Client, id: string, { operation, homeBytes }: Sample): Promise<void> {
  if (operation === undefined) return;
  const total = homeBytes ?? 420_000_000;
  await database.query(
    `INSERT INTO progress (workspace_id, op_id, stage, done_bytes, total_bytes, done_files, bytes_per_second)
     SELECT id, op_id, $2, $3, $4, $5, $6 FROM workspaces WHERE id = $1`,
    [id, operation.stage, Math.round(total * operation.share), total, 18_230, 84_000_000],
  );
}

type Rest = Pick<Sample, "phase" | "desired" | "homeBytes" | "archivedAgo" | "operation">;
const AT_REST: Rest = { phase: "ARCHIVED", desired: "ARCHIVED", homeBytes: 312_000_000, archivedAgo: 9 * DAY };
const LISTED: readonly Rest[] = [
  { phase: "RUNNING", desired: "RUNNING", homeBytes: 1_240_000_000, archivedAgo: 11 * HOUR },
  { phase: "STANDBY", desired: "STANDBY", homeBytes: 8_300_000_000, archivedAgo: 2 * DAY },
  AT_REST,
  { phase: "ERROR", desired: "RUNNING", homeBytes: 640_000_000, archivedAgo: 3 * HOUR },
  AT_REST,
  {
    ...{ ...AT_REST, desired: "RUNNING" },
    operation: { name: "RESTORING", stage: "unpacking", share: 0.41, forMs: 21_000 },
  },
  AT_REST,
  { phase: "PENDING", desired: "PENDING", homeBytes: null },
  AT_REST,
  AT_REST,
];

/** A long list as it looks after weeks: half of it archived, the rest in every phase; long names, descriptions and memos. */
export async function seedList(database: pg.Client, owner: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const listed = LISTED[index % LISTED.length];
    if (listed === undefined) throw new RangeError("there is nothing to list");
    await insertWorkspace(database, owner, {
      ...listed,
      name: `payments-service-feature-branch-review-${String(index % 10)}`,
      description: "Rewrite of the payments service, in Rust",
      memo: `# Payments\n\nRun \`make dev\`, then open port ${3000 + index}.\n\n- [runbook](https://example.org/runbook)\n`,
      age: 40 * DAY + index * HOUR,
      active: 2 * MINUTE + index * MINUTE,
      since: 2 * HOUR,
    });
  }
}

type Line = readonly [
  agoMs: number,
  kind: string,
  actor: string,
  from: string | null,
  to: string | null,
  op: string | null,
];

/** One working day that began `days` days ago: woken, worked in, left alone, archived for the night. */
function workingDay(days: number): readonly Line[] {
  const at = (hours: number) => days * DAY - hours * HOUR;
  return [
    [at(0), "wake", "user", "ARCHIVED", "RUNNING", null],
    [at(0.01), "operation_completed", "coordinator", "ARCHIVED", "STANDBY", "RESTORING"],
    [at(0.02), "operation_completed", "coordinator", "STANDBY", "RUNNING", "STARTING"],
    [at(5), "idle", "ttl", "RUNNING", "STANDBY", null],
    [at(5.01), "operation_completed", "coordinator", "RUNNING", "STANDBY", "STOPPING"],
    [at(6.4), "wake", "user", "STANDBY", "RUNNING", null],
    [at(6.42), "operation_completed", "coordinator", "STANDBY", "RUNNING", "STARTING"],
    [at(10), "operation_completed", "coordinator", "RUNNING", "STANDBY", "STOPPING"],
    [at(10.5), "idle", "ttl", "STANDBY", "ARCHIVED", null],
    [at(10.6), "operation_completed", "coordinator", "STANDBY", "ARCHIVED", "ARCHIVING"],
  ];
}

/** A week of it, with a failure that was tried again, up to the two hours it has been running now. */
const week: readonly Line[] = [
  [6.4 * DAY, "operation_completed", "coordinator", "PENDING", "STANDBY", "PROVISIONING"],
  [6.38 * DAY, "operation_completed", "coordinator", "STANDBY", "ARCHIVED", "ARCHIVING"],
  ...[5.9, 4.9, 3.9, 1.9, 0.9].flatMap(workingDay),
  [2.15 * HOUR, "wish", "user", "ARCHIVED", "RUNNING", null],
  [2.1 * HOUR, "operation_completed", "coordinator", "ARCHIVED", "STANDBY", "RESTORING"],
  [2.05 * HOUR, "attempt_failed", "coordinator", "STANDBY", null, "STARTING"],
  [2 * HOUR, "operation_completed", "coordinator", "STANDBY", "RUNNING", "STARTING"],
];
const tookMs: Readonly<Record<string, number>> = {
  PROVISIONING: 310,
  STARTING: 2_100,
  STOPPING: 900,
  ARCHIVING: 14_300,
  RESTORING: 9_200,
};

async function insertHistory(database: pg.Client, id: string, owner: string): Promise<void> {
  for (const [at, kind, actor, from, to, operation] of week) {
    const code = { attempt_failed: "ActionFailed", idle: to === "STANDBY" ? "inactive" : "in_standby" }[kind] ?? kind;
    const details = {
      attempt_failed: { code, failure: "container_ended", exit_code: 1, message: "" },
      operation_completed: { code, duration_ms: tookMs[operation ?? ""] ?? 1000 },
      idle: { code, since: new Date(ago(at).getTime() - 600_000).toISOString() },
    }[kind] ?? { code };
    await database.query(
      `INSERT INTO workspace_events (at, kind, workspace_id, actor_kind, actor_id, summary, from_phase, to_phase, operation, details)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [ago(at), kind, id, actor, actor === "user" ? owner : null, code, from, to, operation, JSON.stringify(details)],
    );
  }
}

async function insertFleet(database: pg.Client): Promise<void> {
  await database.query(
    "UPDATE leader SET epoch = 7, holder = 'host-a 4121', acquired_at = now() - interval '30 hours'",
  );
  for (const [name, detail] of [
    ["engine", "12 containers, answers in 4 ms"],
    ["store", "directory, 61 GB free"],
    ["coordinator", "ticked 1 s ago"],
  ])
    await database.query(
      `INSERT INTO component_health (name, status, detail, since) VALUES ($1, 'ok', $2, now() - interval '30 hours')
       ON CONFLICT (name) DO UPDATE SET status = 'ok', detail = excluded.detail`,
      [name, detail],
    );
  for (let step = 96; step >= 0; step -= 1) {
    const hourOfDay = ago(step * 15 * MINUTE).getUTCHours();
    const busy = Math.max(0, Math.sin(((hourOfDay - 6) / 24) * 2 * Math.PI));
    const counts = {
      RUNNING: Math.round(1 + busy * 5),
      STANDBY: Math.round(2 + busy * 3),
      ARCHIVED: Math.round(9 - busy * 6),
      PENDING: 0,
      ERROR: step < 2 ? 1 : 0,
      DELETING: 0,
      DELETED: 1,
    };
    await database.query("INSERT INTO fleet_samples (at, counts) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      ago(step * 15 * MINUTE),
      JSON.stringify(counts),
    ]);
  }
}

/** Garbage collection after some days: a run 70 minutes ago, marks of it and of the one before, and what was removed. */
export async function seedCollection(database: pg.Client): Promise<void> {
  const kept = [
    { reason: "in_use", count: 1_214, until: null },
    { reason: "version", count: 11, until: null },
    { reason: "trash", count: 3, until: Date.now() + 2 * DAY },
    { reason: "operation", count: 1, until: null },
    { reason: "error", count: 2, until: null },
  ];
  await database.query("UPDATE deployment SET gc_last_run_at = $1, gc_listed = 1242, gc_kept = $2", [
    ago(70 * MINUTE),
    JSON.stringify(kept),
  ]);
  await database.query("INSERT INTO gc_removals (at, removed) VALUES ($1, 5), ($2, 21), ($3, 400)", [
    ago(20 * MINUTE),
    ago(10 * HOUR),
    ago(2 * DAY),
  ]);
  await database.query(
    `INSERT INTO gc_marks (key, marked_at)
     SELECT n::text, CASE WHEN n <= 7 THEN $1::timestamptz ELSE $2::timestamptz END FROM generate_series(1, 11) AS n`,
    [ago(70 * MINUTE), ago(3 * HOUR)],
  );
}

/** The fleet of the pictures; returns the ids by name. */
export async function seedPictures(database: pg.Client, owner: string): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const sample of samples) ids.set(sample.name, await insertWorkspace(database, owner, sample));
  const first = ids.get("payments-service");
  if (first !== undefined) await insertHistory(database, first, owner);
  await insertFleet(database);
  await seedCollection(database);
  return ids;
}
