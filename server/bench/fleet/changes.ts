import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { Call } from "./requests.ts";
import type { Seeded } from "./seed.ts";

/** What somebody asked for: the other of the two states that the workspace was in. */
export interface Change {
  readonly id: string;
  readonly to: "RUNNING" | "STANDBY";
  readonly at: number;
}

/** One that is not where it should be: what its row says of that. */
export interface Left {
  readonly id: string;
  readonly phase: string;
  readonly desired_state: string;
  readonly operation: string;
  readonly op_started_at: Date | null;
  readonly conditions: object;
  readonly error_info: object | null;
}

const LOOK = `
SELECT id, phase, desired_state, operation, op_started_at, conditions, error_info, settled
FROM workspaces WHERE id = ANY($1) OR NOT settled OR phase = 'ERROR'`;

/** People who start and stop workspaces, each a different one. */
export class Changes implements AsyncDisposable {
  readonly #client: pg.Client;
  readonly #next: Iterator<Seeded>;
  readonly #wrong = new Set<string>();

  private constructor(client: pg.Client, all: readonly Seeded[]) {
    this.#client = client;
    this.#next = inTurns(all);
  }

  static async open(url: string, all: readonly Seeded[]): Promise<Changes> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return new Changes(client, all);
  }

  /** So many, evenly over this time. */
  async make(count: number, overMs: number): Promise<Change[]> {
    const begun = performance.now();
    const made: Change[] = [];
    for (let index = 0; index < count; index++) {
      await delay(Math.max(0, begun + (index * overMs) / count - performance.now()));
      const { value } = this.#next.next();
      if (value === undefined) throw new Error("every workspace was changed already");
      const to = value.runs ? "STANDBY" : "RUNNING";
      const sql = "UPDATE workspaces SET desired_state = $2, desired_version = desired_version + 1 WHERE id = $1";
      await this.#client.query(sql, [value.id, to]);
      made.push({ id: value.id, to, at: Date.now() });
    }
    return made;
  }

  /**
   * Until each of them is where it should be, and nothing is under way anywhere; answers with those that are not, when the time is over,
   * and with those that went wrong since this was last asked.
   */
  async done(changes: readonly Change[], limitMs: number): Promise<readonly Left[]> {
    for (const deadline = performance.now() + limitMs; ; ) {
      const { rows } = await this.#client.query<Left & { settled: boolean }>(LOOK, [changes.map(({ id }) => id)]);
      const left = rows.filter(({ settled }) => !settled);
      if (left.length > 0 && performance.now() < deadline) {
        await delay(200);
        continue;
      }
      const wrong = rows.filter(({ id, phase }) => phase === "ERROR" && !this.#wrong.has(id));
      for (const { id } of wrong) this.#wrong.add(id);
      return [...left, ...wrong];
    }
  }

  /** Of whoever leads: one more with every term. */
  async epoch(): Promise<number> {
    const { rows } = await this.#client.query<{ epoch: string }>("SELECT epoch FROM leader");
    return Number(rows[0]?.epoch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

/** As many that start as stop, as long as there are both. */
function* inTurns(all: readonly Seeded[]): Generator<Seeded> {
  const [running, sleeping] = [all.filter(({ runs }) => runs), all.filter(({ runs }) => !runs)];
  for (const [index, one] of running.entries()) {
    yield one;
    const other = sleeping[index];
    if (other !== undefined) yield other;
  }
}

/** Milliseconds from each request to the call that acts on it; for ever where there was none. */
export function delaysOf(changes: readonly Change[], calls: readonly Call[]): number[] {
  const acted = new Map<string, number>();
  for (const { verb, resource, name, at, code } of calls) {
    const isAct = resource === "pods" && (verb === "create" || verb === "delete") && code < 300;
    if (isAct && !acted.has(name)) acted.set(name, at);
  }
  return changes.map(({ id, at }) => {
    return Math.max(0, (acted.get(`ws-${id}`) ?? Number.POSITIVE_INFINITY) - at);
  });
}
