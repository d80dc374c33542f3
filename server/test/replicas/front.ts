import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "#supervise/free-port.ts";
import { diesWithUs } from "../suites/dies-with-us.ts";

const EXAMPLES = resolve(import.meta.dirname, "../../../deploy");
/** As the examples have them. */
export const NAMES = { dashboard: "codehub.example.com", workspaces: "codehub-workspaces.example" } as const;

/** Where people find the dashboard, and each workspace. */
export interface Addresses {
  readonly baseUrl: string;
  readonly workspaceBaseUrl: string;
}

/** A real front with the example of the documentation, in which only ports, certificate and addresses are changed. */
export interface Front extends Addresses, AsyncDisposable {
  /** What nginx found wrong with those behind it. */
  readonly complaints: () => Promise<string>;
}

export const nginxAvailable = (): boolean => available("nginx", ["-v"], "nginx-light");
export const caddyAvailable = (): boolean => available("caddy", ["version"], "caddy");

function available(program: string, args: readonly string[], debianPackage: string): boolean {
  const isThere = spawnSync(program, args).status === 0;
  const how = `apt-get install ${debianPackage}`;
  if (!isThere && process.env["CI"] !== undefined) throw new Error(`CI needs ${program}: ${how}`);
  if (!isThere) console.log(`Tests behind ${program} are skipped: it is not there. Enable them with ${how}.`);
  return isThere;
}

/** Where one front has its files, its port and its certificate. */
interface Place {
  readonly directory: string;
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
}

export async function startNginx(replicas: readonly number[]): Promise<Front> {
  return await startFront(async ({ directory, port, certificate, key }) => {
    const servers = replicas.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=2s;`).join("\n    ");
    const site = await changed("nginx/codehub.conf", [
      ["server 127.0.0.1:8000 max_fails=1 fail_timeout=2s;", servers],
      ["listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`],
      ["listen 80;", `listen 127.0.0.1:${await freePort()};`],
      ["/etc/nginx/codehub.crt", certificate],
      ["/etc/nginx/codehub.key", key],
    ]);
    await writeFile(join(directory, "codehub.conf"), site);
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (one) => `${one}_temp_path ${directory}/${one};`,
    );
    await writeFile(
      join(directory, "nginx.conf"),
      `worker_processes 1; daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
events { worker_connections 4096; }
http { access_log off; ${places.join(" ")} include ${directory}/codehub.conf; }
`,
    );
    const args = ["-c", join(directory, "nginx.conf"), "-p", directory];
    execFileSync("nginx", ["-t", "-q", ...args], { stdio: "inherit" });
    return ["nginx", args];
  });
}

export async function startCaddy(replicas: readonly number[]): Promise<Front> {
  return await startFront(async ({ directory, port, certificate, key }) => {
    const names = `${NAMES.dashboard}, *.${NAMES.workspaces}`;
    const withPorts = `${NAMES.dashboard}:${port}, *.${NAMES.workspaces}:${port}`;
    const site = await changed("caddy/Caddyfile", [
      [`${names} {`, `${withPorts} {\n\tbind 127.0.0.1`],
      ["reverse_proxy 127.0.0.1:8000", `reverse_proxy ${replicas.map((one) => `127.0.0.1:${one}`).join(" ")}`],
      ["/etc/caddy/codehub.crt", certificate],
      ["/etc/caddy/codehub.key", key],
    ]);
    const file = join(directory, "Caddyfile");
    await writeFile(
      file,
      `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${directory}\n}\n${site}`,
    );
    return ["caddy", ["run", "--adapter", "caddyfile", "--config", file]];
  });
}

async function startFront(prepare: (place: Place) => Promise<readonly [string, readonly string[]]>): Promise<Front> {
  const directory = await mkdtemp(join(tmpdir(), "codehub-front-"));
  const port = await freePort();
  const [program, args] = await prepare({ directory, port, ...makeCertificate(directory) });
  const child = spawn(...diesWithUs(program, args), { stdio: ["ignore", "ignore", "ignore"] });
  await listens(port);
  return {
    complaints: () => readFile(join(directory, "error.log"), "utf8").catch(() => ""),
    baseUrl: `https://${NAMES.dashboard}:${port}`,
    workspaceBaseUrl: `https://{id}.${NAMES.workspaces}:${port}`,
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      await gone;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What is no longer in an example would silently be tested as it is. */
async function changed(example: string, changes: readonly (readonly [string, string])[]): Promise<string> {
  const text = await readFile(join(EXAMPLES, example), "utf8");
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`deploy/${example} lacks "${from}"`);
    return before.replaceAll(from, to);
  }, text);
}

export function makeCertificate(directory: string): { certificate: string; key: string } {
  const [certificate, key] = [join(directory, "tls.crt"), join(directory, "tls.key")];
  const names = `subjectAltName=DNS:${NAMES.dashboard},DNS:*.${NAMES.workspaces}`;
  const subject = ["-subj", `/CN=${NAMES.dashboard}`, "-addext", names];
  const made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-nodes", "-days", "1", ...made, ...subject], { stdio: "pipe" });
  return { certificate, key };
}

async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const isUp = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await delay(25);
  }
  throw new Error("the front does not listen");
}
