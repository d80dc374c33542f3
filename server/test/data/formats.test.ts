import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createReadStream, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveKey, volumeName } from "#core/rows/names.ts";
import type { ArchiveFacts } from "#core/rows/workspace.ts";
import { mayActAsRoot } from "../root.ts";
import { describeTree } from "./fingerprint.ts";
import { type ProcessDataPlane, processDataPlane } from "./process-harness.ts";

const never = new AbortController().signal;
const quiet = { onProgress: () => {}, signal: never };
const golden = (name: string) => join(import.meta.dirname, "golden", name);

const ownsAnything = mayActAsRoot("homes of other accounts");

describe("archives of other times and machines", () => {
  let plane: ProcessDataPlane;
  beforeAll(async () => {
    plane = await processDataPlane({});
  });
  afterAll(async () => {
    await plane?.close();
  });
  const newVolume = async (workspaceId: string) => {
    const attempt = randomUUID();
    const volume = volumeName(workspaceId, attempt);
    await plane.volumes.create({ name: volume, workspaceId, attempt });
    return { workspaceId, attempt, volume };
  };

  // One for each format that was ever released.
  for (const version of [1, 2]) {
    it.runIf(ownsAnything)(`an archive of format ${version} is restored as it was`, async () => {
      const expected = JSON.parse(readFileSync(golden(`home-v${version}.json`), "utf8")) as ArchiveFacts;
      const [workspaceId, attempt] = [randomUUID(), randomUUID()];
      const key = archiveKey(workspaceId, attempt);
      const put = await plane.store.put(key, createReadStream(golden(`home-v${version}.tar.zst`)), never);
      expect(put).toEqual({ sizeBytes: expected.sizeBytes, sha256: expected.sha256 });
      await plane.store.putMeta(key, { ...expected, workspaceId, attempt, createdAt: 1 });
      const target = await newVolume(workspaceId);
      await plane.jobs(plane.store).restore({ ...target, key, expected }, quiet);
      expect(describeTree(plane.homePath(target.volume))).toBe(readFileSync(golden(`home-v${version}.txt`), "latin1"));
    });
  }

  it.runIf(ownsAnything)("an account that has a name on one side only keeps its rights", async () => {
    const { workspaceId, attempt, volume } = await newVolume(randomUUID());
    await plane.fill(volume);
    writeFileSync(join(plane.homePath(volume), "shared.txt"), "for two");
    execFileSync("setfacl", ["-m", "u:54321:rw,g:54321:r", join(plane.homePath(volume), "shared.txt")]);
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const before = await plane.fingerprint(volume);
    const jobs = plane.jobs(plane.store);
    const roundTrip = async (there: string, back: string) => {
      const opId = randomUUID();
      const key = archiveKey(workspaceId, opId);
      const job = { workspaceId, attempt: opId, volume, key };
      const expected = await whereNamed(there, () => jobs.archive(job, quiet));
      const target = await newVolume(workspaceId);
      // Whatever a folder above hands down is not the home's.
      execFileSync("setfacl", ["-d", "-m", "u:33:rwx", plane.homePath(target.volume)]);
      await whereNamed(back, () => jobs.restore({ ...target, key, expected }, quiet));
      return await plane.fingerprint(target.volume);
    };
    expect(await roundTrip("ghost:x:54321:54321::/:/bin/false", "")).toBe(before);
    expect(await roundTrip("", "ghost:x:54321:54321::/:/bin/false")).toBe(before);
    // The name is another account's here: rights must not move to it.
    expect(await roundTrip("ghost:x:54321:54321::/:/bin/false", "ghost:x:9999:9999::/:/bin/false")).toBe(before);
  });

  it("with or without the zstd program, archives are the same to each other", async () => {
    const { workspaceId, attempt, volume } = await newVolume(randomUUID());
    await plane.fill(volume);
    await plane.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
    const jobs = plane.jobs(plane.store);
    const archive = async () => {
      const opId = randomUUID();
      const key = archiveKey(workspaceId, opId);
      return { key, facts: await jobs.archive({ workspaceId, attempt: opId, volume, key }, quiet) };
    };
    const restore = async ({ key, facts }: { key: string; facts: ArchiveFacts }) => {
      const target = await newVolume(workspaceId);
      await jobs.restore({ ...target, key, expected: facts }, quiet);
      return target.volume;
    };
    const before = await plane.fingerprint(volume);
    const withProgram = await archive();
    const { made, restored } = await withoutZstd(async () => ({
      made: await archive(),
      restored: await restore(withProgram),
    }));
    expect(await plane.fingerprint(restored)).toBe(before);
    expect(made.facts.manifestDigest).toBe(withProgram.facts.manifestDigest);
    expect(await plane.fingerprint(await restore(made))).toBe(before);
  });
});

/** Jobs started meanwhile find every tool but zstd. */
async function withoutZstd<T>(work: () => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "codehub-path-"));
  for (const tool of ["tar", "du", "find", "sync", "mkfifo"]) symlinkSync(`/usr/bin/${tool}`, join(folder, tool));
  return await withPath(folder, folder, work);
}

/** Jobs started meanwhile run a tar on a machine that has one more account, and a group of its name; or none. */
async function whereNamed<T>(account: string, work: () => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "codehub-path-"));
  const [name, , , gid] = account.split(":");
  const [passwd, group] = [join(folder, "passwd"), join(folder, "group")];
  writeFileSync(passwd, `${readFileSync("/etc/passwd", "utf8")}${account}\n`);
  writeFileSync(group, `${readFileSync("/etc/group", "utf8")}${account && `${name}:x:${gid}:`}\n`);
  const mounts = `mount --bind ${passwd} /etc/passwd && mount --bind ${group} /etc/group`;
  const script = `#!/bin/sh\nexec unshare --mount sh -c '${mounts} && exec /usr/bin/tar "$@"' tar "$@"\n`;
  writeFileSync(join(folder, "tar"), script, { mode: 0o755 });
  return await withPath(folder, `${folder}:${process.env["PATH"]}`, work);
}

async function withPath<T>(folder: string, found: string, work: () => Promise<T>): Promise<T> {
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = found;
  try {
    return await work();
  } finally {
    process.env["PATH"] = path;
    await rm(folder, { recursive: true });
  }
}
