import { describe, expect, it } from "vitest";
import { createLogger } from "./logger.ts";

const logging = (level = "info") => {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } });
  return { logger, lines };
};

describe("the log", () => {
  it("is one JSON object a line, with level, time, message and fields", () => {
    const { logger, lines } = logging();
    logger.child({ requestId: "r" }).info({ route: "/x" }, "Request answered");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      requestId: "r",
      route: "/x",
      msg: "Request answered",
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

  it("stays silent below its level", () => {
    const { logger, lines } = logging("warn");
    logger.info({}, "m");
    logger.debug({}, "m");
    expect(lines).toEqual([]);
  });
});
