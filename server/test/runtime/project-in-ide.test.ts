import { createHash, randomUUID } from "node:crypto";
import { access, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_KEYS, PRELUDE, setupFiles } from "#coordinator/setup-files.ts";
import { withSurroundings } from "#coordinator/surroundings.ts";
import { readDevcontainer } from "#core/setup/devcontainer.ts";
import { readMarkers } from "#core/setup/markers.ts";
import { readOutput } from "#core/setup/output.ts";
import { type FakeGallery, fakeGallery } from "../setup/fake-gallery.ts";
import { cacheDir } from "./cache-dir.ts";
import { type ProcessHarness, processHarness } from "./process-harness.ts";

const never = new AbortController().signal;
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const IDE = "home/.local/share/code-server";

/** What a devcontainer.json asks for, as the coordinator gives it to a start. */
function given(file: object, gallery: string, attempt: string, takes: ProcessHarness["runtime"]["takes"]) {
  const context = { workspaceId: "w", home: "/home/coder", folder: ".", environment: {}, images: null, hash };
  const read = readDevcontainer(JSON.stringify(file), {
    ...context,
    largest: { cpus: 1, memoryBytes: 1, storageBytes: 1 },
  });
  if (!read.ok) throw new Error("It cannot be read.");
  const files = setupFiles(NO_KEYS, { plan: read.plan, allowed: true }, { run: attempt, hash });
  const around = {
    certificates: null,
    httpProxy: null,
    httpsProxy: null,
    noProxy: [],
    gallery,
    hostKeys: { known: null, arePinned: false },
  };
  return withSurroundings({ files, prelude: PRELUDE }, around, takes);
}

/** With the real IDE, and a gallery that has one of two extensions. */
describe("a project's extensions and settings", () => {
  let harness: ProcessHarness;
  let gallery: FakeGallery;
  beforeAll(async () => {
    gallery = await fakeGallery(["tool"]);
    harness = await processHarness({ ide: undefined, ideDir: await cacheDir("ide") });
    await harness.runtime.ensureImage("codehub/code-server", () => {}, never);
  }, 900_000);
  afterAll(async () => {
    await harness?.close();
    await gallery?.[Symbol.asyncDispose]();
  });

  it("come into the IDE; one that the gallery does not have is named and keeps nothing else from coming", async ({
    skip,
  }) => {
    const { runtime } = harness;
    if (!runtime.takes.files || !runtime.takes.prelude) skip("files of a start need memory that they can be kept in");
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    const inHome = (...path: string[]) => join(harness.dataDir, "volumes", volume, IDE, ...path);
    const file = {
      customizations: {
        vscode: {
          extensions: ["team.missing", "team.tool"],
          settings: { "editor.tabSize": 3, "update.mode": "manual" },
        },
      },
      postStartCommand: "echo ran",
    };
    const start = async (project: object) => {
      const spec = { workspaceId, attempt, volume, imageRef: "codehub/code-server", hostPort: null };
      const extras = given(project, gallery.settings, attempt, runtime.takes);
      const { containerId, address } = await runtime.start({ ...spec, ...extras, ownerId: workspaceId }, never);
      const lines = async () => (await runtime.logs(containerId, 2_000)).split("\n");
      const steps = async () => readMarkers(await lines(), attempt);
      await expect.poll(async () => (await steps()).isOver, { timeout: 60_000, interval: 200 }).toBe(true);
      await expect.poll(() => runtime.answers(address), { timeout: 60_000 }).toBe(true);
      const states = (await steps()).steps.map(({ name, state }) => `${name} ${state}`).sort();
      const { head } = readOutput(await lines(), attempt, "extensions", (data) => Buffer.from(data, "base64"));
      await runtime.remove(containerId, 5);
      return { states, said: Buffer.from(head).toString() };
    };

    const first = await start(file);
    expect(first.states).toEqual(["extensions partly", "postStart done", "settings done"]);
    expect(first.said).toContain("Extension 'team.missing' not found.");
    expect(first.said).toContain("Extension 'team.tool' v1.0.0 was successfully installed.");
    expect(first.said).toContain("Not installed, tried again at the next start: team.missing\n");
    expect(first.said).not.toContain("bindings file");
    expect(await readdir(inHome("extensions"))).toContain("team.tool-1.0.0");
    const settings = JSON.parse(await readFile(inHome("User/settings.json"), "utf8"));
    // Its own beside our defaults, and not over them.
    expect(settings).toMatchObject({ "editor.tabSize": 3, "update.mode": "none", "telemetry.telemetryLevel": "off" });

    const before = gallery.asked.length;
    const second = await start(file);
    expect(second.states).toEqual(["extensions partly", "postStart done", "settings already"]);
    // What is there is not got again.
    expect(gallery.asked.slice(before).join("\n")).not.toContain("VSIXPackage");
    const { vscode } = file.customizations;
    const third = await start({ customizations: { vscode: { ...vscode, extensions: ["team.tool"] } } });
    expect(third.states).toEqual(["extensions done", "settings already"]);
    await access(inHome("..", "..", "state/codehub/log/extensions.log"));
  });
});
