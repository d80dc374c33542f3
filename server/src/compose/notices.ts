import { noticeText } from "@codehub/contract/words";
import { PostgresNoticeStore, readAttention } from "#adapters/postgres/stores/notice-store.ts";
import { systemClock as clock, systemIds as ids } from "#adapters/system/clock.ts";
import type { Config } from "#config/config.ts";
import { runNotices } from "#coordinator/notices.ts";
import type { Finding } from "#core/doctor/finding.ts";
import type { Logger } from "#ports/logger.ts";
import type { NoticeChannel } from "#ports/notices.ts";
import type { Database, Pool } from "./database.ts";

export interface NoticeParts {
  readonly config: Config;
  readonly database: Pick<Database, "url" | "api">;
  readonly pool: Pool;
  readonly origin: string;
  readonly logger: Logger;
}

/** An examination asks every part a few things and writes to the store. */
const EXAMINE_EVERY_MS = 300_000;
const LONGEST_INTERVAL_MS = 30_000;

/** For as long as this process leads in this epoch. */
export async function sendNotices(parts: NoticeParts, epoch: number, ended: AbortSignal): Promise<void> {
  const { config, database, pool, origin, logger } = parts;
  const afterMs = config.NOTICE_AFTER_SECONDS * 1_000;
  const examine = examineNowAndThen(parts);
  const deps = {
    clock,
    ids,
    logger,
    attention: async (workspaces: readonly string[]) => ({
      ...(await readAttention(database.api, workspaces)),
      findings: await examine(),
    }),
    store: new PostgresNoticeStore(pool, epoch),
    channels: await openChannels(config),
    say: noticeText,
    origin,
    settings: { afterMs, intervalMs: Math.min(LONGEST_INTERVAL_MS, Math.max(1_000, afterMs / 2)) },
  };
  await runNotices(deps, ended);
}

/** Each is loaded by those only who want it. */
async function openChannels(config: Config): Promise<readonly NoticeChannel[]> {
  const channels: NoticeChannel[] = [];
  if (config.NOTICE_WEBHOOK_URL !== null) {
    const { webhookChannel } = await import("#adapters/notices/webhook.ts");
    const { NOTICE_WEBHOOK_URL: url, NOTICE_WEBHOOK_TOKEN: token, NOTICE_WEBHOOK_SECRET: secret } = config;
    channels.push(webhookChannel({ url, token, secret, clock }));
  }
  if (config.SMTP_URL !== null) {
    const { mailChannel } = await import("#adapters/notices/mail.ts");
    channels.push(
      mailChannel({ url: config.SMTP_URL, from: config.NOTICE_MAIL_FROM ?? "", to: config.NOTICE_MAIL_TO }),
    );
  }
  return channels;
}

function examineNowAndThen({ config, database, logger }: NoticeParts): () => Promise<readonly Finding[] | null> {
  let last: { readonly at: number; readonly findings: readonly Finding[] } | null = null;
  return async () => {
    if (last !== null && clock.monotonicMs() - last.at < EXAMINE_EVERY_MS) return last.findings;
    const { examine } = await import("./doctor.ts");
    try {
      const { findings } = await examine(config, { kind: "url", url: database.url, embedded: false });
      last = { at: clock.monotonicMs(), findings };
    } catch (error) {
      // What was found before stays: that nobody could look is no news of it.
      logger.warn({ error: String(error) }, "nothing could be examined for notices");
    }
    return last?.findings ?? null;
  };
}
