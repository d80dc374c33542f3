import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { stringify } from "yaml";
import { freePort } from "#supervise/free-port.ts";

const run = promisify(execFile);

/** Whether Prometheus and its promtool are here. In CI they have to be. */
export function hasPrometheus(): boolean {
  const isThere = ["prometheus", "promtool"].every((program) => spawnSync(program, ["--version"]).status === 0);
  const how = "apt-get install --no-install-recommends prometheus";
  if (!isThere && process.env["CI"] !== undefined) throw new Error(`CI needs prometheus and promtool: ${how}`);
  if (!isThere) console.log(`Skipped: what needs Prometheus. Enable it: ${how}`);
  return isThere;
}

export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run("promtool", args);
  return stdout + stderr;
}

export interface Prometheus extends AsyncDisposable {
  /** The answer of its HTTP API; throws what it complains of. */
  readonly ask: (path: string) => Promise<unknown>;
}

/** A Prometheus of the test's own that looks at one target twice a second, as docs/operating/monitoring.md says. */
export async function startPrometheus(target: string, token: string, rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), "codehub-prometheus-"));
  const secret = join(folder, "token");
  await writeFile(secret, token, { mode: 0o600 });
  const configuration = {
    global: { scrape_interval: "500ms", evaluation_interval: "500ms" },
    rule_files: [rules],
    scrape_configs: [
      { job_name: "codehub", authorization: { credentials_file: secret }, static_configs: [{ targets: [target] }] },
    ],
  };
  const file = join(folder, "prometheus.yml");
  await writeFile(file, stringify(configuration));
  const address = `127.0.0.1:${await freePort()}`;
  const settings = [
    "--config.file",
    file,
    "--storage.tsdb.path",
    join(folder, "data"),
    "--web.listen-address",
    address,
  ];
  const child = spawn("prometheus", [...settings, "--log.level", "error"], { stdio: ["ignore", "inherit", "inherit"] });
  const gone = once(child, "exit");
  return {
    ask: async (path) => {
      const answer = (await (await fetch(`http://${address}${path}`)).json()) as { data?: unknown; error?: string };
      if (answer.error !== undefined) throw new Error(`${path}: ${answer.error}`);
      return answer.data;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
