import { openApiDocument, type PhaseCounts } from "@codehub/contract";
import { noticeText } from "@codehub/contract/words";
import { presentDeployment } from "#api/accounts/present-account.ts";
import type { ApiDeps } from "#api/deps.ts";
import { componentHealth } from "#api/health/components.ts";
import { fleetMetrics } from "#api/health/fleet-metrics.ts";
import { readiness } from "#api/health/readiness.ts";
import { ApiError } from "#api/http/api-error.ts";
import type { HandlersOf } from "#api/http/handler.ts";
import { REFERENCE_POLICY, referencePage } from "#api/http/reference-page.ts";
import { isoOrNull } from "#api/workspaces/present-workspace.ts";
import { isBroken } from "#core/doctor/finding.ts";
import { concernsIn } from "#core/notices/concerns.ts";
import { isoTime } from "#core/rows/iso-time.ts";
import { nextListingAt } from "#core/rules/gc.ts";
import type { FleetView } from "#ports/views.ts";

type SystemRoutes =
  | "streamEvents"
  | "getSystem"
  | "getExamination"
  | "getAttention"
  | "resumeGc"
  | "getOpenApi"
  | "getReference"
  | "getHealth"
  | "getReadiness"
  | "getMetrics";

const counts = (given: FleetView["counts"]): PhaseCounts => ({
  PENDING: given.PENDING,
  ARCHIVED: given.ARCHIVED,
  STANDBY: given.STANDBY,
  RUNNING: given.RUNNING,
  ERROR: given.ERROR,
  DELETING: given.DELETING,
  DELETED: given.DELETED,
});

export function systemHandlers(deps: ApiDeps): HandlersOf<SystemRoutes> {
  const { settings, views, hub, metrics } = deps;
  const collectFleet = fleetMetrics(deps);
  const document = openApiDocument({ version: settings.version, serverUrl: settings.baseUrl.origin });
  // Made for whoever asks first: a start would wait for it.
  let reference: string | undefined;

  return {
    streamEvents: async ({ principal, reply }) => {
      const owner = {
        userId: principal.account.id,
        credentialId: principal.credentialId,
        via: principal.via,
      };
      // From here on the answer is ours: headers set so far are sent, and nothing else ends the stream.
      const headers = reply.getHeaders();
      if (hub.isFull(owner.userId)) throw new ApiError("TOO_MANY_STREAMS", { limit: hub.limit });
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        // Asks reverse proxies not to collect events before passing them on.
        "x-accel-buffering": "no",
      });
      raw.write("retry: 2000\n\n");
      await hub.connect(owner, raw);
      return undefined;
    },

    getSystem: async () => {
      const fleet = await views.fleet();
      return {
        now: isoTime(fleet.now),
        deployment: presentDeployment(settings),
        counts: counts(fleet.counts),
        users: fleet.users,
        running: { used: fleet.slotsHeld, limit: settings.limits.maxRunningGlobal },
        converging: {
          count: fleet.converging,
          oldest_seconds:
            fleet.oldestConvergingMs === null ? null : Math.max(0, Math.round(fleet.oldestConvergingMs / 1000)),
        },
        history: fleet.samples.map((sample) => ({ at: isoTime(sample.at), counts: counts(sample.counts) })),
        operations: fleet.operations.map((operation) => ({
          operation: operation.operation,
          running: operation.running,
          finished_24h: operation.finished24h,
          failed_24h: operation.failed24h,
          median_seconds: operation.medianSeconds,
          p95_seconds: operation.p95Seconds,
        })),
        leader:
          fleet.leader === null
            ? null
            : { holder: fleet.leader.holder, epoch: fleet.leader.epoch, since: isoTime(fleet.leader.since) },
        health: componentHealth(deps, fleet),
        gc: {
          quarantined: fleet.gc.quarantine !== null,
          reason: fleet.gc.quarantine,
          last_run_at: isoOrNull(fleet.gc.lastRunAt),
          next_run_at: isoOrNull(nextListingAt(fleet.gc.lastRunAt, fleet.leader?.since ?? null)),
          listed: fleet.gc.listed,
          kept: fleet.gc.kept.map(({ reason, count, until }) => ({ reason, count, until: isoOrNull(until) })),
          ageing: fleet.gc.ageing,
          aged: fleet.gc.aged,
          removed_since_run: fleet.gc.removedSinceRun,
          removed_24h: fleet.gc.removed24h,
        },
        sse_clients: hub.clientCount,
      };
    },

    getExamination: async () => {
      const { at, machine, findings } = await deps.examine();
      return { at: isoTime(at), machine, healthy: !isBroken(findings), findings: [...findings] };
    },

    getAttention: async () => {
      const [facts, { findings }] = await Promise.all([deps.attention(), deps.examine()]);
      const concerns = concernsIn({ ...facts, findings });
      return {
        items: concerns.map(({ key, code, fields, path }) => ({ key, code, path, ...noticeText({ code, fields }) })),
      };
    },

    resumeGc: async ({ principal }) => {
      await deps.resumeGc(principal.account.id);
      return undefined;
    },

    getOpenApi: async () => document,

    getReference: async ({ reply }) => {
      reply.header("content-type", "text/html; charset=utf-8").header("content-security-policy", REFERENCE_POLICY);
      reference ??= referencePage(document);
      await reply.send(reference);
      return undefined;
    },

    getHealth: async () => ({ status: "ok" }),

    getReadiness: async ({ reply }) => {
      const answer = await readiness(deps);
      if (!answer.ready) reply.code(503);
      return answer;
    },

    getMetrics: async ({ reply }) => {
      await collectFleet();
      reply.header("content-type", metrics.registry.contentType);
      await reply.send(await metrics.registry.metrics());
      return undefined;
    },
  };
}
