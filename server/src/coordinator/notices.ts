import { type AttentionFacts, type Concern, concernsIn, unseenOf, workspacesOf } from "#core/notices/concerns.ts";
import { afterTelling, type Due, isGivenUp, noticesDue, type Remembered } from "#core/notices/due.ts";
import type { Clock, Ids } from "#ports/clock.ts";
import type { Logger } from "#ports/logger.ts";
import type { Notice, NoticeChannel, NoticeStore, Say } from "#ports/notices.ts";
import { NotLeader } from "#ports/store.ts";

export interface NoticeDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** With these workspaces where they are in trouble, and with others as far as they can be listed. */
  readonly attention: (workspaces: readonly string[]) => Promise<AttentionFacts>;
  readonly store: NoticeStore;
  readonly channels: readonly NoticeChannel[];
  readonly say: Say;
  /** Of the dashboard, without a slash at its end. */
  readonly origin: string;
  readonly settings: { readonly afterMs: number; readonly intervalMs: number };
}

/** Tells people what newly needs attention and what no longer does, beside all else: for as long as this leader leads. */
export async function runNotices(deps: NoticeDeps, ended: AbortSignal): Promise<void> {
  const { clock, logger, settings } = deps;
  while (!ended.aborted) {
    await clock.sleep(settings.intervalMs, ended);
    if (ended.aborted) return;
    try {
      const channels = await Promise.all(
        deps.channels.map(async (channel) => ({ channel, ...(await deps.store.read(channel.name)) })),
      );
      const told = channels.flatMap(({ remembered }) => workspacesOf(remembered));
      const facts = await deps.attention([...new Set(told)]);
      const concerns = concernsIn(facts);
      await Promise.all(
        channels.map((known) => tell(deps, known, [...concerns, ...unseenOf(known.remembered, facts)], ended)),
      );
    } catch (error) {
      if (error instanceof NotLeader) return;
      if (!ended.aborted) logger.warn({ error: String(error) }, "what needs attention could not be determined");
    }
  }
}

/** A channel and what it has told. */
interface Known {
  readonly channel: NoticeChannel;
  readonly now: number;
  readonly remembered: readonly Remembered[];
}

/** What is due is written down as tried before it is sent: a process that dies then repeats it later, and not at once. */
async function tell(
  deps: NoticeDeps,
  { channel, now, remembered }: Known,
  concerns: readonly Concern[],
  ended: AbortSignal,
): Promise<void> {
  const { store, ids, logger, settings } = deps;
  const due = noticesDue(concerns, remembered, { now, afterMs: settings.afterMs, newId: ids.uuid });
  if (due.save.length + due.forget.length > 0) await store.write(channel.name, due);
  if (due.tell.length === 0 || ended.aborted) return;
  const fields = { channel: channel.name, count: due.tell.length };
  try {
    await channel.send(due.tell.map((one) => inWords(deps, one)));
    logger.info(fields, "notices sent");
    await done(deps, channel.name, due.tell, now);
  } catch (error) {
    if (error instanceof NotLeader) throw error;
    // What a channel says may hold its address, which may be a secret.
    logger.warn({ ...fields, error: error instanceof Error ? error.name : "error" }, "notices could not be sent");
    await done(deps, channel.name, due.tell.filter(isGivenUp), now);
  }
}

async function done({ store }: NoticeDeps, channel: string, told: readonly Due[], now: number): Promise<void> {
  const rows = told.map((due) => ({ key: due.row.key, row: afterTelling(due, now) }));
  const save = rows.flatMap(({ row }) => (row === null ? [] : [row]));
  const forget = rows.flatMap(({ key, row }) => (row === null ? [key] : []));
  if (rows.length > 0) await store.write(channel, { save, forget });
}

function inWords({ say, origin }: NoticeDeps, { state, row }: Due): Notice {
  const { text, action } = say(row);
  const { id, code, path, seenAt: since } = row;
  return { id, state, code, text, action: state === "over" ? null : action, link: `${origin}${path}`, since };
}
