import os from "node:os";
import { lookAtDatabase } from "#adapters/postgres/look.ts";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { reachWarnings } from "#config/allowed-networks.ts";
import type { Config } from "#config/config.ts";
import { proxyWarnings } from "#config/proxy-warnings.ts";
import { CHECKS, type Check, type Finding, findingsOf } from "#core/doctor/finding.ts";
import { type DatabaseSeen, failedDatabase, judgeDatabase } from "#core/doctor/judge-database.ts";
import { judgeEngine } from "#core/doctor/judge-engine.ts";
import { judgeConfiguration, judgeDescriptors, judgeDisk, judgeDns } from "#core/doctor/judge-machine.ts";
import { judgeRedis, judgeStore, type Remembered } from "#core/doctor/judge-parts.ts";
import { judgeSecrets } from "#core/doctor/judge-secrets.ts";
import { lookAtRuntime, lookAtStore } from "./look-at-data-plane.ts";
import { lookAtAddresses, lookAtDescriptors, lookAtDisk } from "./look-at-machine.ts";
import { lookAtSecrets } from "./look-at-secrets.ts";
import { surroundingsProblem } from "./surroundings.ts";

/** What was found, where and when. */
export interface Examination {
  readonly at: number;
  readonly machine: string;
  readonly findings: readonly Finding[];
}

/** How the examiner reaches the database: its address, or why there is none. */
export type DatabasePlace =
  | { readonly kind: "url"; readonly url: string; readonly embedded: boolean }
  | Exclude<DatabaseSeen, { readonly kind: "answers" }>;

/** Looks at everything a deployment needs, from this machine and with this configuration, and changes nothing. */
export async function examine(config: Config, database: DatabasePlace): Promise<Examination> {
  const looked = lookAtAll(config, database);
  return { at: clock.nowMs(), machine: os.hostname(), findings: inOrder(await looked) };
}

/** A configuration that cannot be read leaves nothing to look at. */
export const examinedConfiguration = (problems: readonly string[]): Examination => ({
  at: clock.nowMs(),
  machine: os.hostname(),
  findings: inOrder([
    ...judgeConfiguration(problems, []),
    ...CHECKS.slice(1).map((check) => findingsOf(check)("unknown", "needs_configuration")),
  ]),
});

async function lookAtAll(config: Config, place: DatabasePlace): Promise<readonly Finding[]> {
  const { seen, remembered } = await lookAtPlace(place);
  const known = { ...config, localWorkspaces: (remembered?.runtimeKind ?? "process") === "process" };
  const warnings = [...proxyWarnings(known), ...reachWarnings(known)];
  const parts = await Promise.all([
    found("secrets", async () => [judgeSecrets(await lookAtSecrets(config, place.kind === "url" ? place.url : null))]),
    found("redis", async () => [judgeRedis(await lookAtRedis(config))]),
    found("store", async () => [judgeStore(await lookAtStore(config), remembered)]),
    found("engine", async () => judgeEngine(await lookAtRuntime(config, remembered), remembered)),
    found("dns", async () => [judgeDns(await lookAtAddresses(config))]),
    found("disk", async () => [judgeDisk(await lookAtDisk(config))]),
    found("descriptors", async () => [judgeDescriptors(lookAtDescriptors())]),
  ]);
  const problem = surroundingsProblem(config);
  return [...judgeConfiguration(problem === null ? [] : [problem], warnings), ...judgeDatabase(seen), ...parts.flat()];
}

async function lookAtPlace(place: DatabasePlace): Promise<{ seen: DatabaseSeen; remembered: Remembered | null }> {
  if (place.kind !== "url") return { seen: place, remembered: null };
  const { url, embedded } = place;
  try {
    const { answer, remembered } = await lookAtDatabase(url, clock.nowMs);
    return { seen: { kind: "answers", embedded, ...answer }, remembered };
  } catch (error) {
    return { seen: failedDatabase(error, embedded), remembered: null };
  }
}

async function lookAtRedis({ REDIS_URL: url }: Config): Promise<Parameters<typeof judgeRedis>[0]> {
  if (url === null) return { kind: "not_configured" };
  try {
    await (await import("#adapters/redis/look.ts")).lookAtRedis(url);
    return { kind: "answers" };
  } catch (error) {
    return { kind: "failed", said: error instanceof Error ? error.message : String(error) };
  }
}

/** A look that fails in a way that nobody thought of is a finding too, and keeps nobody from the others. */
async function found(check: Check, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return [findingsOf(check)("broken", "not_looked", { said })];
  }
}

const inOrder = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check));
