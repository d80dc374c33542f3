import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createPassOn, type PassOn } from "#proxy/door/pass-on.ts";
import { listenOnSocket } from "../../src/compose/control-socket.ts";
import { type Front, startFront } from "./harness.ts";

let directory: string;
let socketPath: string;
let passOn: PassOn;
let front: Front;
let api: { readonly close: () => Promise<void> } | null;
/** What the process behind the socket does, for each test. */
let answer: RequestListener;

async function listen(): Promise<void> {
  api = await listenOnSocket(
    (req, res) => answer(req, res),
    socketPath,
    () => undefined,
  );
}
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "codehub-pass-on-"));
  socketPath = join(directory, "socket");
  answer = (req, res) => void res.end(`you asked ${req.method} ${req.url}`);
  await listen();
  passOn = createPassOn({ socketPath, metrics: async () => "own_metric 1\n" });
  front = await startFront({ dashboard: passOn.request });
});
afterEach(async () => {
  await front.stop();
  passOn.close();
  await api?.close();
  await rm(directory, { recursive: true });
});

const DASHBOARD = "localhost:8000";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
const ask = (path: string, more: Parameters<Front["ask"]>[0] = {}) => front.ask({ host: DASHBOARD, path, ...more });

describe("what is passed on", () => {
  test("is the request as it came, with the address that it came from and nothing of the connection", async () => {
    let seen: IncomingMessage | undefined;
    answer = (req, res) => {
      seen = req;
      res.writeHead(201, ["X-Twice", "1", "X-Twice", "2", "Set-Cookie", "a=1", "Set-Cookie", "b=2"]).end("made");
    };
    const got = await ask("/api/v1/x?q=%41%2f", {
      method: "POST",
      headers: { "x-forwarded-for": "198.51.100.1", "keep-alive": "timeout=1", te: "trailers", cookie: "s=1" },
      body: "{}",
    });
    expect(seen?.method).toBe("POST");
    expect(seen?.url).toBe("/api/v1/x?q=%41%2f");
    expect(seen?.headers).toMatchObject({ host: DASHBOARD, cookie: "s=1", "content-length": "2" });
    expect(seen?.headers["x-forwarded-for"]).toMatch(/^198\.51\.100\.1, (::ffff:)?127\.0\.0\.1$/);
    expect(seen?.headers).not.toHaveProperty("te");
    expect(seen?.headers).not.toHaveProperty("keep-alive");
    expect([got.status, got.body]).toEqual([201, "made"]);
    expect(got.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(got.headers["x-twice"]).toBe("1, 2");
  });

  test("is every byte of large bodies, both ways, of a length that is known or not", async () => {
    const sent = randomBytes(3_000_000);
    answer = (req, res) => void req.pipe(res);
    for (const headers of [{ "content-length": String(sent.length) }, { "transfer-encoding": "chunked" }]) {
      const onward = request({
        port: front.port,
        method: "PUT",
        path: "/upload",
        headers: { host: DASHBOARD, ...headers },
      });
      onward.end(sent);
      const [back] = (await once(onward, "response")) as [IncomingMessage];
      const hash = createHash("sha256");
      for await (const chunk of back) hash.update(chunk);
      expect(hash.digest("hex")).toBe(createHash("sha256").update(sent).digest("hex"));
    }
  });

  test("is an event stream from its first moment, and its reader's leaving", async () => {
    const left = Promise.withResolvers<void>();
    let stream: ServerResponse | undefined;
    answer = (_req, res) => {
      stream = res.writeHead(200, { "content-type": "text/event-stream" });
      stream.flushHeaders();
      res.once("close", left.resolve);
    };
    const reader = request({ port: front.port, path: "/api/v1/events", headers: { host: DASHBOARD } });
    reader.on("error", () => undefined);
    reader.end();
    const [events] = (await once(reader, "response")) as [IncomingMessage];
    events.on("error", () => undefined);
    stream?.write("event: one\n\n");
    expect(String((await once(events, "data"))[0])).toBe("event: one\n\n");
    reader.destroy();
    await left.promise;
  });

  test("are the metrics of both, and only to whom they are given", async () => {
    answer = (req, res) => {
      if (req.headers.authorization === undefined) return void res.writeHead(401).end("no");
      res.writeHead(200, { "content-length": "12" }).end("api_metric 1");
    };
    expect((await ask("/metrics")).body).toBe("no");
    const told = await ask("/metrics", { headers: { authorization: "Bearer x" } });
    expect(told.body).toBe("api_metric 1\nown_metric 1\n");
  });

  test("is not what belongs to a workspace or to nobody", async () => {
    const asked: string[] = [];
    answer = (req, res) => {
      asked.push(req.headers.host ?? "");
      res.end();
    };
    expect((await front.ask({ host: "elsewhere.example" })).status).toBe(421);
    const id = "11111111-1111-4111-8111-111111111111";
    await front.ask({ host: `${id}.localhost:8000` });
    expect(asked).toEqual([]);
  });
});

describe("while nobody listens", () => {
  beforeEach(async () => {
    await api?.close();
    api = null;
  });

  test("people get a page that loads itself again, programs an error of the catalogue", async () => {
    const page = await ask("/", { headers: PAGE });
    expect(page.status).toBe(503);
    expect(page.headers).toMatchObject({ refresh: "1", "retry-after": "1", "cache-control": "no-store" });
    expect(page.body).toContain("CodeHub is being restarted");
    const call = await ask("/api/v1/workspaces", { method: "POST", body: "{}" });
    expect([call.status, call.headers["retry-after"]]).toEqual([503, "1"]);
    expect(JSON.parse(call.body)).toMatchObject({ error: { code: "SERVER_RESTARTING" } });
  });

  test("the next request finds whoever listens again", async () => {
    await listen();
    expect((await ask("/after")).body).toBe("you asked GET /after");
  });
});

test("an answer that breaks off does not look whole", async () => {
  answer = (_req, res) => {
    res.writeHead(200, { "content-type": "text/plain" }).write("the first half");
    setImmediate(() => res.destroy());
  };
  await expect(ask("/")).rejects.toThrow(/aborted|hang up|ECONNRESET/);
});

test("a request that may have been carried out is not sent again", async () => {
  const methods: string[] = [];
  answer = (req, res) => {
    methods.push(req.method ?? "");
    // The connection is used again, and ends without an answer.
    if (methods.length > 1) return void res.destroy();
    res.end("first");
  };
  await ask("/one");
  const post = await ask("/two", { method: "POST", body: "{}" });
  expect(post.status).toBe(503);
  expect(methods).toEqual(["GET", "POST"]);
});

describe("what a client can do to the next one", () => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n";
  const raw = (method: string, more: string) =>
    front.raw(
      `${method} /outer HTTP/1.1\r\nHost: ${DASHBOARD}\r\nConnection: close, content-length, x-forwarded-for\r\n${more}`,
    );

  test.each(["GET", "DELETE", "POST"])("a %s is one request, whatever its Connection header names", async (method) => {
    const asked: string[] = [];
    const bodies: string[] = [];
    answer = async (req, res) => {
      asked.push(`${req.url} from ${req.headers["x-forwarded-for"]?.toString().split(", ").length} hops`);
      for await (const chunk of req) bodies.push(String(chunk));
      res.end("answered");
    };
    const counted = `X-Forwarded-For: 198.51.100.1\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    expect(await raw(method, counted)).toContain("answered");
    const size = smuggled.length.toString(16);
    expect(await raw(method, `Transfer-Encoding: chunked\r\n\r\n${size}\r\n${smuggled}\r\n0\r\n\r\n`)).toContain(
      "answered",
    );
    expect((await ask("/victim")).body).toBe("answered");
    expect(asked).toEqual(["/outer from 2 hops", "/outer from 1 hops", "/victim from 1 hops"]);
    expect(bodies.join("")).toBe(smuggled + smuggled);
  });
});

test("a request whose client has left is let go of, and not made again", async () => {
  await ask("/warm");
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const asked: (string | undefined)[] = [];
  answer = (req, res) => {
    asked.push(req.url);
    if (req.url !== "/left") return void res.end();
    res.once("close", over.resolve);
    begun.resolve();
  };
  const reader = request({ port: front.port, path: "/left", headers: { host: DASHBOARD } });
  reader.on("error", () => undefined);
  reader.end();
  await begun.promise;
  reader.destroy();
  await over.promise;
  await ask("/next");
  expect(asked).toEqual(["/left", "/next"]);
});

test("an upload that is answered before its end is read to its end, so that its client gets to the answer", async () => {
  answer = (_req, res) => void res.writeHead(401).end("no");
  const sent = request({ port: front.port, method: "POST", path: "/upload", headers: { host: DASHBOARD } });
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  const finished = once(sent, "finish");
  sent.end(Buffer.alloc(20_000_000));
  const [refused] = await answered;
  expect(refused.statusCode).toBe(401);
  refused.resume();
  await finished;
});

describe("the socket", () => {
  test("is for its owner alone", async () => {
    expect((await stat(socketPath)).mode & 0o777).toBe(0o600);
  });

  test("that a killed process left is taken over, one that somebody answers at is not", async () => {
    await expect(listen()).rejects.toThrow(/Another CodeHub listens/);
    expect((await ask("/still")).body).toBe("you asked GET /still");
  });
});

test("a slow reader slows the writer down instead of filling memory", async () => {
  const chunk = Buffer.alloc(65_536);
  let written = 0;
  answer = (_req, res) => {
    res.writeHead(200);
    const more = () => {
      while (written < 200_000_000 && res.write(chunk)) written += chunk.length;
    };
    res.on("drain", more);
    more();
  };
  const reader = request({ port: front.port, path: "/download", headers: { host: DASHBOARD } });
  reader.end();
  const [download] = (await once(reader, "response")) as [IncomingMessage];
  download.pause();
  let before = -1;
  // Until nothing moves any more.
  while (before !== written) {
    before = written;
    await delay(200);
  }
  expect(written).toBeLessThan(50_000_000);
  download.on("error", () => undefined);
  reader.destroy();
});
