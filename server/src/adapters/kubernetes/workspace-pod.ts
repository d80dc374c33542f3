import { initStep, unpackFiles } from "#adapters/runtime-parts/init-step.ts";
import { preludeStep } from "#adapters/runtime-parts/shell-steps.ts";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { containerName } from "#core/rows/names.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { InitStep } from "#ports/start-extras.ts";
import { GIVEN_FILES, hasGiven, secretNameOf } from "./given-secret.ts";
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
import { IDE, INIT } from "./pod-state.ts";
import type { OwnerReference } from "./premises.ts";
import { RELAY_PORT } from "./relay.ts";

export const IDE_PORT = 8080;
export const HOME = "/home/coder";
export const FILES = "/run/codehub";

export interface WorkspacePodOptions {
  readonly deploymentId: string;
  readonly owner: OwnerReference;
  readonly placement: Placement;
  /** Our own image: never one that a user chose. */
  readonly jobImage: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly graceSeconds: number;
  /** What the image runs by itself, where something comes before it. */
  readonly workspaceCommand: readonly string[];
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
  const inside = ofTheWorkspace(spec, options);
  return podObject(podName(spec), labels, options.owner, placementOf(spec, options.placement), {
    hostname: spec.hostName ?? "workspace",
    terminationGracePeriodSeconds: Math.max(1, options.graceSeconds),
    volumes: [volumeOf(spec.volume), ...(hasGiven(spec) ? givenVolumes(spec) : [])],
    initContainers: [
      identityCheck(options, hasGiven(spec)),
      relay(options),
      ...(spec.init === undefined ? [] : [{ name: INIT, ...inside, ...stepBefore(spec.init) }]),
    ],
    containers: [{ name: IDE, ...inside, ...preludeOf(spec, options), ports: [{ containerPort: IDE_PORT }] }],
  });
}

/** What is the person's, the same for the step before the IDE as for the IDE. */
function ofTheWorkspace(spec: StartSpec, { limits, requests, portUrl }: WorkspacePodOptions): object {
  const { size = limits } = spec;
  // Asked for before it may begin: no more than it may have.
  const least = {
    cpus: Math.min(requests.cpus, size.cpus),
    memoryBytes: Math.min(requests.memoryBytes, size.memoryBytes),
  };
  return {
    image: spec.imageRef,
    imagePullPolicy: "IfNotPresent",
    workingDir: HOME,
    env: Object.entries({
      ...literal(spec.env ?? {}),
      HOME,
      USER: "coder",
      PORT: String(IDE_PORT),
      ...(spec.folder === undefined ? {} : { CODEHUB_FOLDER: asWritten(`${HOME}/${spec.folder}`) }),
      ...(spec.files === undefined ? {} : { [FILES_VARIABLE]: FILES }),
      ...(portUrl === null ? {} : { VSCODE_PROXY_URI: portUrl }),
    }).map(([name, value]) => ({ name, value })),
    resources: resources(least, size),
    securityContext: CONFINED,
    volumeMounts: [
      // Only `home/` is the workspace's.
      { name: "home", mountPath: HOME, subPath: "home" },
      ...(spec.files === undefined ? [] : [{ name: "memory", mountPath: FILES, subPath: "files" }]),
    ],
  };
}

const stepBefore = (init: InitStep): object => ({
  command: ["/bin/sh", "-c", asWritten(initStep(init))],
  terminationMessagePolicy: "FallbackToLogsOnError",
});

const preludeOf = ({ prelude }: StartSpec, { workspaceCommand }: WorkspacePodOptions): object =>
  prelude === undefined
    ? {}
    : { command: ["/bin/sh", "-c", preludeStep(prelude), "sh", ...workspaceCommand].map(asWritten) };

const placementOf = (spec: StartSpec, placement: Placement): Placement =>
  spec.pullCredential === undefined
    ? placement
    : { ...placement, pullSecrets: [...placement.pullSecrets, secretNameOf(spec)] };

/** The Secret as our own step sees it, and where that puts what is in it. */
export const givenVolumes = (spec: Parameters<typeof secretNameOf>[0]): object[] => [
  {
    name: "given",
    secret: { secretName: secretNameOf(spec), items: [{ key: GIVEN_FILES, path: GIVEN_FILES }], defaultMode: 0o440 },
  },
  { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "8Mi" } },
];

/** The cluster would put variables in place of `$(NAME)`, and one `$` in place of two. */
export const asWritten = (text: string): string => text.replaceAll("$", "$$$$");

const literal = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, asWritten(value)]));

const RELAY_VOLUME = "/volume";
const EXPECTED = "CODEHUB_EXPECTED_IDENTITY";

/**
 * A driver that gives another disk, or an empty one, must not become an empty home. A shell and not our program: it is
 * through in a few milliseconds, and somebody waits. What an archive that was cut short has left open is locked again.
 */
const CHECK = [
  "ready() {",
  "  [ -e /given ] || exit 0",
  "  exec 2> /dev/termination-log",
  "  mkdir -p -m 0700 /memory/files",
  unpackFiles(`/given/${GIVEN_FILES}`, "/memory/files"),
  "  exit 0",
  "}",
  `if [ -d /volume/home ] && [ "$(cat /volume/.codehub/volume-id)" = "$${EXPECTED}" ]; then`,
  "  [ -e /volume/.codehub/locked ] || ready",
  "  (set -e; cd /volume; . ./.codehub/locked; rm .codehub/locked) 2> /dev/termination-log && ready",
  "  exit 66",
  "fi",
  `echo "The volume is not the home it should be: its identity file says '$(head -c 1000 /volume/.codehub/volume-id 2>&1)', expected was '$${EXPECTED}'." > /dev/termination-log`,
  "exit 65",
].join("\n");

/** Of what has no home to be held to. */
const UNPACK = `mkdir -p -m 0700 /memory/files\n${unpackFiles(`/given/${GIVEN_FILES}`, "/memory/files")}`;

export const unpackGiven = ({ jobImage }: Pick<WorkspacePodOptions, "jobImage">): object => ({
  ...firstStep(jobImage, ["/bin/sh", "-c", UNPACK]),
  name: "files",
  volumeMounts: GIVEN_MOUNTS,
});

const GIVEN_MOUNTS: readonly object[] = [
  { name: "given", mountPath: "/given", readOnly: true },
  { name: "memory", mountPath: "/memory" },
];

const firstStep = (jobImage: string, command: readonly string[]): object => ({
  image: jobImage,
  imagePullPolicy: "IfNotPresent",
  command,
  resources: resources({ cpus: 0.01, memoryBytes: 16 * MEBIBYTE }, { cpus: 0.5, memoryBytes: 64 * MEBIBYTE }),
  securityContext: SEALED,
});

export function identityCheck(
  { jobImage, identity }: Pick<WorkspacePodOptions, "jobImage" | "identity">,
  given: boolean,
): object {
  return {
    ...firstStep(jobImage, ["/bin/sh", "-c", CHECK]),
    name: "identity",
    env: [{ name: EXPECTED, value: identity }],
    // The cluster begins nothing of a pod, nor pulls for it, before all that is mounted is there.
    volumeMounts: [{ name: "home", mountPath: "/volume" }, ...(given ? GIVEN_MOUNTS : [])],
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
      { name: "CODEHUB_VOLUME", value: RELAY_VOLUME },
    ],
    resources: resources(small, { cpus: 1, memoryBytes: 128 * MEBIBYTE }),
    securityContext: SEALED,
    // To say how full it is.
    volumeMounts: [{ name: "home", mountPath: RELAY_VOLUME, readOnly: true }],
  };
}
