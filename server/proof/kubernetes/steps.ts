import pg from "pg";
import { WORKSPACE } from "#adapters/kubernetes/labels.ts";
import type { Pod } from "#adapters/kubernetes/objects.ts";
import { stateOf } from "#adapters/kubernetes/pod-state.ts";
import { jsonLines } from "#adapters/runtime-parts/json-lines.ts";
import type { Fault } from "../../test/data/fault-proxy.ts";
import type { Home } from "./home.ts";
import type { Level, Stage } from "./stage.ts";

type Take = (what: string) => Promise<boolean>;

/** Counts what the program does to the world and what becomes of it, and kills the program at the step it is told. */
export class Steps implements AsyncDisposable {
  readonly #stage: Stage;
  readonly #database: pg.Client;
  #onRow: (id: string) => void = () => {};

  static async open(stage: Stage): Promise<Steps> {
    const database = new pg.Client({ connectionString: stage.databaseUrl });
    await database.connect();
    await database.query("LISTEN ws_sse");
    return new Steps(stage, database);
  }

  private constructor(stage: Stage, database: pg.Client) {
    this.#stage = stage;
    this.#database = database;
    // Who is interrupted loses the database first.
    database.on("error", () => {});
    database.on("notification", ({ payload }) => this.#onRow(JSON.parse(payload ?? "{}").id));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.end();
  }

  /** Asks for the level, and kills at the step of that number or name. Null when it was there before. */
  async killAt(step: number | string, home: Home, to: Level): Promise<string | null> {
    const stage = this.#stage;
    const dead = Promise.withResolvers<void>();
    let count = 0;
    let killed: string | null = null;
    const take: Take = async (what) => {
      count += 1;
      if (killed !== null || (count !== step && what !== step)) return false;
      killed = what;
      await stage.program.crashServer();
      dead.resolve();
      return true;
    };
    const over = new AbortController();
    stage.apiServer.fault = gate("cluster", take);
    stage.store.fault = gate("store", take);
    this.#onRow = (id) => void (id === home.id && take("row"));
    const watching = this.#watchPods(home, take, over.signal);
    await stage.ask(home.id, to).catch(async (error: unknown) => {
      if (killed === null) throw error;
      // Killed before it could answer: whoever asked does not know whether it was heard, and asks again.
      await stage.eventually("it can be asked again", () => stage.ask(home.id, to));
    });
    const through = stage.reaches(home.id, to).catch(() => undefined);
    await Promise.race([dead.promise, through]);
    this.#onRow = () => {};
    over.abort();
    stage.calm();
    await watching;
    return killed;
  }

  /** A step whenever a pod of this workspace is another than it was. */
  async #watchPods({ id }: Home, take: Take, signal: AbortSignal): Promise<void> {
    const { admin } = this.#stage.plane.harness;
    const query = { watch: "1", labelSelector: `${WORKSPACE}=${id}` };
    const last = new Map<string, string>();
    try {
      const stream = await admin.stream(this.#stage.path("pods"), query, signal);
      for await (const { type, object } of jsonLines<{ type: string; object: Pod }>(stream)) {
        const { name } = object.metadata;
        const kind = name.slice(`ws-${id}-`.length).split("-")[0] || "workspace";
        const now = type === "DELETED" ? "gone" : shownState(object);
        if (last.get(name) === now || (type === "ADDED" && now === "pending")) continue;
        last.set(name, now);
        await take(`pod ${kind} ${now}`);
      }
    } catch {
      // The step was found.
    }
  }
}

function shownState(pod: Pod): string {
  const leaves = pod.metadata.deletionTimestamp === undefined ? "" : " leaving";
  const { state } = stateOf(pod);
  const isPlaced = pod.spec.nodeName !== undefined;
  return `${state === "created" ? (isPlaced ? "placed" : "pending") : state}${leaves}`;
}

/** A step before every change that is asked for, and one after it is done and before anybody is told. */
const gate =
  (door: string, take: Take): Fault =>
  async (request, response) => {
    const { method = "", url = "" } = request;
    if (method === "GET" || method === "HEAD") return undefined;
    const what = `${door} ${method} ${kindOf(url)}`;
    // A job lives on, and its word with it.
    const isOfJob = url.includes("X-Amz-Signature");
    if ((await take(`before ${what}`)) && !isOfJob) {
      response.destroy();
      return "handled";
    }
    return {
      before: async () => {
        if ((await take(`after ${what}`)) && !isOfJob) response.destroy();
      },
    };
  };

function kindOf(url: string): string {
  const { pathname, searchParams } = new URL(url, "http://door");
  const [, kind] = /\/namespaces\/[^/]+\/(\w+)/.exec(pathname) ?? [];
  if (kind !== undefined) return kind;
  if (searchParams.has("partNumber")) return "part";
  if (searchParams.has("uploadId") || searchParams.has("uploads")) return "upload";
  return pathname.endsWith(".json") ? "marker" : "object";
}
