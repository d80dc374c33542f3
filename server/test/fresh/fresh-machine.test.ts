import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { closedPort } from "./closed-port.ts";

const SCRIPT = resolve(import.meta.dirname, "../../../scripts/test/fresh-machine.sh");
/** What the script ends with where it cannot be done; in CI that is a failure. */
const SKIPPED = 77;

test("a package mirror that cannot be reached is a failure that names it", async ({ skip }) => {
  const dir = mkdtempSync(join(tmpdir(), "codehub-fresh-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const mirror = `http://127.0.0.1:${await closedPort()}/debian/`;
  const apt = { conf: join(dir, "apt.conf"), list: join(dir, "sources.list"), parts: join(dir, "sources.list.d") };
  mkdirSync(apt.parts);
  const release = spawnSync("bash", ["-c", '. /etc/os-release && echo "$VERSION_CODENAME"'], { encoding: "utf8" });
  writeFileSync(apt.list, `deb ${mirror} ${release.stdout.trim()} main\n`);
  writeFileSync(apt.conf, `Dir::Etc::sourcelist "${apt.list}";\nDir::Etc::sourceparts "${apt.parts}";\n`);

  const env = { ...process.env, APT_CONFIG: apt.conf, CODEHUB_CACHE: dir };
  const run = spawnSync("bash", [SCRIPT], { env, encoding: "utf8" });
  if (run.status === SKIPPED) skip(run.stderr);

  expect(run.status).toBe(1);
  expect(run.stderr).toContain(`the package mirror ${mirror} (${release.stdout.trim()}) cannot be used`);
  expect(run.stderr).toContain("Connection refused");
});
