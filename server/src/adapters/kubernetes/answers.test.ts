import { describe, expect, it } from "vitest";
import {
  type Answer,
  ClusterError,
  type Meaning,
  meaningOf,
  means,
  pauseMs,
  retryAfterMs,
  unreachable,
} from "./answers.ts";

const said = (status: number, reason: string, message: string, details: object = {}): Answer => ({
  status,
  body: JSON.stringify({ kind: "Status", status: "Failure", code: status, reason, message, details }),
  retryAfter: undefined,
});
const raw = (status: number, body: string): Answer => ({ status, body, retryAfter: undefined });

const QUOTA = 'pods "ws-1" is forbidden: exceeded quota: team-a, requested: pods=1, used: pods=10, limited: pods=10';
const ADMISSION = 'admission webhook "images.example.net" denied the request: latest is not allowed';
const SECURITY = 'pods "x" is forbidden: violates PodSecurity "restricted:latest": privileged';
const RBAC = 'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "n"';

describe("what an answer of the cluster means", () => {
  const table: readonly [string, Answer, Meaning, "Unreachable" | "ActionFailed"][] = [
    [
      "gone, by name",
      said(404, "NotFound", 'pods "x" not found', { name: "x", kind: "pods" }),
      "absent",
      "ActionFailed",
    ],
    // The path itself is unknown: an API server that does not have this resource knows nothing about ours.
    ["no such resource", said(404, "NotFound", "the server could not find it"), "unclear", "Unreachable"],
    ["a load balancer's 404", raw(404, "<html>not found</html>"), "unclear", "Unreachable"],
    ["a 404 of other JSON", raw(404, '{"error":"no route"}'), "unclear", "Unreachable"],
    ["taken", said(409, "AlreadyExists", 'pods "x" already exists', { name: "x" }), "exists", "ActionFailed"],
    ["another uid", said(409, "Conflict", "the UID in the precondition", { name: "x" }), "conflict", "ActionFailed"],
    ["too old", said(410, "Expired", "too old resource version"), "expired", "Unreachable"],
    ["a full quota", said(403, "Forbidden", QUOTA, { name: "ws-1" }), "quota", "Unreachable"],
    ["not allowed", said(403, "Forbidden", RBAC), "refused", "ActionFailed"],
    ["PodSecurity", said(403, "Forbidden", SECURITY), "refused", "ActionFailed"],
    ["a webhook says no", said(403, "Forbidden", ADMISSION), "refused", "ActionFailed"],
    ["a webhook that is away", said(500, "InternalError", "failed calling webhook: timeout"), "unclear", "Unreachable"],
    ["not valid", said(422, "Invalid", 'Pod "x" is invalid: spec.containers'), "refused", "ActionFailed"],
    ["too many requests", said(429, "TooManyRequests", "try again"), "busy", "Unreachable"],
    ["too many, by a proxy", raw(429, "slow down"), "busy", "Unreachable"],
    ["etcd is away", said(500, "InternalError", "etcdserver: request timed out"), "unclear", "Unreachable"],
    ["a gateway", raw(502, "Bad Gateway"), "unclear", "Unreachable"],
    ["late", said(504, "Timeout", "the request timed out"), "unclear", "Unreachable"],
    ["credentials", said(401, "Unauthorized", "Unauthorized"), "unclear", "Unreachable"],
  ];
  it.each(table)("%s", (_, answer, meaning, reason) => {
    expect(meaningOf(answer)).toBe(meaning);
    const error = new ClusterError(answer, "starting x");
    expect(error.reason).toBe(reason);
    expect(means(error, meaning)).toBe(true);
  });

  it("says who refused and what to do", () => {
    expect(new ClusterError(said(403, "Forbidden", QUOTA), "starting x").message).toContain("the quota team-a of");
    expect(new ClusterError(said(403, "Forbidden", RBAC), "looking").message).toContain("the Role does not allow it");
    expect(new ClusterError(said(403, "Forbidden", ADMISSION), "starting x").message).toBe(`starting x: ${ADMISSION}`);
    expect(unreachable("https://c", new Error("ECONNRESET")).reason).toBe("Unreachable");
    expect(unreachable("https://c", new DOMException("", "TimeoutError")).message).toContain("does not answer in time");
  });
});

describe("how long to wait", () => {
  it("does as the cluster asks, within bounds", () => {
    expect(retryAfterMs({ ...raw(429, ""), retryAfter: "3" })).toBe(3_000);
    expect(retryAfterMs(said(429, "TooManyRequests", "", { retryAfterSeconds: 2 }))).toBe(2_000);
    expect(retryAfterMs({ ...raw(429, ""), retryAfter: "86400" })).toBe(60_000);
    expect(retryAfterMs({ ...raw(429, ""), retryAfter: "Wed, 21 Oct" })).toBeNull();
    expect(retryAfterMs(raw(500, ""))).toBeNull();
  });

  it("waits longer each time, with jitter, and never shorter than asked", () => {
    expect(pauseMs(0, null, 0)).toBe(100);
    expect(pauseMs(0, null, 1)).toBe(200);
    expect(pauseMs(3, null, 1)).toBe(1_600);
    expect(pauseMs(30, null, 1)).toBe(10_000);
    expect(pauseMs(0, 2_000, 0)).toBe(2_000);
    expect(pauseMs(0, 2_000, 1)).toBe(2_200);
  });
});
