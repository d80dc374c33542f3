import type { ComponentHealth } from "@codehub/contract";
import type { ApiDeps } from "#api/deps.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import type { FleetView } from "#ports/views.ts";

/** A leader that has not said anything for this long is not trusted to know. */
const STALE_MS = 90_000;
/** What the leader says of these is read from the database. */
export const TOLD_COMPONENTS = ["engine", "store", "coordinator"] as const;
const COMPONENTS = ["database", "bus", ...TOLD_COMPONENTS] as const;

/** What is known of each part; the database has just told of the fleet. */
export function componentHealth(deps: Pick<ApiDeps, "bus">, fleet: FleetView): ComponentHealth[] {
  const bus = deps.bus.health();
  return COMPONENTS.map((name): ComponentHealth => {
    if (name === "database") return { name, status: "ok", detail: "PostgreSQL answers", since: null };
    if (name === "bus") return { name, status: bus.ok ? "ok" : "down", detail: bus.detail, since: null };
    const seen = fleet.components.find((component) => component.name === name);
    if (seen === undefined) return { name, status: "unknown", detail: "No coordinator has reported yet.", since: null };
    const stale = fleet.now - seen.updatedAt > STALE_MS;
    const status = stale ? "unknown" : seen.status;
    const detail = stale ? `Last reported ${isoTime(seen.updatedAt)}: ${seen.detail}` : seen.detail;
    return { name, status, detail, since: isoTime(seen.since) };
  });
}
