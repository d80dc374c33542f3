import { containerName } from "#core/rows/names.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { Labels } from "./labels.ts";
import {
  type Amounts,
  CONFINED,
  MEBIBYTE,
  type Placement,
  podObject,
  resources,
  SEALED,
  volumeOf,
} from "./pod-parts.ts";
import { IDE } from "./pod-state.ts";
import type { OwnerReference } from "./premises.ts";
import { RELAY_PORT } from "./relay.ts";

export const IDE_PORT = 8080;
const HOME = "/home/coder";

export interface WorkspacePodOptions {
  readonly deploymentId: string;
  readonly owner: OwnerReference;
  readonly placement: Placement;
  /** Our own image: never one that a user chose. */
  readonly jobImage: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly graceSeconds: number;
  readonly portUrl: string | null;
  /** What the volume's own file must say. */
  readonly identity: string;
}

/**
 * `ws-{id}`: the cluster lets a name be taken once, so a workspace has one pod, and no new one before the old one is gone.
 * Whose attempt it is stands in its labels.
 */
export const podName = (spec: Pick<StartSpec, "workspaceId">): string => containerName(spec.workspaceId);

/** A workspace's pod: the home is held to its identity, the way to its loopback is opened, then the IDE begins. */
export function workspacePod(spec: StartSpec, options: WorkspacePodOptions): ReturnType<typeof podObject> {
  const { workspaceId, attempt } = spec;
  const labels: Labels = { deploymentId: options.deploymentId, role: "workspace", workspaceId, attempt };
  return podObject(podName(spec), labels, options.owner, options.placement, {
    hostname: spec.hostName ?? "workspace",
    terminationGracePeriodSeconds: Math.max(1, options.graceSeconds),
    volumes: [volumeOf(spec.volume)],
    initContainers: [identityCheck(options), relay(options)],
    containers: [
      {
        name: IDE,
        image: spec.imageRef,
        imagePullPolicy: "IfNotPresent",
        workingDir: HOME,
        env: Object.entries({
          ...literal(spec.env ?? {}),
          HOME,
          USER: "coder",
          PORT: String(IDE_PORT),
          ...(options.portUrl === null ? {} : { VSCODE_PROXY_URI: options.portUrl }),
        }).map(([name, value]) => ({ name, value })),
        ports: [{ containerPort: IDE_PORT }],
        resources: resources(options.requests, options.limits),
        securityContext: CONFINED,
        // Only `home/` is the workspace's.
        volumeMounts: [{ name: "home", mountPath: HOME, subPath: "home" }],
      },
    ],
  });
}

/** The cluster would put other variables in place of `$(NAME)`. */
const literal = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replaceAll("$", "$$$$")]));

const EXPECTED = "CODEHUB_EXPECTED_IDENTITY";

/**
 * A driver that gives another disk, or an empty one, must not become an empty home. A shell and not our program: it is
 * through in a few milliseconds, and somebody waits. What an archive that was cut short has left open is locked again.
 */
const CHECK = [
  `if [ -d /volume/home ] && [ "$(cat /volume/.codehub/volume-id)" = "$${EXPECTED}" ]; then`,
  "  [ -e /volume/.codehub/locked ] || exit 0",
  "  (set -e; cd /volume; . ./.codehub/locked; rm .codehub/locked) 2> /dev/termination-log && exit 0",
  "  exit 66",
  "fi",
  `echo "The volume is not the home it should be: its identity file says '$(head -c 1000 /volume/.codehub/volume-id 2>&1)', expected was '$${EXPECTED}'." > /dev/termination-log`,
  "exit 65",
].join("\n");

function identityCheck({ jobImage, identity }: WorkspacePodOptions): object {
  const small = { cpus: 0.01, memoryBytes: 16 * MEBIBYTE };
  return {
    name: "identity",
    image: jobImage,
    imagePullPolicy: "IfNotPresent",
    command: ["/bin/sh", "-c", CHECK],
    env: [{ name: EXPECTED, value: identity }],
    resources: resources(small, { cpus: 0.5, memoryBytes: 64 * MEBIBYTE }),
    securityContext: SEALED,
    volumeMounts: [{ name: "home", mountPath: "/volume" }],
  };
}

/** Beside the IDE for as long as that runs, and there before it: nobody else can have taken its port. */
function relay({ jobImage }: WorkspacePodOptions): object {
  const small = { cpus: 0.01, memoryBytes: 48 * MEBIBYTE };
  const field = (name: string, fieldPath: string): object => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    name: "relay",
    image: jobImage,
    imagePullPolicy: "IfNotPresent",
    restartPolicy: "Always",
    command: ["node", "--max-old-space-size=32", "--max-semi-space-size=1", "/app/job-program/relay.cjs"],
    env: [
      field("CODEHUB_POD_IP", "status.podIP"),
      field("CODEHUB_POD_UID", "metadata.uid"),
      { name: "CODEHUB_RELAY_PORT", value: String(RELAY_PORT) },
    ],
    resources: resources(small, { cpus: 1, memoryBytes: 128 * MEBIBYTE }),
    securityContext: SEALED,
  };
}
