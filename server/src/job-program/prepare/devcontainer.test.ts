import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readDevcontainer } from "./devcontainer.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "codehub-devcontainer-"));
});
afterEach(() => rmSync(project, { recursive: true }));

function write(path: string, text = path): void {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

const NOTHING = { devcontainer: null, devcontainers: [], problem: null };

describe("devcontainer.json", () => {
  test("is found at its usual places, the first of them first", async () => {
    expect(await readDevcontainer(project)).toEqual(NOTHING);
    write(".devcontainer.json");
    expect((await readDevcontainer(project)).devcontainer?.path).toBe(".devcontainer.json");
    write(".devcontainer/devcontainer.json");
    write(".devcontainer/other/devcontainer.json");
    const path = ".devcontainer/devcontainer.json";
    expect(await readDevcontainer(project)).toEqual({ ...NOTHING, devcontainer: { path, text: path } });
  });

  test("in a folder is read where there is one, and only listed where there are several", async () => {
    const [one, two] = [".devcontainer/one/devcontainer.json", ".devcontainer/two/devcontainer.json"];
    write(one);
    expect((await readDevcontainer(project)).devcontainer?.path).toBe(one);
    write(two);
    expect(await readDevcontainer(project)).toEqual({ ...NOTHING, devcontainers: [one, two] });
  });

  test("may be a link inside the project and to nowhere else", async () => {
    write("shared.json", "{}");
    symlinkSync("shared.json", join(project, ".devcontainer.json"));
    expect((await readDevcontainer(project)).devcontainer?.text).toBe("{}");
    for (const target of ["/etc/hostname", "../../../../../../etc/hostname", "/dev/zero"]) {
      rmSync(join(project, ".devcontainer.json"));
      symlinkSync(target, join(project, ".devcontainer.json"));
      const found = await readDevcontainer(project);
      expect(found.devcontainer).toBeNull();
      expect(found.problem?.said).toBe(".devcontainer.json leads out of the project");
    }
  });

  test("has at most 64 KiB, and is text", async () => {
    write(".devcontainer.json", "x".repeat(64 * 1024));
    expect((await readDevcontainer(project)).devcontainer?.text).toHaveLength(64 * 1024);
    write(".devcontainer.json", "x".repeat(64 * 1024 + 1));
    expect((await readDevcontainer(project)).problem?.said).toContain("more than 64 KiB");
    write(".devcontainer.json", "a\0b");
    expect((await readDevcontainer(project)).devcontainer?.text).toBe("a\ufffdb");
    rmSync(join(project, ".devcontainer.json"));
    mkdirSync(join(project, ".devcontainer.json"));
    expect((await readDevcontainer(project)).problem?.said).toContain("is not a file");
  });
});
