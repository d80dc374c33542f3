import type { Readiness } from "@codehub/contract";
import type { ApiDeps, ReadinessCheck } from "#api/deps.ts";

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);

/** Ready when everything this process needs answers. What is wrong is said, without addresses or credentials. */
export async function readiness(
  deps: Pick<ApiDeps, "views" | "bus" | "readiness" | "isDatabaseDown" | "logger">,
): Promise<Readiness> {
  const checks: ReadinessCheck[] = [];
  // Asked at the same time: on a busy machine each answer of the database takes its while.
  const parts = deps.readiness();
  parts.catch(() => {});
  try {
    await deps.views.ping();
    checks.push({ name: "database", ok: true, detail: "PostgreSQL answers." });
  } catch (error) {
    deps.logger.warn({ error: describe(error) }, "the database does not answer");
    checks.push({ name: "database", ok: false, detail: "PostgreSQL does not answer." });
  }
  const bus = deps.bus.health();
  checks.push({ name: "bus", ok: bus.ok, detail: bus.detail });
  try {
    checks.push(...(await parts));
  } catch (error) {
    deps.logger.warn({ error: describe(error) }, "readiness could not be determined");
    checks.push({ name: "parts", ok: false, detail: "The state of the other parts could not be read." });
  }
  return { ready: checks.every((check) => check.ok), checks };
}
