import { randomUUID } from "node:crypto";
import { mainOf, startOf, stateOf } from "#adapters/kubernetes/pod-state.ts";
import type { DirectUploads } from "#ports/archives.ts";
import type { KubernetesDataPlane } from "../../test/kubernetes/kubernetes-data-plane.ts";

const PART_BYTES = 64 * 2 ** 20;
const VALID_SECONDS = 900;
const LIMIT_MS = 300_000;

/** From a pipe to the parts of an upload: one is on its way while the next one fills. */
const SEND = `
const http = require("node:http");
const put = (url, body) => new Promise((resolve, reject) => {
  const request = http.request(url, { method: "PUT", headers: { "content-length": body.length } }, (answer) => {
    answer.resume();
    answer.on("end", () => answer.statusCode === 200 ? resolve() : reject(new Error("status " + answer.statusCode)));
  });
  request.on("error", reject);
  request.end(body);
});
(async () => {
  const urls = JSON.parse(process.env.ADDRESSES);
  let [held, size, total, parts, sending] = [[], 0, 0, 0, Promise.resolve()];
  const flush = async () => {
    const body = Buffer.concat(held);
    [held, size, total] = [[], 0, total + body.length];
    await sending;
    sending = put(urls[parts++], body);
  };
  for await (const chunk of process.stdin) {
    held.push(chunk);
    size += chunk.length;
    if (size >= ${PART_BYTES}) await flush();
  }
  await flush();
  await sending;
  require("node:fs").writeFileSync("/dev/termination-log", JSON.stringify({ parts, total }));
})();`;

const FETCH = `
const { pipeline } = require("node:stream");
require("node:http").get(process.env.ADDRESSES, (answer) => {
  if (answer.statusCode !== 200) process.exit(1);
  pipeline(answer, process.stdout, (error) => { if (error) process.exit(1); });
});`;

const ARCHIVE = `set -o pipefail; tar -C /volume/home -cf - . | zstd -T0 -q | node -e "$SCRIPT"`;
const RESTORE = `set -o pipefail; node -e "$SCRIPT" | zstd -dcq | tar -C /volume/home -xpf - &&
done=$(node -p "Date.now()") && sync -f /volume/home && echo "{\\"done\\": $done}" > /dev/termination-log`;

/** What somebody would do by hand: a pod of the job's image beside the claim, a pipe in it, and addresses of the store. */
export class PipePods {
  readonly #plane: KubernetesDataPlane;
  readonly #workspaceId: string;
  readonly #bytes: number;

  constructor(plane: KubernetesDataPlane, workspaceId: string, bytes: number) {
    this.#plane = plane;
    this.#workspaceId = workspaceId;
    this.#bytes = bytes;
  }

  /** Milliseconds, until the store has made an object of it. */
  async archive(volume: string, key: string): Promise<number> {
    const store = this.#store;
    const begun = performance.now();
    const upload = await store.begin(key);
    const most = Math.ceil((this.#bytes * 1.2) / PART_BYTES);
    const addresses = await store.sign(key, upload, most, VALID_SECONDS);
    const { parts = 0, total = 0 } = await this.#run("pipe", volume, ARCHIVE, SEND, JSON.stringify(addresses));
    await store.complete(key, upload, parts, total);
    return performance.now() - begun;
  }

  /** Until everything is unpacked, and until that is on the disk. */
  async restore(key: string, volume: string): Promise<{ unsynced: number; synced: number }> {
    const [begun, begunAt] = [performance.now(), Date.now()];
    const address = await this.#store.signRead(key, VALID_SECONDS);
    const { done = Number.NaN } = await this.#run("unpipe", volume, RESTORE, FETCH, address);
    return { unsynced: done - begunAt, synced: performance.now() - begun };
  }

  get #store(): DirectUploads {
    const { begin, sign, complete, abort, signRead } = this.#plane.store;
    if (!begin || !sign || !complete || !abort || !signRead) throw new Error("the store takes no direct uploads");
    return this.#plane.store as DirectUploads;
  }

  async #run(kind: string, volume: string, command: string, script: string, addresses: string) {
    const { jobs, pods } = this.#plane.harness;
    const { metadata } = await jobs.create({
      kind,
      token: randomUUID().slice(0, 8),
      workspaceId: this.#workspaceId,
      attempt: randomUUID(),
      claim: { name: volume, access: "write" },
      container: {
        command: ["bash", "-c", command],
        env: Object.entries({ SCRIPT: script, ADDRESSES: addresses }).map(([name, value]) => ({ name, value })),
      },
    });
    const ended = await pods.until(metadata, AbortSignal.timeout(LIMIT_MS), (pod) => {
      const verdict = startOf(pod);
      if (verdict.kind === "failed") throw verdict.failure;
      return stateOf(pod).state === "exited" ? (mainOf(pod)?.state?.terminated ?? null) : null;
    });
    const removed = pods.remove(metadata, 1);
    this.#going.push(removed);
    if (ended.exitCode !== 0) throw new Error(`the pipe ended with ${ended.exitCode}: ${ended.message ?? ""}`);
    return JSON.parse(ended.message ?? "{}") as { parts?: number; total?: number; done?: number };
  }

  readonly #going: Promise<void>[] = [];

  /** Its claim is another's again when its pods are gone, which nobody measures. */
  async gone(): Promise<void> {
    await Promise.all(this.#going);
  }
}
