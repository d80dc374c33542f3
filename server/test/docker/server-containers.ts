import { execFile } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { freePort } from "#supervise/free-port.ts";
import { cacheDir } from "../runtime/cache-dir.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
/** The account of the image's programs. */
const ACCOUNT = 10_001;
const SOCKET = /^unix:\/\/(.*)$/;

const run = promisify(execFile);

/** The command line of Docker on one engine. */
export type DockerCommand = (...args: string[]) => Promise<string>;

export const dockerOf =
  (host: string): DockerCommand =>
  async (...args) => {
    const { stdout, stderr } = await run("docker", args, { env: { ...process.env, DOCKER_HOST: host } });
    return (args[0] === "logs" ? stdout + stderr : stdout).trim();
  };

/** Builds images as `npm run images` does, on a Debian that is made here, because no registry is reached. Its name is the image's prefix. */
export async function buildImages(host: string, prefix: string, images: readonly string[]): Promise<void> {
  const env = {
    ...process.env,
    DOCKER_HOST: host,
    DOCKER_BUILDKIT: "0",
    NODE: process.execPath,
    PREFIX: prefix,
    // Engines of tests have no bridge.
    BUILD_OPTIONS: "--network=host",
    CODEHUB_CACHE: resolve(await cacheDir("engines"), "../.."),
  };
  const { stdout } = await run("bash", ["scripts/test/debian-base.sh"], { cwd: ROOT, env });
  const options = { cwd: ROOT, env: { ...env, BASE: stdout.trim() }, maxBuffer: 64 * 1024 * 1024 };
  await run("bash", ["deploy/images/build.sh", ...images], options).catch((error: { stderr: string }) => {
    throw new Error(`${images.join(", ")} could not be built: … ${error.stderr.slice(-2_000)}`);
  });
}

/** Proxy and server of one deployment, each in a container of the server's image. */
export interface ServerContainers extends AsyncDisposable {
  readonly url: string;
  readonly proxy: string;
  readonly server: string;
  /** What the engine knows by the image's own health check. */
  readonly health: (container: string) => Promise<string>;
}

/**
 * As deploy/compose runs them: in the host's network, with a root that cannot be written, without capabilities, under their own
 * account, which reaches the engine by the group of its socket. The data directory has the same path outside and inside, so that
 * the engine finds the sockets of storage jobs.
 */
export async function startContainers(
  host: string,
  image: string,
  environment: Readonly<Record<string, string>>,
  /** Where their data is kept for the next time; without, a folder that is gone with them. */
  kept?: string,
): Promise<ServerContainers> {
  const docker = dockerOf(host);
  const socket = SOCKET.exec(host)?.[1] ?? "";
  const data = kept ?? (await mkdtemp(join(tmpdir(), "codehub-image-")));
  await mkdir(data, { recursive: true });
  await chown(data, ACCOUNT, ACCOUNT);
  await chmod(data, 0o700);
  const port = await freePort();
  const common = {
    DATA_DIR: data,
    HOST: "127.0.0.1",
    PORT: String(port),
    CONTROL_SOCKET: `${data}/api`,
    NODE_COMPILE_CACHE: `${data}/compiled`,
    ...environment,
  };
  const start = async (roles: string): Promise<string> => {
    const variables = Object.entries({ ...common, RUNTIME: "docker", DOCKER_HOST: host, ROLES: roles });
    const hardened = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"];
    const reach = ["--network", "host", "--group-add", String((await stat(socket)).gid)];
    const mounts = [data, socket].flatMap((path) => ["-v", `${path}:${path}`]);
    const often = ["--health-interval", "1s", "--health-retries", "1"];
    const env = variables.flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return await docker("run", "-d", ...hardened, ...reach, ...mounts, ...often, ...env, image);
  };
  const server = await start("api,coordinator");
  const proxy = await start("proxy");
  return {
    url: `http://localhost:${port}`,
    proxy,
    server,
    health: (container) => docker("inspect", "-f", "{{.State.Health.Status}}", container),
    [Symbol.asyncDispose]: async () => {
      await docker("rm", "-f", proxy, server);
      if (kept === undefined) await rm(data, { recursive: true, force: true });
    },
  };
}
