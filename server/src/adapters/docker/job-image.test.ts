import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PROTOCOL_VERSION } from "#job-program/protocol.ts";

test("the image says the protocol of the program that is built into it", () => {
  const dockerfile = readFileSync(new URL("../../../../deploy/images/job/Dockerfile", import.meta.url), "utf8");
  expect(/^LABEL codehub\.job-protocol=(\d+)$/m.exec(dockerfile)?.[1]).toBe(String(PROTOCOL_VERSION));
});
