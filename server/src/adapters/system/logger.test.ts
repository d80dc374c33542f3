import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.ts";
import { readableLine, readableLog } from "./readable-log.ts";

function logging(level = "info") {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } });
  return { logger, lines };
}

describe("the log", () => {
  it("is one JSON object a line, with level, time, message and fields", () => {
    const { logger, lines } = logging();
    logger.child({ requestId: "r" }).info({ route: "/x" }, "request answered");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      requestId: "r",
      route: "/x",
      msg: "request answered",
    });
  });

  it("hides secrets by field, at any of the first levels", () => {
    const { logger, lines } = logging();
    logger.info({ password: "CANARY", a: { token: "CANARY", b: { cookie: "CANARY" } }, authorization: "CANARY" }, "m");
    expect(lines.join("")).not.toContain("CANARY");
  });

  it("hides secrets inside texts: credentials in addresses, cookies, bearer tokens, our own tokens", () => {
    const { logger, lines } = logging();
    logger.error({ error: "connect postgres://codehub:CANARY1@db:5432/x failed" }, "m");
    logger.error({ error: "redis://:CANARY2@h GET / cookie: __Host-Http-codehub=CANARY3; a=b" }, "m");
    logger.error({ error: "Authorization: Bearer CANARY4xxxxxxxx and codehub_CANARY5xxxxxxxxxxxxxxxxxxxx" }, "m");
    expect(lines.join("")).not.toContain("CANARY");
    expect(lines[0]).toContain("postgres://***@db:5432/x");
  });

  it("is readable lines for a terminal, without secrets too", async () => {
    const terminal = new PassThrough();
    const logger = createLogger({ level: "info", destination: await readableLog(terminal) });
    const workspace = "308e21a2-19f1-4c46-a751-43ed30efa573";
    const error = "postgres://u:CANARY@db/x";
    logger.warn({ epoch: 7, workspace, error, token: "CANARY", owner: null }, "attempt failed");
    const line = stripVTControlCharacters(String(terminal.read()));
    expect(line).toMatch(
      /^\[\d\d:\d\d:\d\d\] WARN: attempt failed {2}workspace=308e21a2 error=postgres:.* token=\*+\n$/,
    );
    expect(line).not.toContain("CANARY");
  });

  it("shows a terminal nothing that it would obey", () => {
    expect(readableLine({ msg: "ended", words: "a\u001b[2Jb\u009b31mc\nd" })).toBe(
      "ended  words=a\\x1b[2Jb\\x9b31mc\\x0ad",
    );
  });

  it("stays silent below its level", () => {
    const { logger, lines } = logging("warn");
    logger.info({}, "m");
    logger.debug({}, "m");
    expect(lines).toEqual([]);
  });
});
