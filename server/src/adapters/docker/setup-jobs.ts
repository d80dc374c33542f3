import { filesTar } from "#adapters/runtime-parts/files-tar.ts";
import { SETUP_STEPS } from "#adapters/runtime-parts/setup-step.ts";
import { FILES_VARIABLE } from "#adapters/runtime-parts/start-extras.ts";
import { jobArguments, PROTOCOL_VARIABLE, PROTOCOL_VERSION } from "#job-program/protocol.ts";
import type { ApartLaunch, RunningJob, SetupLaunch, SetupLauncher } from "#jobs/job-launcher.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Engine } from "./engine.ts";
import { JobContainers } from "./job-containers.ts";
import { ATTEMPT, DEPLOYMENT, ROLE, WORKSPACE } from "./labels.ts";
import type { WorkspaceNetwork } from "./network.ts";
import type { DockerRuntime } from "./runtime.ts";
import {
  FILES,
  FILES_TMPFS,
  HOME,
  homeMounts,
  macOf,
  WORKSPACE_UID,
  type WorkspaceLimits,
} from "./workspace-container.ts";

export interface DockerSetupOptions {
  readonly engine: Engine;
  readonly deploymentId: string;
  /** Our own image, with our own git: a workspace's may have none. */
  readonly jobImage: string;
  readonly runtime: Pick<DockerRuntime, "placeAtRest" | "placeApart">;
}

/** Jobs that do a workspace's work while it rests: containers of our image with the rights and the network of the workspace. */
export class DockerSetupLauncher implements SetupLauncher {
  readonly #options: DockerSetupOptions;
  readonly #containers: JobContainers;
  /** Networks that jobs without a workspace are in now. */
  readonly #apart = new Set<number>();

  constructor(options: DockerSetupOptions) {
    this.#options = options;
    this.#containers = new JobContainers(options.engine);
  }

  async launch(spec: SetupLaunch): Promise<RunningJob> {
    const { volume, hostPort } = spec;
    const { workspaceId } = spec.labels;
    const { network, mountpoint, limits } = await this.#options.runtime.placeAtRest({ workspaceId, volume, hostPort });
    const place = { network, limits, mounts: homeMounts(volume, mountpoint), tmpfs: {} };
    return await this.#start(spec, place);
  }

  async launchApart(spec: ApartLaunch, signal: AbortSignal): Promise<RunningJob> {
    const slot = SLOTS.find((one) => !this.#apart.has(one));
    if (slot === undefined) throw new OperationFailure("ActionFailed", "There are too many such jobs at once.");
    this.#apart.add(slot);
    try {
      const { network, limits } = await this.#options.runtime.placeApart(slot);
      signal.throwIfAborted();
      const place = { network, limits: small(limits), mounts: [], tmpfs: { [HOME]: HOME_TMPFS } };
      const job = await this.#start(spec, place);
      void job.exited.then(() => this.#apart.delete(slot));
      return job;
    } catch (error) {
      this.#apart.delete(slot);
      throw error;
    }
  }

  async #start(spec: SetupLaunch | ApartLaunch, place: Place): Promise<RunningJob> {
    const { streams, ...job } = await this.#containers.start(setupContainer(spec, this.#options, place));
    const { input, output } = streams;
    // That it stopped reading is told by its end.
    input.on("error", () => {});
    input.end(filesTar(spec.files));
    return { ...job, bytes: async () => ({ input: null, output }), release: () => output.destroy() };
  }
}

/** As many networks are kept for jobs without a workspace. In each there is room for one: whoever is still in it keeps others out. */
const SLOTS = [0, 1, 2, 3];

interface Place {
  readonly network: WorkspaceNetwork;
  readonly limits: WorkspaceLimits;
  readonly mounts: readonly object[];
  readonly tmpfs: Readonly<Record<string, string>>;
}

const MEBIBYTE = 1024 * 1024;
const HOME_TMPFS = `uid=${WORKSPACE_UID},gid=${WORKSPACE_UID},mode=0700,size=16m,noexec,nosuid,nodev`;

/** Enough for one question. */
const small = ({ cpus, memoryBytes, pids }: WorkspaceLimits): WorkspaceLimits => ({
  cpus: Math.min(cpus, 1),
  memoryBytes: Math.min(memoryBytes, 512 * MEBIBYTE),
  pids: Math.min(pids, 128),
});

/** With an address that nobody else can have meanwhile: the workspace's own, or its network's only one. Nothing it writes stays but the home. */
function setupContainer(
  spec: SetupLaunch | ApartLaunch,
  { jobImage, deploymentId }: DockerSetupOptions,
  { network, limits, mounts, tmpfs }: Place,
): { readonly Image: string; readonly [more: string]: unknown } {
  const { workspaceId, attempt } = spec.labels;
  const mac = macOf(workspaceId);
  const variables = {
    ...spec.env,
    HOME,
    USER: "coder",
    LOGNAME: "coder",
    [FILES_VARIABLE]: FILES,
    [PROTOCOL_VARIABLE]: PROTOCOL_VERSION,
  };
  return {
    Image: jobImage,
    User: `${WORKSPACE_UID}:${WORKSPACE_UID}`,
    Hostname: "workspace",
    MacAddress: mac,
    WorkingDir: HOME,
    Entrypoint: ["/bin/sh", "-c", SETUP_STEPS, "sh", "node", ...NODE_OPTIONS],
    Cmd: [PROGRAM, ...jobArguments(spec.request)],
    Env: Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
    Labels: { [DEPLOYMENT]: deploymentId, [ROLE]: "job", [WORKSPACE]: workspaceId, [ATTEMPT]: attempt },
    HostConfig: {
      Init: true,
      AutoRemove: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      ReadonlyRootfs: true,
      PidsLimit: limits.pids,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: Math.round(limits.cpus * 1e9),
      Ulimits: [{ Name: "core", Soft: 0, Hard: 0 }],
      IpcMode: "private",
      CgroupnsMode: "private",
      RestartPolicy: { Name: "no" },
      NetworkMode: network.name,
      Tmpfs: {
        ...tmpfs,
        [FILES]: FILES_TMPFS,
        "/tmp": `uid=${WORKSPACE_UID},gid=${WORKSPACE_UID},mode=0700,size=64m,nosuid,nodev`,
      },
      LogConfig: { Type: "none", Config: {} },
      Mounts: mounts,
    },
    NetworkingConfig: {
      EndpointsConfig: { [network.name]: { IPAMConfig: { IPv4Address: network.host }, MacAddress: mac } },
    },
  };
}

const PROGRAM = "/app/job-program/prepare/main.ts";
const NODE_OPTIONS = ["--max-old-space-size=96", "--max-semi-space-size=1", "--no-warnings"];
