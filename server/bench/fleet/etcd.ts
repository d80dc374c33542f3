import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The database takes 128 changes in one transaction. */
const AT_ONCE = 100;

/** Where the database of the cluster's own API server answers. */
export async function etcdOf(clusterDir: string): Promise<string> {
  const { stdout } = await run(join(clusterDir, "part"), ["pid", "etcd"]);
  const args = (await readFile(`/proc/${stdout.trim()}/cmdline`, "utf8")).split("\0");
  const url = args[args.indexOf("--advertise-client-urls") + 1];
  if (url === undefined || !url.startsWith("http://127.0.0.1:"))
    throw new Error("the cluster's database was not found");
  return url;
}

/** Objects as the API server would have stored them, a hundred at a time: it reads JSON as well as its own form. */
export async function store(etcd: string, objects: Iterable<readonly [key: string, json: string]>): Promise<void> {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const puts = [...objects].map(([key, json]) => ({ requestPut: { key: encode(key), value: encode(json) } }));
  for (let at = 0; at < puts.length; at += AT_ONCE) {
    const body = JSON.stringify({ success: puts.slice(at, at + AT_ONCE) });
    const answer = await fetch(`${etcd}/v3/kv/txn`, { method: "POST", body });
    const said = await answer.text();
    if (!answer.ok || !said.includes('"succeeded":true')) throw new Error(`the cluster's database refused: ${said}`);
  }
}
