import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const AT_ONCE = 32;

/** Where the database of the cluster's own API server answers. */
export async function etcdOf(clusterDir: string): Promise<string> {
  const { stdout } = await run(join(clusterDir, "part"), ["pid", "etcd"]);
  const args = (await readFile(`/proc/${stdout.trim()}/cmdline`, "utf8")).split("\0");
  const url = args[args.indexOf("--advertise-client-urls") + 1];
  if (url === undefined || !url.startsWith("http://127.0.0.1:"))
    throw new Error("the cluster's database was not found");
  return url;
}

/**
 * Objects as the API server would have stored them: it reads JSON as well as its own form. Each is a change of its own, because everybody
 * in a cluster takes it for granted that no two have the same number: whoever loses a watch in the middle of several with one number goes on
 * behind them, and never hears of the others.
 */
export async function store(etcd: string, objects: Iterable<readonly [key: string, json: string]>): Promise<void> {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const left = objects[Symbol.iterator]();
  const put = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const [key, json] = next.value;
      const body = JSON.stringify({ key: encode(key), value: encode(json) });
      const answer = await fetch(`${etcd}/v3/kv/put`, { method: "POST", body });
      const said = await answer.text();
      if (!answer.ok) throw new Error(`the cluster's database refused: ${said}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, put));
}
