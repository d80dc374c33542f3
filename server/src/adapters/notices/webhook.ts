import { createHmac } from "node:crypto";
import type { Clock } from "#ports/clock.ts";
import type { Notice, NoticeChannel } from "#ports/notices.ts";

const PATIENCE_MS = 10_000;

export interface WebhookOptions {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly token: string | null;
  /** With which the body is signed. */
  readonly secret: string | null;
  readonly clock: Clock;
}

/** What is signed: the time with the body, so that a message that somebody overheard cannot be sent again much later. */
export const signatureOf = (secret: string, seconds: number, body: string): string =>
  `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;

/** One POST with all that is due. Redirects are not followed: a token is for the one address that was configured. */
export function webhookChannel({ url, token, secret, clock }: WebhookOptions): NoticeChannel {
  return {
    name: "webhook",
    send: async (notices) => {
      const body = JSON.stringify({ notices: notices.map(presented) });
      const seconds = Math.floor(clock.nowMs() / 1_000);
      const answer = await fetch(url, {
        method: "POST",
        redirect: "error",
        signal: AbortSignal.timeout(PATIENCE_MS),
        headers: {
          "content-type": "application/json",
          "user-agent": "CodeHub",
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(secret === null ? {} : { "x-codehub-signature": signatureOf(secret, seconds, body) }),
        },
        body,
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`status ${answer.status}`);
    },
  };
}

const presented = ({ since, ...notice }: Notice): object => ({ ...notice, since: new Date(since).toISOString() });
