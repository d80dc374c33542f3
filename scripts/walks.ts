import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createPool } from "../server/src/adapters/postgres/connection.ts";
import { COORDINATOR_ROLE } from "../server/src/adapters/postgres/roles.ts";
import { createEmptyDatabase, startTestServer } from "../server/test/postgres/test-server.ts";
import { type Step, stepsOf } from "./walks/architecture.ts";
import type { Called } from "./walks/server.ts";

/*
 * How long the ways through the code are: counts the functions of ours, and the files they are in, that a start of a
 * workspace, a request to it and an archive pass through, in the server's own process. What an idle server calls in the
 * same time does not count, and neither does what only some of the repetitions call.
 *
 *   npm run walks [-- --list] [-- --tree DIRECTORY]
 *
 * `--list` names the functions; `--tree` counts another checkout (with its dependencies), for example an older one.
 * Of this one, each step that ARCHITECTURE.md names must have been passed.
 */

const REPETITIONS = 3;
/** Longer than any of the walks, and than the minute after which a server does again what it does by itself. */
const IDLE_MS = 70_000;
const USER = { username: "walker", password: "a long enough sentence" };
const ROOT = path.resolve(import.meta.dirname, "..");

const { values: options } = parseArgs({
  options: { list: { type: "boolean", default: false }, tree: { type: "string", default: ROOT } },
});

const WORKSPACES = "/api/v1/workspaces";

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

type Rows = ReturnType<typeof createPool>;
type Walk = ReadonlyMap<string, Called>;

const keyOf = ({ file, name, offset }: Called): string => `${file} ${name} ${offset}`;
const inAll = ([first, ...others]: readonly Walk[]): Walk =>
  new Map([...(first ?? [])].filter(([key]) => others.every((other) => other.has(key))));

/** The server under measurement and a person who uses it. */
class Measured {
  readonly #server: ChildProcess;
  readonly #url: URL;
  /** Host, name -> value. */
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(server: ChildProcess, url: URL) {
    this.#server = server;
    this.#url = url;
  }

  /** What was called while something was done. */
  async during(work: () => Promise<unknown>): Promise<Walk> {
    await this.#take();
    await work();
    return new Map((await this.#take()).map((called) => [keyOf(called), called]));
  }

  async #take(): Promise<Called[]> {
    const answer = once(this.#server, "message");
    this.#server.send("take");
    return (await answer)[0] as Called[];
  }

  async api(
    method: string,
    target: string,
    body: object,
  ): Promise<{ id: string; url: string; address: { url: string } }> {
    const { status, text } = await this.ask(this.#url.host, method, target, JSON.stringify(body));
    if (status >= 300) throw new Error(`${method} ${target} was answered with ${status}: ${text}`);
    return JSON.parse(text);
  }

  /** As a browser that opens an address: goes where it is sent, and keeps the cookies of each host. */
  async open(address: string): Promise<void> {
    for (let url = new URL(address), hops = 0; hops < 10; hops++) {
      const { status, location, text } = await this.ask(url.host, "GET", url.pathname + url.search);
      if (status === 200) return;
      if (location === undefined) throw new Error(`${url} was answered with ${status}: ${text}`);
      url = new URL(location, url);
    }
    throw new Error(`${address} leads nowhere`);
  }

  ask(host: string, method: string, target: string, body?: string): Promise<Answer> {
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const headers = {
      host,
      accept: "text/html, */*",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
      cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
      ...(body === undefined ? {} : { origin: this.#url.origin, "content-type": "application/json" }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const place = { host: "127.0.0.1", port: this.#url.port, method, path: target, headers, agent: false };
    const request = http.request(place, async (response) => {
      for (const line of response.headers["set-cookie"] ?? []) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/; Max-Age=0/i.test(line)) jar.delete(name);
        else jar.set(name, value);
      }
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, location: response.headers.location, text });
    });
    request.once("error", reject);
    request.end(body);
    return promise;
  }
}

/** A workspace is taken through its life once; what each walk called. */
async function repetition(measured: Measured, rows: Rows) {
  const { id, address } = await measured.api("POST", WORKSPACES, { name: "walk", desired_state: "STANDBY" });
  const wish = async (state: string): Promise<void> => {
    await measured.api("PATCH", `${WORKSPACES}/${id}`, { desired_state: state });
    await reached(rows, id, state);
  };
  await reached(rows, id, "STANDBY");
  const start = await measured.during(() => wish("RUNNING"));
  const { host } = new URL(address.url);
  await measured.open(`http://${host}/`);
  // The first is not like those after it: what it learns is kept.
  await measured.ask(host, "GET", "/file.js");
  const request = await measured.during(() => measured.ask(host, "GET", "/file.js"));
  await wish("STANDBY");
  const archive = await measured.during(() => wish("ARCHIVED"));
  return { start, request, archive };
}

/** Asks the database, because asking the server would be counted. */
async function reached(rows: Rows, id: string, phase: string): Promise<void> {
  for (;;) {
    const answer = await rows.query("SELECT phase, operation, error_info FROM workspaces WHERE id = $1", [id]);
    const [row] = answer.rows;
    if (row.phase === "ERROR") throw new Error(`The workspace is in ERROR: ${JSON.stringify(row.error_info)}`);
    if (row.phase === phase && row.operation === "NONE") break;
    await delay(50);
  }
  // What is told about it afterwards belongs to the walk.
  await delay(500);
}

function report(name: string, walk: Walk): void {
  const called = [...walk.values()];
  const files = Map.groupBy(called, ({ file }) => file);
  console.log(`${name}: ${called.length} functions in ${files.size} files`);
  if (!options.list) return;
  for (const [file, functions] of [...files].sort()) {
    console.log(`  ${file}: ${functions.map((called) => called.name).join(", ")}`);
  }
}

function requirePassed(steps: readonly Step[], walk: Walk): void {
  const passed = new Set([...walk.values()].map(({ file, name }) => `${file} ${name}`));
  for (const { file, name } of steps) {
    if (passed.has(`${file} ${name}`)) continue;
    console.error(`  ARCHITECTURE.md names ${file} → ${name}, which was not passed.`);
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  const cleanUp: (() => Promise<unknown>)[] = [];
  try {
    const postgres = await startTestServer();
    cleanUp.push(() => postgres.stop());
    const database = await createEmptyDatabase(postgres.url);
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), "codehub-walks-"));
    cleanUp.push(async () => fs.rmSync(dataDir, { recursive: true }));
    // Workspaces run under accounts of their own.
    fs.chmodSync(dataDir, 0o711);
    const ide = path.join(dataDir, "ide.mjs");
    fs.copyFileSync(path.join(ROOT, "server/test/runtime/fake-ide.mjs"), ide);
    fs.chmodSync(ide, 0o644);
    const server = fork(path.join(import.meta.dirname, "walks/server.ts"), [path.resolve(options.tree), ide], {
      env: {
        PATH: process.env["PATH"],
        PORT: "0",
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        RUNTIME: "process",
        ADMIN_USERNAME: USER.username,
        ADMIN_PASSWORD: USER.password,
      },
    });
    const ended = once(server, "exit");
    cleanUp.push(() => ended);
    cleanUp.push(async () => server.kill("SIGTERM"));
    const [url] = await Promise.race([once(server, "message"), ended]);
    if (typeof url !== "string") throw new Error("The server under measurement ended; what it said is above.");
    const rows = createPool({ url: database.url, role: COORDINATOR_ROLE, max: 1, applicationName: "walks" });
    cleanUp.push(() => rows.end());
    const measured = new Measured(server, new URL(url));
    await measured.api("POST", "/api/v1/auth/login", USER);
    const idle = await measured.during(() => delay(IDLE_MS));
    const found = [];
    for (let index = 0; index < REPETITIONS; index++) {
      found.push(await repetition(measured, rows));
    }
    for (const name of ["start", "request", "archive"] as const) {
      const walk = inAll(found.map((one) => one[name]));
      report(name, new Map([...walk].filter(([key]) => !idle.has(key))));
      if (path.resolve(options.tree) === ROOT) requirePassed(stepsOf(name), walk);
    }
  } finally {
    for (const step of cleanUp.reverse()) await step();
  }
}

await main();
