import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readConfig } from "#config/config.ts";
import { VARIABLES } from "#config/variables.ts";
import { freePort } from "#supervise/free-port.ts";
import { build } from "../e2e/program.ts";
import { createUnmigratedDatabase } from "../postgres/with-database.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const UNITS = join(ROOT, "deploy/systemd");
const PARTS = ["codehub-server.service", "codehub-proxy.service"] as const;
/** Of 100, by systemd's own count: below 20 is what it calls OK. */
const EXPOSURE = 20;

const read = (name: string): Promise<string> => readFile(join(UNITS, name), "utf8");

/** All values of a setting, in their order. */
const valuesOf = (unit: string, name: string): string[] =>
  unit.split("\n").flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

const variablesOf = (assignments: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    assignments.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const),
  );

const environmentOf = (unit: string): Record<string, string> =>
  variablesOf(valuesOf(unit, "Environment").flatMap((line) => line.split(" ")));

async function exampleSettings(): Promise<Record<string, string>> {
  const lines = (await read("codehub.env.example")).split("\n");
  return variablesOf(lines.filter((line) => line !== "" && !line.startsWith("#")));
}

describe("the units for systemd", () => {
  it("are given an example of settings in which every variable is one of ours, and which are accepted", async () => {
    const settings = await exampleSettings();
    expect(Object.keys(settings).filter((name) => !(name in VARIABLES))).toEqual([]);
    for (const part of PARTS) {
      const environment = { ...environmentOf(await read(part)), ...settings };
      expect(readConfig(environment, { isRoot: false, homeDir: "/" })).toMatchObject({ RUNTIME: "docker" });
    }
  });

  it("share what they have in common, to the letter", async () => {
    const [server = "", proxy = ""] = await Promise.all(PARTS.map(read));
    const common = (unit: string): string[] =>
      unit.split("\n").filter((line) => !/^(#|Description|After|ExecStart|Environment=(NODE_ENV|DATA_DIR))/.test(line));
    expect(common(server)).toEqual(common(proxy));
  });

  describe.skipIf(!analyzerAvailable())("as systemd sees them", () => {
    it("are understood and leave a service little to do harm with", async () => {
      const folder = await mkdtemp(join(tmpdir(), "codehub-units-"));
      try {
        const files: string[] = [];
        for (const name of [...PARTS, "codehub.target"]) {
          files.push(join(folder, name));
          // Where CodeHub lies here: what is to be started has to be there.
          await writeFile(join(folder, name), (await read(name)).replaceAll("/opt/codehub", ROOT));
        }
        const verified = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], { encoding: "utf8" });
        const ours = verified.stderr.split("\n").filter((line) => line.includes("codehub"));
        expect([verified.status, ours]).toEqual([0, []]);
        for (const file of files.filter((one) => one.endsWith(".service"))) {
          const limits = ["--offline=true", `--threshold=${EXPOSURE}`, "--no-pager", file];
          const { status, stdout } = spawnSync("systemd-analyze", ["security", ...limits], { encoding: "utf8" });
          expect(status, stdout).toBe(0);
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });

  it("start a proxy and a server that find each other, and each can be started anew", async () => {
    build();
    await using database = await createUnmigratedDatabase();
    const folder = await mkdtemp(join(tmpdir(), "codehub-units-"));
    await chmod(folder, 0o711);
    const port = await freePort();
    const changes = {
      DATABASE_URL: database.url,
      PORT: String(port),
      DATA_DIR: folder,
      CONTROL_SOCKET: join(folder, "api"),
      NODE_COMPILE_CACHE: join(folder, "compiled"),
      // What the example names and is not here.
      ...{ REDIS_URL: "", S3_ENDPOINT: "", S3_BUCKET: "", RUNTIME: "process", LOG_LEVEL: "warn" },
    };
    const running: ChildProcess[] = [];
    const start = async (part: (typeof PARTS)[number]): Promise<ChildProcess> => {
      const unit = await read(part);
      const [line = ""] = valuesOf(unit, "ExecStart");
      const [program = "", ...args] = line.replaceAll("/opt/codehub", ROOT).split(" ");
      const env = { ...environmentOf(unit), ...(await exampleSettings()), ...changes };
      const child = spawn(program, args, { cwd: ROOT, env, stdio: ["ignore", "ignore", "inherit"] });
      running.push(child);
      return child;
    };
    const stop = async (child: ChildProcess): Promise<number | null> => {
      const gone = once(child, "exit");
      child.kill("SIGTERM");
      return (await gone)[0];
    };
    const status = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => ({ status: 0 }))).status;
    const answers = (path: string): Promise<unknown> =>
      vi.waitFor(async () => expect(await status(path)).toBe(200), { timeout: 30_000, interval: 50 });
    try {
      let server = await start("codehub-server.service");
      const proxy = await start("codehub-proxy.service");
      await answers("/readyz");
      expect(await stop(server)).toBe(0);
      expect([await status("/healthz"), await status("/readyz")]).toEqual([200, 503]);
      server = await start("codehub-server.service");
      await answers("/readyz");
      expect([await stop(proxy), await stop(server)]).toEqual([0, 0]);
    } finally {
      for (const child of running) child.kill("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function analyzerAvailable(): boolean {
  const isThere = spawnSync("systemd-analyze", ["--version"]).status === 0;
  const how = "apt-get install systemd";
  if (!isThere && process.env["CI"] !== undefined) throw new Error(`CI needs systemd-analyze: ${how}`);
  if (!isThere) console.log(`The units are not shown to systemd, which is not there. Enable it with ${how}.`);
  return isThere;
}
