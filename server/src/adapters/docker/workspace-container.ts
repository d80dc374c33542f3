import { containerName } from "#core/rows/names.ts";
import type { StartSpec } from "#ports/runtime.ts";
import { ATTEMPT, DEPLOYMENT, HOST_PORT, ROLE, WORKSPACE } from "./labels.ts";

export interface WorkspaceLimits {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly pids: number;
}

/** The one account of every workspace on Docker; homes belong to it. */
export const WORKSPACE_UID = 1000;
export const IDE_PORT = 8080;
export const HOME = "/home/coder";

/** `ws-{id}`: the engine lets a name be taken once, so a workspace has one container. */
export const nameOf = (spec: StartSpec): string => containerName(spec.workspaceId);

/**
 * A workspace's container, shut in as far as it can be and still be of use. Its root file system can be written, because
 * tools expect that; nothing of it outlives the container.
 */
export function workspaceContainer(
  spec: StartSpec & { readonly hostPort: number },
  place: { readonly deploymentId: string; readonly network: string; readonly mountpoint: string },
  limits: WorkspaceLimits,
  portUrl: string | null,
): object {
  const port = `${IDE_PORT}/tcp`;
  return {
    Image: spec.imageRef,
    User: `${WORKSPACE_UID}:${WORKSPACE_UID}`,
    Hostname: "workspace",
    WorkingDir: HOME,
    Env: [
      `HOME=${HOME}`,
      "USER=coder",
      `PORT=${IDE_PORT}`,
      ...(portUrl === null ? [] : [`VSCODE_PROXY_URI=${portUrl}`]),
    ],
    ExposedPorts: { [port]: {} },
    Labels: {
      [DEPLOYMENT]: place.deploymentId,
      [ROLE]: "workspace",
      [WORKSPACE]: spec.workspaceId,
      [ATTEMPT]: spec.attempt,
      [HOST_PORT]: String(spec.hostPort),
    },
    HostConfig: {
      Init: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Privileged: false,
      PidsLimit: limits.pids,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
      IpcMode: "private",
      CgroupnsMode: "private",
      RestartPolicy: { Name: "no" },
      NetworkMode: place.network,
      PortBindings: { [port]: [{ HostIp: "127.0.0.1", HostPort: String(spec.hostPort) }] },
      LogConfig: { Type: "json-file", Config: { "max-size": "2m", "max-file": "2" } },
      Mounts: [
        // Only `home/` is the workspace's. Engines learnt to mount a part of a volume late, so its path is given.
        { Type: "bind", Source: `${place.mountpoint}/home`, Target: HOME, BindOptions: { Propagation: "rslave" } },
        // The volume itself, so that the engine knows of the use and refuses to remove it. Never filled from the image.
        {
          Type: "volume",
          Source: spec.volume,
          Target: "/.codehub-volume",
          ReadOnly: true,
          VolumeOptions: { NoCopy: true },
        },
      ],
    },
    NetworkingConfig: { EndpointsConfig: { [place.network]: {} } },
  };
}
