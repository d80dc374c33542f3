import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const START = fileURLToPath(new URL("../../deploy/images/server/start.mjs", import.meta.url));

it.each(["process", "auto", ""])("the server's image refuses RUNTIME=%s with what to do instead", (RUNTIME) => {
  const { status, stderr } = spawnSync(process.execPath, [START], { env: { RUNTIME }, encoding: "utf8" });
  expect([status, stderr]).toEqual([78, expect.stringMatching(/^RUNTIME=\w* is refused .* Set RUNTIME=kubernetes/)]);
});
