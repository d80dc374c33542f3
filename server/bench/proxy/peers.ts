import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Address } from "#core/rows/workspace.ts";
import { freePort } from "#supervise/free-port.ts";
import { flagsFor, frugal } from "#supervise/frugal.ts";

const CHP = "configurable-http-proxy@5.3.0";

/** A proxy under load: where it listens and what a request to it has to say. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

export type TcpAddress = Extract<Address, { readonly kind: "tcp" }>;

/** Our proxy in front of one workspace that runs there. */
export async function startOurs(processes: ChildProcess[], name: string, backend: TcpAddress): Promise<Subject> {
  const way = JSON.parse(await startNode(processes, ["ours.ts", JSON.stringify(backend)], OUR_WAY));
  return {
    name,
    port: way.port,
    headers: { Host: way.host, Origin: way.origin, Cookie: `theme=dark; ${way.cookie}` },
  };
}

/** As `npm start` runs the proxy. */
const OUR_WAY = { flags: flagsFor(["proxy"]), env: frugal(process.env) };

/** Starts a program beside this file and waits for its first line. */
export async function startNode(
  processes: ChildProcess[],
  [file, ...args]: readonly [string, ...string[]],
  { flags, env }: { readonly flags: readonly string[]; readonly env: NodeJS.ProcessEnv } = {
    flags: [],
    env: process.env,
  },
): Promise<string> {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, file), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  processes.push(child);
  const [line] = await once(child.stdout, "data");
  return String(line).trim();
}

async function answering(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const outcome = await Promise.race([
      once(socket, "connect").then(() => "up"),
      once(socket, "error").then(() => "down"),
    ]).catch(() => "down");
    socket.destroy();
    if (outcome === "up") return;
    if (tries > 200) throw new Error(`nothing listens on port ${port}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** nginx with one worker, keep-alive to the backend and no buffering: the most it can do in one thread. */
export async function startNginx(
  processes: ChildProcess[],
  name: string,
  directory: string,
  backend: TcpAddress,
): Promise<Subject> {
  await mkdir(directory);
  const port = await freePort();
  const config = join(directory, "nginx.conf");
  await writeFile(
    config,
    `worker_processes 1; daemon off; pid ${directory}/nginx.pid; error_log ${directory}/nginx.err;
events { worker_connections 4096; }
http {
  access_log off; keepalive_requests 100000000; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/f; uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;
  upstream b { server ${backend.host}:${backend.port}; keepalive 256; keepalive_requests 100000000; }
  map $http_upgrade $c { default upgrade; '' ''; }
  server { listen 127.0.0.1:${port} backlog=4096; location / {
    proxy_pass http://b; proxy_http_version 1.1; proxy_set_header Host $host; proxy_set_header Connection $c;
    proxy_set_header Upgrade $http_upgrade; proxy_buffering off; proxy_request_buffering off; proxy_read_timeout 1h; } }
}
`,
  );
  const child = spawn("nginx", ["-c", config, "-p", directory], { stdio: ["ignore", "ignore", "inherit"] });
  processes.push(child);
  await answering(port);
  return { name, port, headers: { Cookie: "a=b" } };
}

/** JupyterHub's proxy, installed beside the project and never into it. */
export async function startChp(processes: ChildProcess[], backend: number): Promise<Subject> {
  const home = join(tmpdir(), "codehub-bench-chp");
  const program = join(home, "node_modules", "configurable-http-proxy", "bin", "configurable-http-proxy");
  if (
    !(await access(program).then(
      () => true,
      () => false,
    ))
  ) {
    await mkdir(home, { recursive: true });
    await promisify(execFile)("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", "--loglevel=error", CHP]);
  }
  const port = await freePort();
  const api = await freePort();
  const args = ["--ip", "127.0.0.1", "--port", String(port), "--api-ip", "127.0.0.1", "--api-port", String(api)];
  const target = ["--default-target", `http://127.0.0.1:${backend}`, "--log-level", "error", "--no-include-prefix"];
  processes.push(
    spawn(process.execPath, [program, ...args, ...target], {
      stdio: ["ignore", "ignore", "ignore"],
      env: { ...process.env, CONFIGPROXY_AUTH_TOKEN: "bench" },
    }),
  );
  await answering(port);
  return { name: "chp", port, headers: { Cookie: "a=b" } };
}
