import { createTransport } from "nodemailer";
import type { Notice, NoticeChannel } from "#ports/notices.ts";

const PATIENCE_MS = 10_000;

export interface MailOptions {
  /** smtp:// or smtps://, with user and password where the server wants them. */
  readonly url: string;
  readonly from: string;
  readonly to: readonly string[];
}

/** One mail with all that is due, as plain text. */
export function mailChannel({ url, from, to }: MailOptions): NoticeChannel {
  const limits = {
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    dnsTimeout: PATIENCE_MS,
    // Only what is written here is sent: a text that names a file or an address never becomes one.
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return {
    name: "email",
    send: async (notices) => {
      const transport = createTransport({ url, ...limits });
      try {
        await transport.sendMail({
          from,
          to: [...to],
          subject: subjectOf(notices),
          text: notices.map(paragraph).join("\n"),
        });
      } finally {
        transport.close();
      }
    },
  };
}

function subjectOf(notices: readonly Notice[]): string {
  const [first] = notices;
  if (notices.length === 1 && first !== undefined)
    return `CodeHub: ${first.state === "over" ? "over: " : ""}${first.text}`.slice(0, 120);
  const begun = notices.filter(({ state }) => state === "begun").length;
  const parts = [
    ...(begun > 0 ? [`${begun} to look at`] : []),
    ...(begun < notices.length ? [`${notices.length - begun} over`] : []),
  ];
  return `CodeHub: ${parts.join(", ")}`;
}

function paragraph({ state, text, action, link, since }: Notice): string {
  const lines = [
    `${state === "over" ? "Over: " : ""}${text}`,
    ...(action === null ? [] : [`What to do: ${action}`]),
    `Since ${new Date(since).toISOString().slice(0, 16).replace("T", " ")} UTC. ${link}`,
  ];
  return `${lines.join("\n")}\n`;
}
