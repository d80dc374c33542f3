import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { dockerAvailable, startEngine } from "../docker/private-engine.ts";
import { cacheDir } from "../runtime/cache-dir.ts";

const run = promisify(execFile);

/** The cluster of a test run: where it is, and the folder of its programs when it is the run's own. */
export interface TestCluster {
  readonly kubeconfig: string;
  /** With `part`, `node-cut` and the volumes' data in it; null for a cluster that somebody gave us. */
  readonly dir: string | null;
}

const HOW =
  "Enable it with TEST_KUBE=FOLDER, a folder whose programs `start DIR` and `stop DIR --purge` start and end a cluster, or with " +
  "KUBECONFIG=FILE for a cluster of yours that has the images codehub-test/job and codehub-test/fake.";

export type ClusterSource = { readonly programs: string } | { readonly kubeconfig: string };

/** Null where there is none, which no package brings: then it is said how to get one. */
export function clusterSource(): ClusterSource | null {
  const { TEST_KUBE: programs, KUBECONFIG: kubeconfig } = process.env;
  if (programs !== undefined && programs !== "") {
    if (!existsSync(join(programs, "start")))
      throw new Error(`TEST_KUBE: there is no program ${join(programs, "start")}`);
    if (process.getuid?.() === 0 && dockerAvailable()) return { programs };
    console.log("What needs a Kubernetes cluster is skipped: starting one needs root, and Docker to make images.");
    return null;
  }
  if (kubeconfig !== undefined && kubeconfig !== "") return { kubeconfig };
  console.log(`What needs a Kubernetes cluster is skipped. ${HOW}`);
  return null;
}

/** One that was started by hand with the same programs can be looked into, too. */
export function givenCluster(kubeconfig: string): TestCluster {
  const folder = dirname(kubeconfig);
  return { kubeconfig, dir: existsSync(join(folder, "node-cut")) ? folder : null };
}

/** How pods reach this machine. */
export const addressOf = ({ kubeconfig }: TestCluster): string =>
  /server: "?https:\/\/([^:/"]+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";

interface Seat {
  readonly id: number;
  readonly note: string;
  readonly leave: () => void;
}

/** Clusters on one machine differ by a number. It is held by a socket without a file, which goes with this process. */
async function takeSeat(): Promise<Seat> {
  const notes = await cacheDir("clusters");
  for (let id = 1; id <= 9; id++) {
    const server = await listenOn(`\0codehub-test-cluster-${id}`);
    if (server === null) continue;
    const note = join(notes, String(id));
    const left = await readFile(note, "utf8").catch(() => null);
    if (left !== null) await purge(left);
    // Somebody else's, started by hand: its bridge is there.
    if (networkInterfaces()[`kt${id}`] === undefined) return { id, note, leave: () => void server.close() };
    server.close();
  }
  throw new Error("every number for a test cluster is taken");
}

function listenOn(path: string): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(path, () => resolve(server.unref()));
  });
}

/** By the copy of the programs in the folder itself. */
async function purge(dir: string): Promise<void> {
  if (existsSync(join(dir, "stop"))) await run(join(dir, "stop"), [dir, "--purge", "--quiet"]);
  await rm(dir, { recursive: true, force: true });
}

export interface ClusterOptions {
  /** Beside the job's, on every node. */
  readonly images?: readonly TestImage[];
  /** More of what `start` understands. */
  readonly args?: readonly string[];
}

type TestImage = "fake" | "ide";

/** A cluster of the run's own with the test images on every node; one that a killed run left is ended first. */
export async function startCluster(
  programs: string,
  { images: wanted = ["fake"], args = [] }: ClusterOptions = {},
): Promise<TestCluster & AsyncDisposable> {
  const seat = await takeSeat();
  const dir = await mkdtemp(join(tmpdir(), "chk-"));
  await writeFile(seat.note, dir);
  const dispose = async (): Promise<void> => {
    await purge(dir);
    await rm(seat.note, { force: true });
    seat.leave();
  };
  try {
    const images = savedImages(dir, wanted);
    const env = { ...process.env, KUBE_ID: String(seat.id) };
    const started = run(join(programs, "start"), [dir, "--no-probe", ...args], { env });
    // Where one fails, the other one still writes into what is put away then.
    await Promise.allSettled([images, started]);
    await started;
    await run(join(dir, "image-import"), [await images, "all"]);
    await rm(await images);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { kubeconfig: join(dir, "kubeconfig"), dir, [Symbol.asyncDispose]: dispose };
}

/** The images of the Docker tests, made there, as one file. */
async function savedImages(dir: string, wanted: readonly TestImage[]): Promise<string> {
  const engine = await startEngine(wanted.includes("ide") ? "ide" : "fake");
  const file = join(dir, "images.tar");
  const images = ["job", ...wanted].map((name) => `codehub-test/${name}:latest`);
  try {
    await run("docker", ["save", "-o", file, ...images], { env: { ...process.env, DOCKER_HOST: engine.host } });
  } finally {
    await engine[Symbol.asyncDispose]();
  }
  return file;
}
