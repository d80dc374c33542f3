import { execFileSync, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import {
  type JobIdentity,
  type JobReport,
  type JobRequest,
  jobArguments,
  VOLUME_VARIABLE,
} from "#job-program/protocol.ts";
import { describeTree } from "./fingerprint.ts";
import { plant, plantedTree } from "./home-tree.ts";

const SOURCES = fileURLToPath(new URL(".", import.meta.resolve("#job-program/protocol.ts")));
const asRoot = process.getuid?.() === 0;
/** Any account that is not root: it reads what modes let it read. */
const ACCOUNT = 1000;

/** Program and Node where every account can reach them, which this repository need not be. */
let stage = "";
beforeAll(async () => {
  stage = await mkdtemp(join(tmpdir(), "codehub-stage-"));
  chmodSync(stage, 0o755);
  cpSync(SOURCES, join(stage, "job-program"), { recursive: true });
  writeFileSync(join(stage, "package.json"), '{"type":"module"}');
  cpSync(process.execPath, join(stage, "node"));
});
afterAll(() => rm(stage, { recursive: true, force: true }));

interface Volume {
  readonly path: string;
  readonly home: string;
  readonly identity: JobIdentity;
}

async function newVolume(workspaceId: string = randomUUID()): Promise<Volume> {
  const path = await mkdtemp(join(tmpdir(), "codehub-owner-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  const home = join(path, "home");
  mkdirSync(home, 0o700);
  give(path);
  return { path, home, identity: { workspaceId, attempt: randomUUID(), archiveKey: null, manifestDigest: null } };
}

function give(path: string): void {
  if (asRoot) execFileSync("chown", ["-R", `${ACCOUNT}:${ACCOUNT}`, path]);
}

function start(volume: Volume, request: JobRequest, account = ACCOUNT) {
  const program = join(stage, "job-program/storage/main.ts");
  return spawn(join(stage, "node"), ["--no-warnings", program, ...jobArguments(request)], {
    detached: true,
    env: { PATH: process.env["PATH"], [VOLUME_VARIABLE]: volume.path },
    ...(asRoot ? { uid: account, gid: account } : {}),
  });
}

async function run(
  volume: Volume,
  request: JobRequest,
  input?: Buffer,
  account = ACCOUNT,
): Promise<{ report: JobReport; output: Buffer }> {
  const job = start(volume, request, account);
  job.stdin.on("error", () => {}).end(input);
  const [output, said] = await Promise.all([buffer(job.stdout), text(job.stderr), once(job, "exit")]);
  return { report: JSON.parse(said.trim().split("\n").at(-1) ?? "null") as JobReport, output };
}

const LOCKED_BYTES = Buffer.from([0x27, 0x20, 0x0a, 0x22, 0x24, 0x60, 0x5c, 0x81, 0x82, 0x83, 0x88, 0xff]);

/** Files and folders that their owner has locked, in each other, with every odd letter, and one with two names. */
function plantLocked(home: string): void {
  const at = (name: string) => join(home, name);
  writeFileSync(at("plain"), "plain");
  writeFileSync(at("secret"), "secret");
  writeFileSync(Buffer.concat([Buffer.from(`${home}/odd`), LOCKED_BYTES]), "odd");
  mkdirSync(at("outer/inner/deep"), { recursive: true });
  mkdirSync(at("outer/open"));
  writeFileSync(at("outer/open/readable"), "readable");
  writeFileSync(at("outer/inner/deep/secret"), randomBytes(3_000_000));
  linkSync(at("secret"), at("outer/inner/second name"));
  writeFileSync(at("only-written"), "only written");
  // Attributes are set where an owner may write, and the right mode comes afterwards: also in a folder that is locked.
  execFileSync("setfattr", ["-n", "user.mark", "-v", "kept", at("outer/inner/deep/secret")]);
  for (const [name, mode] of [
    ["outer/inner/deep/secret", 0o000],
    ["outer/inner/deep", 0o300],
    ["outer/inner", 0o600],
    ["outer", 0o000],
    ["secret", 0o000],
    ["only-written", 0o200],
  ] as const) {
    chmodSync(at(name), mode);
  }
  chmodSync(Buffer.concat([Buffer.from(`${home}/odd`), LOCKED_BYTES]), 0o000);
  give(home);
}

async function lockedHome(): Promise<Volume & { before: string; pack: JobRequest }> {
  const volume = await newVolume();
  plantLocked(volume.home);
  const { report } = await run(volume, { kind: "seal", identity: volume.identity });
  expect(report).toEqual({ sealed: true });
  const pack: JobRequest = { kind: "pack", workspaceId: volume.identity.workspaceId, identity: volume.identity };
  return { ...volume, before: describeTree(volume.home), pack };
}

it("archives and restores what the owner has locked, and leaves it locked", async () => {
  const { before, pack, ...volume } = await lockedHome();
  const { report, output } = await run(volume, pack);
  if (!("packed" in report)) throw new Error(JSON.stringify(report));
  expect(describeTree(volume.home)).toBe(before);
  expect(existsSync(join(volume.path, ".codehub/locked"))).toBe(false);

  const target = await newVolume(volume.identity.workspaceId);
  // As an attempt leaves it that was cut short.
  plantLocked(target.home);
  const { formatVersion, skippedSockets: _, ...expected } = report.packed;
  const unpacking: JobRequest = { kind: "unpack", expected, formatVersion, identity: target.identity, object: null };
  const unpacked = await run(target, unpacking, output);
  expect(unpacked.report).toMatchObject({ unpacked: { untouched: false } });
  expect(describeTree(target.home)).toBe(before);
  expect(existsSync(join(target.path, ".codehub/locked"))).toBe(false);
  // The restored home makes the same archive.
  const again = await run(target, { ...pack, identity: target.identity } as JobRequest);
  expect(again.report).toMatchObject({ packed: expected });
}, 120_000);

it.runIf(asRoot)(
  "gives a home that was another account's to the account it has here, and keeps everything else",
  async () => {
    const volume = await newVolume();
    plantLocked(volume.home);
    for (const [name, mode] of [
      ["setuid", 0o4755],
      ["setgid", 0o2750],
    ] as const) {
      writeFileSync(join(volume.home, name), name);
      chmodSync(join(volume.home, name), mode);
    }
    symlinkSync("plain", join(volume.home, "link"));
    writeFileSync(join(volume.home, "sparse"), "");
    truncateSync(join(volume.home, "sparse"), 8 * 2 ** 20);
    const { identity } = volume;
    await run(volume, { kind: "seal", identity });
    execFileSync("chown", ["-hR", "20007:20008", volume.home]);
    // What a change of owner takes away, and what belongs to somebody else in another's home.
    chmodSync(join(volume.home, "setuid"), 0o4755);
    chmodSync(join(volume.home, "setgid"), 0o2750);
    chownSync(join(volume.home, "plain"), 0, 20_008);
    const packed = await run(volume, { kind: "pack", workspaceId: identity.workspaceId, identity }, undefined, 0);
    if (!("packed" in packed.report)) throw new Error(JSON.stringify(packed.report));
    const { formatVersion, skippedSockets: _, ...expected } = packed.report.packed;
    const owner = { uid: ACCOUNT, gid: ACCOUNT };
    // By root, as on Docker, and by the account itself, as on a cluster.
    for (const uid of [0, ACCOUNT]) {
      const target = await newVolume(identity.workspaceId);
      const into = { kind: "unpack", expected, formatVersion, identity: target.identity, object: null } as const;
      const { report } = await run(target, { ...into, owner }, packed.output, uid);
      expect(report).toMatchObject({ unpacked: { untouched: false, given: expected.entryCount } });
      expect(describeTree(target.home)).toBe(
        describeTree(volume.home).replaceAll(/ [0-9]+:[0-9]+(?= |$)/gm, ` ${ACCOUNT}:${ACCOUNT}`),
      );
    }
    // A home of this account keeps whatever is in it, also what is somebody else's.
    const other = await newVolume(identity.workspaceId);
    const into = { kind: "unpack", expected, formatVersion, identity: other.identity, object: null } as const;
    const { report } = await run(other, { ...into, owner: { uid: 20_007, gid: 20_008 } }, packed.output, 0);
    expect(report).toMatchObject({ unpacked: { given: 0 } });
    expect(describeTree(other.home)).toBe(describeTree(volume.home));
  },
  120_000,
);

it("keeps any tree", async () => {
  await fc.assert(
    fc.asyncProperty(plantedTree, async (things) => {
      const volume = await newVolume();
      plant(volume.home, things, asRoot ? ACCOUNT : undefined);
      const { identity } = volume;
      await run(volume, { kind: "seal", identity });
      const before = describeTree(volume.home);
      const packed = await run(volume, { kind: "pack", workspaceId: identity.workspaceId, identity });
      if (!("packed" in packed.report)) throw new Error(JSON.stringify(packed.report));
      expect(describeTree(volume.home)).toBe(before);
      const { formatVersion, skippedSockets: _, ...expected } = packed.report.packed;
      const target = await newVolume(identity.workspaceId);
      const into = { formatVersion, identity: target.identity, object: null };
      const { report } = await run(target, { kind: "unpack", expected, ...into }, packed.output);
      expect(report).toMatchObject({ unpacked: { untouched: false } });
      expect(describeTree(target.home)).toBe(before);
    }),
    { numRuns: Number(process.env["ROUND_TRIP_RUNS"] ?? 5), endOnFailure: true },
  );
}, 600_000);

it("does not archive a file that could not be restored: its name is told", async () => {
  const volume = await newVolume();
  const file = join(volume.home, "listed");
  writeFileSync(file, "listed");
  give(volume.home);
  execFileSync("setfattr", ["-n", "user.comment", "-v", "x", file]);
  execFileSync("setfacl", ["-m", "u:33:r", file]);
  chmodSync(file, 0o440);
  const { identity } = volume;
  await run(volume, { kind: "seal", identity });
  const { report } = await run(volume, { kind: "pack", workspaceId: identity.workspaceId, identity });
  const message = expect.stringMatching(/cannot be archived.*"listed" has an access list/);
  expect(report).toEqual({ failure: { reason: "ActionFailed", message } });
}, 120_000);

it("locks again what a job that was killed has left open", async () => {
  const { before: _, pack, ...volume } = await lockedHome();
  // More than pipes hold, and nobody reads it: the job waits while everything is open.
  writeFileSync(join(volume.home, "noise"), randomBytes(8 * 2 ** 20));
  give(volume.home);
  const full = describeTree(volume.home);
  const undisturbed = await run(volume, pack);
  const job = start(volume, pack);
  await once(job.stdout, "readable");
  expect(statSync(join(volume.home, "secret")).mode & 0o777).toBe(0o400);
  process.kill(-(job.pid ?? 0), "SIGKILL");
  await once(job, "exit");
  expect(describeTree(volume.home)).not.toBe(full);
  expect(readFileSync(join(volume.path, ".codehub/locked"), "latin1")).toContain("chmod 00000 'home/secret'");
  const { report } = await run(volume, pack);
  expect(report).toEqual(undisturbed.report);
  expect(report).toHaveProperty("packed");
  expect(describeTree(volume.home)).toBe(full);
}, 120_000);

it("archives no older home of the same workspace", async () => {
  const volume = await newVolume();
  await run(volume, { kind: "seal", identity: volume.identity });
  const pack = (identity: JobIdentity): JobRequest => ({ kind: "pack", workspaceId: identity.workspaceId, identity });
  for (const other of [{ attempt: randomUUID() }, { archiveKey: "a/b" }, { manifestDigest: "0".repeat(64) }]) {
    const { report } = await run(volume, pack({ ...volume.identity, ...other }));
    expect(report).toMatchObject({
      failure: { reason: "ActionFailed", message: expect.stringMatching(/not the home it should be.*not archived/) },
    });
  }
  const { report } = await run(volume, pack(volume.identity));
  expect(report).toHaveProperty("packed");
}, 120_000);
