import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { browserIsHere, chromiumOptions } from "./browser.ts";

describe.skipIf(!browserIsHere())("the tests' Chromium", () => {
  it("hears nothing of the machine's interfaces, and reaches the network as ever", async () => {
    const { executablePath, env } = chromiumOptions();
    const sockets =
      "use Socket; for my $family (16, AF_INET, AF_UNIX) { print socket(my $s, $family, SOCK_DGRAM, 0) ? 1 : 0 }";
    const asPerl = { env: { ...env, CHROMIUM: "/usr/bin/perl" } };
    const { stdout } = await promisify(execFile)(executablePath, ["-e", sockets], asPerl);
    expect(stdout).toBe("011");
  });
});
