import { systemClock as clock } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import { type Finding, findingsOf } from "#core/doctor/finding.ts";
import { judgeEngine } from "#core/doctor/judge-engine.ts";
import type { Remembered } from "#core/doctor/judge-parts.ts";
import type { World } from "#ports/world.ts";
import { lookAtRuntime } from "./look-at-data-plane.ts";
import { type SpokenFinding, spoken } from "./spoken-findings.ts";

/** A part that hangs keeps nobody from starting. */
const PATIENCE_MS = 3_000;

/**
 * What keeps workspaces from starting, as far as the engine and the store tell at once: whoever starts CodeHub reads it where it
 * says that it is ready, and not in the log, or on the page of the first workspace that fails. The rest is for the doctor.
 */
export async function troubleAtStart(
  config: Config,
  { archives }: Pick<World, "archives">,
  remembered: Remembered,
): Promise<readonly SpokenFinding[]> {
  // Whoever may set a firewall at this time is the leader.
  const engine = lookAtRuntime(config, { ...remembered, deploymentId: null }).then((seen) =>
    judgeEngine(seen, remembered),
  );
  const store = archives.storeId().then(
    (id) => (remembered.storeId === null || remembered.storeId === id ? [] : [foreign(config)]),
    (error: unknown) => [
      findingsOf("store")("broken", "store_unreachable", { place: placeOf(config), said: saidBy(error) }),
    ],
  );
  const late = clock.sleep(PATIENCE_MS).then((): readonly Finding[] => []);
  const found = await Promise.all([engine, store].map((look) => Promise.race([look, late]).catch(() => [])));
  return spoken(found.flat().filter(({ level, code }) => level === "broken" || code === "default_image_missing"));
}

const placeOf = ({ S3_BUCKET, DATA_DIR }: Config): string => S3_BUCKET ?? DATA_DIR;
const foreign = (config: Config): Finding => findingsOf("store")("broken", "store_other", { place: placeOf(config) });
const saidBy = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** For the person who has started it. */
export const troubleWords = (trouble: readonly SpokenFinding[]): readonly string[] =>
  trouble.flatMap(({ found, cure }) => [`    ${found}`, ...(cure === null ? [] : [`      -> ${cure}`])]);
