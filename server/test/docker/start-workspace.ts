import { randomUUID } from "node:crypto";
import { expect, vi } from "vitest";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { RuntimeHarness } from "../suites/runtime-suite.ts";

/** A workspace with a new home, unless one is given, started and answering. */
export async function startWorkspace(harness: RuntimeHarness, change: Partial<StartSpec> = {}): Promise<ContainerSeen> {
  const { runtime, imageRef } = harness;
  const workspaceId = change.workspaceId ?? randomUUID();
  const attempt = change.attempt ?? randomUUID();
  const volume = change.volume ?? (await harness.makeVolume(workspaceId, attempt));
  const hostPort = change.hostPort ?? (await harness.hostPort());
  const spec = { workspaceId, attempt, volume, imageRef, hostPort, ownerId: randomUUID(), ...change };
  const { address } = await runtime.start(spec, new AbortController().signal);
  await vi.waitFor(async () => expect(await runtime.answers(address)).toBe(true), { timeout: 60_000, interval: 20 });
  const [container] = await runtime.inspect(workspaceId);
  if (container === undefined) throw new Error("not listed");
  return container;
}
