import { nextCursor } from "#api/http/list-query.ts";
import { isTimeless, type Policy } from "#core/words/next-step.ts";
import type { Clock } from "#ports/clock.ts";
import type { ListFilter, SummaryStamp, Views } from "#ports/views.ts";
import { KeptTexts } from "./kept-texts.ts";
import { presentSummary } from "./present-summary.ts";

/** About eight thousand summaries, twice. */
const LIMITS = { characters: 4_000_000, turnMs: 60_000 };

export interface SummaryTextsDeps {
  readonly views: Pick<Views, "stamps" | "summaries">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly policy: Policy;
}

/**
 * Pages of summaries as the JSON they are answered with. Which workspaces are on a page the database says every time, to
 * whoever asks, and with each the stamp of what its summary is made from; only the text that was written from just that is
 * taken from memory. The reader is no part of a text, and one in which the clock has a say is written anew every time.
 */
export class SummaryTexts {
  readonly #deps: SummaryTextsDeps;
  readonly #kept = new KeptTexts(LIMITS);

  constructor(deps: SummaryTextsDeps) {
    this.#deps = deps;
  }

  async page(filter: ListFilter, reader: string): Promise<string> {
    const { items, next, total } = await this.#deps.views.stamps(filter);
    this.#kept.turn(this.#deps.clock.nowMs());
    const texts = new Map<string, string>();
    const missing: string[] = [];
    for (const { id, stamp } of items) {
      const text = this.#kept.get(id, stamp);
      if (text === undefined) missing.push(id);
      else texts.set(id, text);
    }
    if (missing.length > 0) await this.#write(filter, missing, texts);
    const rows = items.flatMap((item) => withOwner(texts.get(item.id), item, reader));
    return `{"items":[${rows.join(",")}],"next_cursor":${JSON.stringify(nextCursor(next, filter))},"total":${total}}`;
  }

  async #write(filter: ListFilter, ids: readonly string[], texts: Map<string, string>): Promise<void> {
    const { views, clock, policy } = this.#deps;
    const found = await views.summaries(filter, ids);
    const now = clock.nowMs();
    for (const { stamp, view } of found) {
      const text = JSON.stringify(presentSummary(view, { policy, now }));
      texts.set(view.row.id, text);
      if (isTimeless(view.row)) this.#kept.keep(view.row.id, stamp, text);
    }
  }
}

/** Whose own one it is needs not be said. What left the list while it was read has no text. */
function withOwner(text: string | undefined, { ownerName }: SummaryStamp, reader: string): string[] {
  if (text === undefined) return [];
  return [ownerName === reader ? text : `${text.slice(0, -1)},"owner":${JSON.stringify({ username: ownerName })}}`];
}
