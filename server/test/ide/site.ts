import { execFile } from "node:child_process";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client, Workspace } from "@codehub/contract";
import { freshBucket, type S3Access } from "../data/s3-server.ts";
import { IDE_IMAGE, JOB_IMAGE } from "../docker/docker-harness.ts";
import { type Program, startProgram } from "../e2e/program.ts";

const run = promisify(execFile);

/** A program with its runtime and store, and a way to look at homes that does not go through it. */
export interface Site {
  readonly program: Program;
  /** Where the newest home of a workspace lies on this machine. */
  readonly home: (workspaceId: string) => Promise<string>;
  /** Makes it impossible to start a workspace that is in standby; the answer takes the cause away again. */
  readonly spoil: (workspace: Workspace, owner: Client) => Promise<() => Promise<unknown>>;
  readonly stop: () => Promise<void>;
}

const ABSENT_IMAGE = "codehub-test/absent:latest";

/** Local processes with archives in a directory. */
export async function processSite(environment: Readonly<Record<string, string>>): Promise<Site> {
  const program = await startProgram(environment);
  const volumes = join(program.dataDir, "volumes");
  const home: Site["home"] = async (id) => {
    const names = (await readdir(volumes)).filter((volume) => volume.startsWith(`ws-${id}-home-`));
    return await newest(names.map((volume) => join(volumes, volume, "home")));
  };
  return {
    program,
    home,
    // The name under which the home is to be reached is taken by something else.
    spoil: async ({ id }) => {
      const taken = join(program.dataDir, "homes", id);
      await mkdir(join(taken, "taken"), { recursive: true });
      return () => rm(taken, { recursive: true });
    },
    stop: () => program.stop(),
  };
}

/** A Docker engine with archives in a bucket of a real S3 server. */
export async function dockerSite(
  { host, s3 }: { host: string; s3: S3Access },
  environment: Readonly<Record<string, string>>,
): Promise<Site> {
  const { bucket } = await freshBucket(s3, "");
  const program = await startProgram({
    RUNTIME: "docker",
    DOCKER_HOST: host,
    DEFAULT_IMAGE: IDE_IMAGE,
    JOB_IMAGE,
    IMAGE_ALLOWLIST: `${IDE_IMAGE},${ABSENT_IMAGE}`,
    S3_ENDPOINT: s3.endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    ...environment,
  });
  const docker = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await run("docker", args, { env: { ...process.env, DOCKER_HOST: host } });
    return stdout.split("\n").filter((line) => line !== "");
  };
  return {
    program,
    home: async (id) => {
      const names = await docker("volume", "ls", "-q", "-f", `name=ws-${id}-home-`);
      const places = await docker("volume", "inspect", "-f", "{{.Mountpoint}}", ...names);
      return await newest(places.map((place) => join(place, "home")));
    },
    // An image that neither the engine nor any registry has.
    spoil: async ({ id }, owner) => {
      const params = { id };
      await owner.updateWorkspace({ params, body: { image_ref: ABSENT_IMAGE } });
      return () => owner.updateWorkspace({ params, body: { image_ref: IDE_IMAGE } });
    },
    stop: () => program.stop(),
  };
}

async function newest(homes: readonly string[]): Promise<string> {
  const made = await Promise.all(homes.map(async (path) => ({ path, at: (await stat(join(path, ".."))).birthtimeMs })));
  const [last] = made.toSorted((a, b) => b.at - a.at);
  if (last === undefined) throw new Error("the workspace has no home");
  return last.path;
}
