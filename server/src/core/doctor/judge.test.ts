import { findingText } from "@codehub/contract/words";
import { describe, expect, test } from "vitest";
import { type Finding, isBroken } from "./finding.ts";
import { type DatabaseAnswer, failedDatabase, judgeDatabase } from "./judge-database.ts";
import { type EngineSeen, type ImageSeen, judgeEngine } from "./judge-engine.ts";
import { type AddressesSeen, judgeConfiguration, judgeDescriptors, judgeDisk, judgeDns } from "./judge-machine.ts";
import { judgeRedis, judgeStore, type Remembered, type StoreSeen } from "./judge-parts.ts";

const short = (findings: readonly Finding[]): string[] =>
  findings.map(({ check, level, code }) => `${check} ${level} ${code}`);

/** Every finding of these tests has words: no hole in a sentence, and what is broken has a cure. */
function told<T extends Finding | readonly Finding[]>(findings: T): T {
  for (const finding of [findings].flat() as Finding[]) {
    const { found, cure } = findingText(finding);
    expect(found, finding.code).not.toBe(finding.code);
    if (finding.level === "broken") expect(cure, finding.code).not.toBeNull();
  }
  return findings;
}

const answer = (change: Partial<DatabaseAnswer>): DatabaseAnswer => ({
  kind: "answers",
  version: 180_004,
  embedded: false,
  login: "codehub",
  schema: { known: 10, applied: 10, refusal: null },
  roles: { pooled: false, missing: [], mayMake: false },
  aheadMs: 120,
  ...change,
});
const schema = (applied: number, refusal: string | null = null): Partial<DatabaseAnswer> => ({
  schema: { known: 10, applied, refusal },
});
const missing = (mayMake: boolean): Partial<DatabaseAnswer> => ({
  roles: { pooled: false, missing: ["codehub_api"], mayMake },
});

describe("the database", () => {
  test.each<[string, Partial<DatabaseAnswer>, string]>([
    ["as it should be", {}, "database ok database_ok"],
    ["the embedded one", { embedded: true }, "database ok database_embedded_ok"],
    ["empty", schema(0), "database ok database_empty"],
    ["not migrated yet", schema(9), "database warning database_behind"],
    ["of a newer release", schema(11, "The database has schema 11."), "database broken database_schema"],
    ["too old", { version: 130_011 }, "database broken database_old"],
    ["roles that are made later", missing(true), "roles ok roles_made_at_start"],
    ["roles that nobody may make", missing(false), "roles broken roles_missing"],
    ["a pooler", { roles: { pooled: true, missing: [], mayMake: false } }, "roles broken roles_pooled"],
    ["a clock that is nearly right", { aheadMs: -4_999 }, "clocks ok clocks_ok"],
    ["a clock that is ahead", { aheadMs: 5_000 }, "clocks warning clocks_database_ahead"],
    ["a clock that is behind", { aheadMs: -299_999 }, "clocks warning clocks_database_behind"],
    ["a clock that is far behind", { aheadMs: -300_000 }, "clocks broken clocks_database_behind"],
  ])("%s", (_name, change, expected) => {
    const findings = told(judgeDatabase(answer(change)));
    expect(short(findings)).toContain(expected);
    expect(isBroken(findings)).toBe(expected.includes(" broken "));
  });

  const refused = (code: string): Error => Object.assign(new Error(`it said ${code}.`), { code });
  test.each([
    ["ECONNREFUSED", "database_refused"],
    ["ENOTFOUND", "database_no_host"],
    ["28P01", "database_password"],
    ["3D000", "database_missing"],
    ["57P03", "database_failed"],
  ])("%s: %s, and the rest is not known", (code, expected) => {
    const all = new AggregateError([refused(code), refused("EADDRNOTAVAIL")]);
    const findings = told(judgeDatabase(failedDatabase(all, false)));
    expect(short(findings)).toEqual([
      `database broken ${expected}`,
      "roles unknown needs_database",
      "clocks unknown needs_database",
    ]);
    expect(findings[0]?.fields["said"]).toBe(`it said ${code}`);
  });

  test("the embedded one has its own cure, and one that is not there yet needs none", () => {
    const failed = told(judgeDatabase(failedDatabase(refused("ECONNREFUSED"), true)));
    expect(short(failed)[0]).toBe("database broken database_embedded_failed");
    expect(short(told(judgeDatabase({ kind: "none_yet", directory: "/data" })))).toEqual([
      "database ok database_none_yet",
    ]);
  });
});

test.each([
  [{ kind: "not_configured" }, "redis ok redis_not_configured"],
  [{ kind: "answers" }, "redis ok redis_ok"],
  [{ kind: "failed", said: "connect ECONNREFUSED" }, "redis broken redis_failed"],
  [{ kind: "failed", said: "NOAUTH Authentication required." }, "redis broken redis_denied"],
  [{ kind: "failed", said: "WRONGPASS invalid" }, "redis broken redis_denied"],
] as const)("Redis: %o", (seen, expected) => {
  expect(short([told(judgeRedis(seen))])).toEqual([expected]);
});

const remembered = (change: Partial<Remembered> = {}): Remembered => ({
  deploymentId: "ours",
  runtimeKind: "docker",
  engineId: "engine",
  storeId: "store",
  generation: 7,
  quarantine: null,
  ...change,
});

describe("the archive store", () => {
  const directory: StoreSeen = {
    kind: "directory",
    place: "/archives",
    trouble: null,
    binding: { storeId: "store", deploymentId: "ours" },
    generation: 7,
  };
  const trouble = (code: string): Partial<StoreSeen> => ({ trouble: { code, said: `it said ${code}` } });
  test.each<[string, Partial<StoreSeen>, Remembered | null, string]>([
    ["ours", {}, remembered(), "store ok store_ok"],
    ["without a database to ask", {}, null, "store ok store_ok"],
    ["new", { binding: null }, remembered({ storeId: null }), "store ok store_new"],
    ["new, before the first start", { binding: null }, null, "store ok store_new"],
    ["a disk that is not mounted", { binding: null }, remembered(), "store broken store_empty"],
    ["another one of ours", {}, remembered({ storeId: "former" }), "store broken store_other"],
    ["somebody else's", {}, remembered({ deploymentId: "theirs" }), "store broken store_of_others"],
    ["newer than the database", { generation: 8 }, remembered(), "store warning store_ahead"],
    ["paused", {}, remembered({ quarantine: "It was restored." }), "store warning store_quarantined"],
    ["not writable", trouble("EACCES"), remembered(), "store broken store_denied_directory"],
    ["read-only", trouble("EROFS"), remembered(), "store broken store_read_only"],
    ["full", trouble("ENOSPC"), remembered(), "store broken store_full"],
    ["a file where a directory should be", trouble("ENOTDIR"), remembered(), "store broken store_failed"],
    ["no bucket", { kind: "s3", ...trouble("NoSuchBucket") }, remembered(), "store broken store_no_bucket"],
    ["a wrong key", { kind: "s3", ...trouble("SignatureDoesNotMatch") }, remembered(), "store broken store_denied"],
    ["nobody there", { kind: "s3", ...trouble("Error") }, remembered(), "store broken store_unreachable"],
  ])("%s", (_name, change, memory, expected) => {
    expect(short([told(judgeStore({ ...directory, ...change }, memory))])).toEqual([expected]);
  });
});

describe("where workspaces run", () => {
  const image = (use: ImageSeen["use"], change: Partial<ImageSeen> = {}): ImageSeen => ({
    image: `codehub/${use}`,
    use,
    present: true,
    protocol: use === "job" ? { spoken: "4", expected: "4" } : null,
    ...change,
  });
  const docker: EngineSeen = {
    kind: "docker",
    place: "unix:///docker.sock",
    trouble: null,
    id: "engine",
    singleUser: false,
    images: [image("job"), image("default")],
    firewall: { trouble: null },
  };
  const process: EngineSeen = { ...docker, kind: "process", images: [], firewall: null };
  const cluster: EngineSeen = { ...docker, kind: "kubernetes", images: [] };
  const down = (code: string): Partial<EngineSeen> => ({
    trouble: { code, said: `connect ${code}` },
    id: null,
    images: null,
    firewall: null,
  });
  const other = { spoken: "3", expected: "4" };

  test.each<[string, EngineSeen, Remembered | null, string[]]>([
    [
      "Docker as it should be",
      docker,
      remembered(),
      ["engine ok engine_ok", "images ok images_ok", "firewall ok firewall_ok"],
    ],
    [
      "no socket",
      { ...docker, ...down("ENOENT") },
      null,
      ["engine broken engine_no_socket", "images unknown needs_engine"],
    ],
    ["a socket without a right", { ...docker, ...down("EACCES") }, null, ["engine broken engine_denied"]],
    ["an engine that is down", { ...docker, ...down("ECONNREFUSED") }, null, ["engine broken engine_down"]],
    [
      "an engine that hangs",
      { ...docker, ...down("") },
      null,
      ["engine broken engine_failed", "firewall unknown needs_engine"],
    ],
    ["another engine", docker, remembered({ engineId: "former" }), ["engine broken engine_other"]],
    ["another kind", docker, remembered({ runtimeKind: "process" }), ["engine broken engine_other_kind"]],
    ["before the first start", docker, remembered({ runtimeKind: null, engineId: null }), ["engine ok engine_ok"]],
    [
      "no job image",
      { ...docker, images: [image("job", { present: false, protocol: null })] },
      null,
      ["images broken job_image_missing"],
    ],
    [
      "a job image of before",
      { ...docker, images: [image("job", { protocol: other })] },
      null,
      ["images broken job_image_other"],
    ],
    [
      "no default image",
      { ...docker, images: [image("default", { present: false })] },
      null,
      ["images warning default_image_missing"],
    ],
    [
      "no chosen image",
      { ...docker, images: [image("allowed", { present: false })] },
      null,
      ["images warning allowed_image_missing"],
    ],
    [
      "no firewall",
      { ...docker, firewall: { trouble: "nft: not permitted." } },
      null,
      ["firewall broken firewall_failed"],
    ],
    ["processes", process, null, ["engine ok process_ok", "images ok images_not_needed", "firewall ok firewall_none"]],
    ["no firewall to look at yet", { ...docker, firewall: null }, null, ["firewall unknown firewall_later"]],
    ["processes of one user", { ...process, singleUser: true }, null, ["engine warning process_single_user"]],
    ["processes without their place", { ...process, ...down("EACCES") }, null, ["engine broken process_failed"]],
    ["a cluster", cluster, null, ["engine ok cluster_ok", "images ok images_by_cluster", "firewall ok policies_ok"]],
    ["a cluster that is away", { ...cluster, ...down("") }, null, ["engine broken cluster_failed"]],
    [
      "a cluster without policies",
      { ...cluster, firewall: { trouble: "No policy." } },
      null,
      ["firewall broken policies_failed"],
    ],
    [
      "a cluster whose policy lacks something that is listed",
      { ...cluster, firewall: { trouble: null, lacking: "Workspaces do not reach 10.1.1.1:22." } },
      null,
      ["firewall warning policies_lack"],
    ],
  ])("%s", (_name, seen, memory, expected) => {
    expect(short(told(judgeEngine(seen, memory)))).toEqual(expect.arrayContaining(expected));
  });
});

describe("the machine", () => {
  const public_: AddressesSeen = {
    baseHost: "codehub.example.org",
    workspaceHost: "doctor-1.ws-example.net",
    forgotten: false,
    local: false,
    base: null,
    workspace: null,
    single: false,
  };
  test.each<[string, Partial<AddressesSeen>, string]>([
    ["both are found", {}, "dns ok dns_ok"],
    ["at home", { local: true }, "dns ok dns_local"],
    ["no dashboard", { base: "ENOTFOUND" }, "dns broken dns_no_base"],
    ["no wildcard", { workspace: "ENOTFOUND" }, "dns broken dns_no_wildcard"],
    ["no wildcard is needed", { workspace: "ENOTFOUND", single: true }, "dns ok dns_ok"],
    ["workspaces left at localhost", { forgotten: true }, "dns broken dns_forgotten"],
  ])("addresses: %s", (_name, change, expected) => {
    expect(short([told(judgeDns({ ...public_, ...change }))])).toEqual([expected]);
  });

  test("the wildcard is named as a DNS record is written", () => {
    const finding = judgeDns({ ...public_, workspace: "ENOTFOUND" });
    expect(findingText(finding).cure).toContain("*.ws-example.net");
  });

  const GIB = 2 ** 30;
  test.each([
    ["plenty", 100 * GIB, 400 * GIB, "disk ok disk_ok"],
    ["twice the least", 4 * GIB, 20 * GIB, "disk ok disk_ok"],
    ["less than twice", 3 * GIB, 20 * GIB, "disk warning disk_low"],
    ["less than the least", 1 * GIB, 20 * GIB, "disk broken disk_full"],
    ["a large disk's share", 15 * GIB, 400 * GIB, "disk broken disk_full"],
  ])("disk: %s", (_name, freeBytes, totalBytes, expected) => {
    const rules = { minFreeBytes: 2 * GIB, minFreeRatio: 0.05 };
    expect(short([told(judgeDisk({ directory: "/data", freeBytes, totalBytes, ...rules }))])).toEqual([expected]);
  });

  test.each([
    [1_024, 256, "descriptors warning descriptors_few"],
    [256, 42, "descriptors broken descriptors_few"],
    [65_536, 16_384, "descriptors ok descriptors_ok"],
    [Number.MAX_SAFE_INTEGER, 10 ** 9, "descriptors ok descriptors_ok"],
  ])("%d descriptors, %d clients", (limit, clients, expected) => {
    expect(short([told(judgeDescriptors({ limit, clients }))])).toEqual([expected]);
  });

  test("configuration: everything that is wrong, and what is doubtful", () => {
    expect(short(told(judgeConfiguration([], [])))).toEqual(["configuration ok configuration_ok"]);
    expect(short(told(judgeConfiguration(["PORT=x"], ["BASE_URL"])))).toEqual([
      "configuration broken configuration_wrong",
      "configuration warning configuration_doubtful",
    ]);
  });
});
