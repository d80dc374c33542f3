import { setTimeout as delay } from "node:timers/promises";
import type { Workspace } from "@codehub/contract";
import type { Person } from "../../test/replicas/people.ts";

/** Between two requests of one person: they read what they see. */
const PAUSE_MS = 40;

/** What one kind of request came to, as those who asked saw it. */
export interface Seen {
  answered: number;
  /** In the words of whoever met it, with how often. */
  readonly lost: Map<string, number>;
  /** The longest that somebody was without an answer, however often they asked. */
  longestMs: number;
}

const KINDS = ["dashboard", "changes", "IDE"] as const;
type Kind = (typeof KINDS)[number];

/** People at work: two look at lists, one renames workspaces, two use an IDE, and five have a dashboard open that follows events. */
export class People {
  readonly #seen: Record<Kind, Seen>;
  readonly #over = new AbortController();
  readonly #asking: Promise<void>[];
  readonly #person: Person;
  readonly #streams: ReturnType<Person["follow"]>[];
  readonly #events = { answered: 0, reconnected: 0, failed: [] as string[] };

  constructor(person: Person, ide: Workspace, renamed: Workspace) {
    this.#person = person;
    this.#seen = { dashboard: nothing(), changes: nothing(), IDE: nothing() };
    let names = 0;
    const list = async (): Promise<void> => void (await person.api("GET", "/workspaces"));
    const rename = async (): Promise<void> =>
      void (await person.api("PATCH", `/workspaces/${renamed.id}`, { name: `renamed ${++names}` }));
    const use = async (): Promise<void> => {
      const status = await person.askIde(ide.id);
      if (status !== 200) throw new Error(`the IDE: ${status}`);
    };
    this.#asking = [
      ...[list, list].map((ask) => this.#keepAsking("dashboard", ask)),
      this.#keepAsking("changes", rename),
      ...[use, use].map((ask) => this.#keepAsking("IDE", ask)),
    ];
    this.#streams = Array.from({ length: 5 }, () => person.follow(this.#over.signal, this.#events));
  }

  /** Sends them home, and tells what they saw. Rejects where a dashboard does not show what there is. */
  async goHome(): Promise<string[]> {
    const stale = await this.#staleStreams();
    this.#over.abort();
    await Promise.all(this.#asking);
    if (stale > 0) throw new Error(`${stale} of ${this.#streams.length} dashboards do not show what there is`);
    return [
      ...KINDS.map((kind) => said(kind, this.#seen[kind])),
      `event streams: ${this.#events.reconnected} times connected again, all hold what there is`,
    ];
  }

  /** Requests to an IDE go past whatever was broken. */
  get lostAtIde(): number {
    return countOf(this.#seen.IDE);
  }

  async #keepAsking(kind: Kind, ask: () => Promise<void>): Promise<void> {
    const seen = this.#seen[kind];
    let last = performance.now();
    while (!this.#over.signal.aborted) {
      try {
        await ask();
        seen.answered += 1;
        seen.longestMs = Math.max(seen.longestMs, performance.now() - last);
        last = performance.now();
      } catch (error) {
        const words = wordsOf(error);
        seen.lost.set(words, (seen.lost.get(words) ?? 0) + 1);
      }
      await delay(PAUSE_MS);
    }
  }

  /** How many event streams do not come to hold what a list shows, while nobody stops changing it. */
  async #staleStreams(): Promise<number> {
    let stale = this.#streams.length;
    for (let tries = 0; tries < 100 && stale > 0; tries += 1) {
      const { items } = await this.#person.api<{ items: Workspace[] }>("GET", "/workspaces");
      // Others rename one all the time: what a stream holds is as new as the list, or newer.
      const shows = (held: ReadonlyMap<string, { readonly version: number }>): boolean =>
        items.every(({ id, version }) => (held.get(id)?.version ?? -1) >= version);
      await delay(200);
      stale = this.#streams.filter((stream) => !shows(stream.held())).length;
    }
    return stale;
  }
}

/** The API says in one word why; anything else is told as it is. */
function wordsOf(error: unknown): string {
  const text = String(error);
  return /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? text.slice(0, 120);
}

const nothing = (): Seen => ({ answered: 0, lost: new Map(), longestMs: 0 });
const countOf = ({ lost }: Seen): number => [...lost.values()].reduce((sum, count) => sum + count, 0);

function said(kind: Kind, seen: Seen): string {
  const lost = countOf(seen);
  const words = [...seen.lost].map(([what, count]) => `${count} × ${what}`).join(", ");
  const how = lost === 0 ? "" : ` (${words})`;
  const longest = `longest without an answer ${(seen.longestMs / 1_000).toFixed(1)} s`;
  return `${kind}: ${seen.answered} answered, ${lost} lost${how}, ${longest}`;
}
