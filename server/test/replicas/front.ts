import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "#supervise/free-port.ts";
import { diesWithUs } from "../suites/dies-with-us.ts";

const EXAMPLE = resolve(import.meta.dirname, "../../../deploy/nginx/codehub.conf");
/** As the example has them. */
const NAMES = { dashboard: "codehub.example.com", workspaces: "codehub-workspaces.example" } as const;

/** The real nginx with the example of the documentation, in which only ports, certificate and addresses are changed. */
export interface Front extends AsyncDisposable {
  readonly baseUrl: string;
  readonly workspaceBaseUrl: string;
}

export function nginxAvailable(): boolean {
  const available = spawnSync("nginx", ["-v"]).status === 0;
  if (!available && process.env["CI"] !== undefined) throw new Error("CI needs nginx: apt-get install nginx-light");
  if (!available)
    console.log("Tests behind nginx are skipped: no nginx. Enable them with apt-get install nginx-light.");
  return available;
}

export async function startNginx(replicas: readonly number[]): Promise<Front> {
  const directory = await mkdtemp(join(tmpdir(), "codehub-nginx-"));
  const port = await freePort();
  const { certificate, key } = makeCertificate(directory);
  const servers = replicas.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=2s;`).join("\n    ");
  const site = changed(await readFile(EXAMPLE, "utf8"), [
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
  const child = spawn(...diesWithUs("nginx", args), { stdio: ["ignore", "ignore", "inherit"] });
  await listens(port);
  return {
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

/** What is no longer in the example would silently be tested as it is. */
function changed(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`${EXAMPLE} lacks "${from}"`);
    return before.replaceAll(from, to);
  }, text);
}

function makeCertificate(directory: string): { certificate: string; key: string } {
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
  throw new Error("nginx does not listen");
}
