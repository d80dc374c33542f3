import { join } from "node:path";
import { pathToFileURL } from "node:url";

/*
 * `old-containers.ts PROGRAM JSON` starts a workspace on a Docker engine with the old release's own code: its volume, its
 * network, its labels, its hardening. It says which container that is and ends; the container goes on.
 */

const [program = "", json = ""] = process.argv.slice(2);
const { host, deploymentId, jobImage, spec } = JSON.parse(json);
const old = (path: string) => import(pathToFileURL(join(program, "src", path)).href);
const { Engine } = await old("adapters/docker/engine.ts");
const { DockerJobLauncher } = await old("adapters/docker/jobs.ts");
const { DockerRuntime } = await old("adapters/docker/runtime.ts");
const { DockerVolumes } = await old("adapters/docker/volumes.ts");

const common = { engine: new Engine({ host }), deploymentId, jobImage };
const volumes = new DockerVolumes({ ...common, jobs: new DockerJobLauncher(common) });
const runtime = new DockerRuntime({
  ...common,
  volumes,
  hostPorts: { from: 20_000, to: 52_000 },
  limits: { cpus: 1, memoryBytes: 512 * 2 ** 20, pids: 256 },
  imageAllowlist: [spec.imageRef],
});
const { workspaceId, volume, madeBy } = spec;
await volumes.create({ name: volume, workspaceId, attempt: madeBy });
await volumes.seal(volume, { workspaceId, attempt: madeBy, archiveKey: null, manifestDigest: null });
const { containerId } = await runtime.start(spec, new AbortController().signal);
console.log(containerId);
process.exit(0);
