import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

export interface Posted {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly posted: Posted[];
  /** What the next are answered with; 204 afterwards. */
  readonly refuseWith: number[];
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const posted: Posted[] = [];
  const refuseWith: number[] = [];
  const server = createServer(async (request, response) => {
    posted.push({ headers: request.headers, body: await text(request) });
    response.writeHead(refuseWith.shift() ?? 204).end();
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/hook`,
    posted,
    refuseWith,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly login: string;
}

export interface MailReceiver extends AsyncDisposable {
  readonly port: number;
  readonly mails: Mail[];
}

/** As much of SMTP (RFC 5321, AUTH PLAIN of RFC 4954) as a mail needs to be handed in; anything else is refused. */
export async function startMailReceiver(): Promise<MailReceiver> {
  const mails: Mail[] = [];
  const server = createTcpServer(async (socket) => {
    socket.on("error", () => undefined);
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    let mail = { from: "", to: [] as string[], login: "" };
    let body: string[] | null = null;
    say("220 receiver");
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (body !== null) {
        if (line !== ".") body.push(line.replace(/^\./, ""));
        else {
          mails.push({ ...mail, text: body.join("\n") });
          [body, mail] = [null, { ...mail, from: "", to: [] }];
          say("250 taken");
        }
        continue;
      }
      const [, verb = "", rest = ""] = /^(\w+)\s*(.*)$/.exec(line) ?? [];
      if (/^(EHLO|HELO)$/i.test(verb)) say("250-receiver\r\n250 AUTH PLAIN");
      else if (/^AUTH$/i.test(verb)) {
        mail = {
          ...mail,
          login: Buffer.from(rest.replace(/^PLAIN\s+/i, ""), "base64")
            .toString()
            .slice(1),
        };
        say("235 welcome");
      } else if (/^MAIL$/i.test(verb) && mail.login !== "") {
        mail = { ...mail, from: /<([^>]*)>/.exec(rest)?.[1] ?? "" };
        say("250 go on");
      } else if (/^RCPT$/i.test(verb) && mail.from !== "") {
        mail.to.push(/<([^>]*)>/.exec(rest)?.[1] ?? "");
        say("250 go on");
      } else if (/^DATA$/i.test(verb) && mail.to.length > 0) {
        body = [];
        say("354 go on");
      } else if (/^QUIT$/i.test(verb)) {
        say("221 bye");
        socket.end();
      } else say("503 not now");
    }
  });
  const port = await listening(server);
  return {
    port,
    mails,
    [Symbol.asyncDispose]: async () => {
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}
