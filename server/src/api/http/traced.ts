import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiDeps } from "#api/deps.ts";
import { type Journey, REQUEST } from "#ports/tracer.ts";

/** The journeys that requests began, until they are answered. */
const journeys = new WeakMap<FastifyRequest, Journey>();

/** A request begins one where its answer tells of a newer request in the row than there was before it. */
export function noteJourney(request: FastifyRequest, before: number, answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("id" in answer) || !("desired_version" in answer)) return;
  const { id, desired_version: version } = answer;
  if (typeof id === "string" && typeof version === "number" && version > before)
    journeys.set(request, { workspaceId: id, version });
}

export function traceRequest({ tracer, clock }: ApiDeps, request: FastifyRequest, reply: FastifyReply): void {
  const journey = journeys.get(request);
  if (journey === undefined) return;
  const route = request.routeOptions.url ?? "";
  const to = clock.nowMs();
  tracer?.record({
    journey,
    id: REQUEST,
    parent: null,
    name: `${request.method} ${route}`,
    from: to - reply.elapsedTime,
    to,
    fields: {
      "http.request.method": request.method,
      "http.route": route,
      "http.response.status_code": reply.statusCode,
      request_id: request.id,
    },
    failure: null,
  });
}
