import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { NO_KEYS, PRELUDE, setupFiles } from "#coordinator/setup-files.ts";
import { readDevcontainer } from "#core/setup/devcontainer.ts";
import { readMarkers } from "#core/setup/markers.ts";
import { IDE_IMAGE } from "../docker/docker-harness.ts";
import { fakeGallery } from "../setup/fake-gallery.ts";

const engine = inject("ideEngine");
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const docker = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)("docker", args, { env: { ...process.env, DOCKER_HOST: engine?.host } })).stdout;

/** What images promise to whoever works in their containers, on Docker and Kubernetes alike. */
describe.skipIf(engine === null)("the image of workspaces", () => {
  let files: string;
  beforeEach(async () => {
    files = await mkdtemp(join(tmpdir(), "codehub-image-"));
    await chmod(files, 0o755);
  });
  afterEach(() => rm(files, { recursive: true }));

  it("has a way to install a project's extensions, and begins with its settings beside ours", async () => {
    await using gallery = await fakeGallery(["tool"]);
    const customizations = {
      vscode: { extensions: ["team.tool"], settings: { "editor.tabSize": 3, "update.mode": "x" } },
    };
    const read = readDevcontainer(JSON.stringify({ customizations }), {
      ...{ workspaceId: "w", home: "/home/coder", folder: ".", environment: {}, images: null, hash },
      largest: { cpus: 1, memoryBytes: 1, storageBytes: 1 },
    });
    if (!read.ok) throw new Error("It cannot be read.");
    for (const { path, content } of setupFiles(NO_KEYS, { plan: read.plan, allowed: true }, { run: "r", hash }))
      await writeFile(join(files, path), content, { mode: 0o644 });
    const begin = `. "$CODEHUB_FILES/${PRELUDE}"; exec /bin/sh /opt/entrypoint.sh`;
    const variables = ["PORT=0", "HOME=/home/coder", "CODEHUB_FILES=/given", `EXTENSIONS_GALLERY=${gallery.settings}`];
    const id = (
      await docker(
        ...["run", "-d", "--init", "--network", "host", "--tmpfs", "/home/coder:uid=1000,mode=0755"],
        ...["-v", `${files}:/given:ro`, ...variables.flatMap((each) => ["-e", each])],
        ...[IDE_IMAGE, "/bin/sh", "-c", begin],
      )
    ).trim();
    try {
      const progress = async () => readMarkers((await docker("logs", id)).split("\n"), "r");
      await expect.poll(async () => (await progress()).isOver, { timeout: 120_000, interval: 500 }).toBe(true);
      const states = (await progress()).steps.map(({ name, state }) => `${name} ${state}`);
      expect(states.sort()).toEqual(["extensions done", "settings done"]);
      const inHome = (command: string) => docker("exec", id, "sh", "-c", `cd ~/.local/share/code-server && ${command}`);
      expect(await inHome("ls extensions")).toContain("team.tool-1.0.0");
      const settings = JSON.parse(await inHome("cat User/settings.json"));
      expect(settings).toMatchObject({ "editor.tabSize": 3, "update.mode": "none", "telemetry.telemetryLevel": "off" });
    } finally {
      await docker("rm", "-f", id);
    }
  });
});
