import { createHash } from "node:crypto";
import { shellSteps } from "#adapters/runtime-parts/shell-steps.ts";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { containerName } from "#core/rows/names.ts";
import type { StartSpec } from "#ports/runtime.ts";
import { ATTEMPT, DEPLOYMENT, HOST_PORT, INIT, ROLE, WORKSPACE } from "./labels.ts";
import type { WorkspaceNetwork } from "./network.ts";

export interface ContainerPlace {
  readonly deploymentId: string;
  readonly network: WorkspaceNetwork;
  readonly mountpoint: string;
  /** The port of the host's loopback that leads to it; null where its own address is reached. */
  readonly publishedPort: number | null;
  /** What the image runs, where something comes before it. */
  readonly program?: readonly string[];
}

export interface WorkspaceLimits {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly pids: number;
}

/** The one account of every workspace on Docker; homes belong to it. */
export const WORKSPACE_UID = 1000;
export const IDE_PORT = 8080;
export const HOME = "/home/coder";
export const FILES = "/run/codehub";
export const FILES_TMPFS = `uid=${WORKSPACE_UID},gid=${WORKSPACE_UID},mode=0700,size=8m,noexec,nosuid,nodev`;

/**
 * Of a processor that others want, too: until its IDE answers, a container stands behind those in which somebody works, and
 * afterwards beside them. A quarter, and not less: who starts is waited for, and those who work may leave nothing else.
 */
const STARTING_SHARES = 256;
export const FULL_SHARES = 1_024;

/** Whether the image's own program is not the first. */
export const hasSteps = ({ files, init }: StartSpec): boolean => files !== undefined || init !== undefined;

/** `ws-{id}`: the engine lets a name be taken once, so a workspace has one container. */
export const nameOf = (spec: StartSpec): string => containerName(spec.workspaceId);

/** A hardware address of the workspace's own, of those that everybody may choose for himself. */
export function macOf(workspaceId: string): string {
  const [first = 0, ...rest] = createHash("sha256").update(workspaceId).digest().subarray(0, 6);
  return [(first & 0xfc) | 0x02, ...rest].map((byte) => byte.toString(16).padStart(2, "0")).join(":");
}

/**
 * A workspace's container, shut in as far as it can be and still be of use. Its root file system can be written, because
 * tools expect that; nothing of it outlives the container.
 */
export function workspaceContainer(
  spec: StartSpec,
  place: ContainerPlace,
  limits: WorkspaceLimits,
  portUrl: string | null,
): { readonly Image: string; readonly HostConfig: object; readonly [more: string]: unknown } {
  const port = `${IDE_PORT}/tcp`;
  const { publishedPort } = place;
  const mac = macOf(spec.workspaceId);
  const { files, init, size = limits } = spec;
  const steps = shellSteps(spec, files !== undefined);
  return {
    Image: spec.imageRef,
    User: `${WORKSPACE_UID}:${WORKSPACE_UID}`,
    Hostname: spec.hostName ?? "workspace",
    // Engines before 25 read it here, later ones with the network.
    MacAddress: mac,
    WorkingDir: HOME,
    ...(hasSteps(spec) ? { Entrypoint: ["/bin/sh", "-c", steps, "sh"], Cmd: place.program ?? [] } : {}),
    // Once somebody has written to its input and has gone, it is at its end.
    ...(files === undefined ? {} : { OpenStdin: true, StdinOnce: true }),
    Env: Object.entries({
      ...spec.env,
      HOME,
      USER: "coder",
      PORT: String(IDE_PORT),
      ...(spec.folder === undefined ? {} : { CODEHUB_FOLDER: `${HOME}/${spec.folder}` }),
      ...(files === undefined ? {} : { [FILES_VARIABLE]: FILES }),
      ...(portUrl === null ? {} : { VSCODE_PROXY_URI: portUrl }),
    }).map(([name, value]) => `${name}=${value}`),
    ExposedPorts: { [port]: {} },
    Labels: {
      [DEPLOYMENT]: place.deploymentId,
      [ROLE]: "workspace",
      [WORKSPACE]: spec.workspaceId,
      [ATTEMPT]: spec.attempt,
      ...(publishedPort === null ? {} : { [HOST_PORT]: String(publishedPort) }),
      ...(init === undefined ? {} : { [INIT]: "true" }),
    },
    HostConfig: {
      Init: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Privileged: false,
      PidsLimit: limits.pids,
      Memory: size.memoryBytes,
      MemorySwap: size.memoryBytes,
      NanoCpus: Math.round(size.cpus * 1e9),
      CpuShares: STARTING_SHARES,
      Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
      IpcMode: "private",
      CgroupnsMode: "private",
      RestartPolicy: { Name: "no" },
      NetworkMode: place.network.name,
      PortBindings:
        publishedPort === null ? {} : { [port]: [{ HostIp: "127.0.0.1", HostPort: String(publishedPort) }] },
      // As a mount of its own it could not be given to anybody.
      ...(files === undefined ? {} : { Tmpfs: { [FILES]: FILES_TMPFS } }),
      LogConfig: { Type: "json-file", Config: { "max-size": "2m", "max-file": "2" } },
      Mounts: homeMounts(spec.volume, place.mountpoint),
    },
    NetworkingConfig: {
      EndpointsConfig: { [place.network.name]: { IPAMConfig: { IPv4Address: place.network.host }, MacAddress: mac } },
    },
  };
}

export const homeMounts = (volume: string, mountpoint: string): readonly object[] => [
  // Only `home/` is the workspace's. Engines learnt to mount a part of a volume late, so its path is given.
  { Type: "bind", Source: `${mountpoint}/home`, Target: HOME, BindOptions: { Propagation: "rslave" } },
  // The volume itself, so that the engine knows of the use and refuses to remove it. Never filled from the image.
  { Type: "volume", Source: volume, Target: "/.codehub-volume", ReadOnly: true, VolumeOptions: { NoCopy: true } },
];
