import type { ListedContainer } from "#adapters/docker/containers.ts";
import { Engine } from "#adapters/docker/engine.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";

/** The container that runs for a workspace, found by its labels and not by what the server says. */
export async function containerOf(host: string, id: string): Promise<ContainerSeen> {
  const engine = new Engine({ host });
  const filters = JSON.stringify({ label: [`codehub.workspace=${id}`, "codehub.role=workspace"] });
  const [found] = await engine.need<ListedContainer[]>("GET", "/containers/json", { query: { filters } });
  if (found === undefined) throw new Error("no container runs");
  const [network] = Object.values(found.NetworkSettings.Networks);
  const address = { kind: "tcp", host: network?.IPAddress ?? "", port: 8080 } as const;
  return { id: found.Id, workspaceId: id, volume: null, attempt: null, state: "running", address, exitCode: null };
}
