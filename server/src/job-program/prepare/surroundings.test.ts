import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { gitSettings } from "./git-environment.ts";

const folder = mkdtempSync(join(tmpdir(), "codehub-surrounded-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("git is told of proxies and certificates as an operator has set them for workspaces, and of nothing else", () => {
  const envOf = () => gitSettings("/home/coder", folder, null, "https://git.example.org/a/b").env;
  expect(envOf()["https_proxy"]).toBe(process.env["https_proxy"]);
  const text = "export https_proxy='http://me:a=b@proxy:3128' GIT_SSL_CAINFO=/some/list GIT_SSH=/evil\n";
  writeFileSync(join(folder, "surroundings"), text);
  expect(envOf()).toMatchObject({ https_proxy: "http://me:a=b@proxy:3128", GIT_SSL_CAINFO: "/some/list" });
  expect(envOf()).not.toHaveProperty("GIT_SSH");
});
