import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IdeInstall } from "#adapters/process/ide-install.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { StartWaiting } from "#ports/runtime.ts";
import { ask } from "./ask.ts";
import { cacheDir } from "./cache-dir.ts";
import { type ProcessHarness, processHarness } from "./process-harness.ts";

const never = new AbortController().signal;
const SETTINGS = "home/.local/share/code-server/User/settings.json";

/** The real IDE. It is installed once for a machine: some 600 MB from the network. */
describe("process runtime with code-server", () => {
  let harness: ProcessHarness;
  beforeAll(async () => {
    harness = await processHarness({ ide: undefined, ideDir: await cacheDir("ide") });
    await harness.runtime.ensureImage("codehub/code-server", () => {}, never);
  }, 900_000);
  afterAll(async () => {
    await harness?.close();
  });

  const start = async (prepare: (volume: string) => Promise<void> = async () => {}): Promise<ContainerSeen> => {
    const { runtime } = harness;
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const name = await harness.makeVolume(workspaceId, attempt);
    await prepare(join(harness.dataDir, "volumes", name));
    const spec = { workspaceId, attempt, volume: name, imageRef: "codehub/code-server", hostPort: null };
    const { address } = await runtime.start({ ...spec, ownerId: randomUUID() }, never);
    await expect.poll(() => runtime.answers(address), { timeout: 60_000, interval: 50 }).toBe(true);
    const [container] = await runtime.inspect(workspaceId);
    if (container === undefined) throw new Error("not listed");
    return container;
  };

  it("serves the editor, quietly set up, and ends when asked to", async () => {
    const container = await start();
    expect(await ask(container, "/", { folder: harness.dataDir })).toContain("workbench");
    const settings = await readFile(join(harness.dataDir, "volumes", container.volume ?? "", SETTINGS), "utf8");
    expect(JSON.parse(settings)).toMatchObject({ "telemetry.telemetryLevel": "off", "chat.disableAIFeatures": true });
    expect(await harness.runtime.logs(container.id, 500)).toContain("listening on");
    const later = await harness.restarted();
    expect(await later.inspect(container.workspaceId)).toEqual([container]);
    await later.remove(container.id, 10);
    expect(await later.list()).toEqual([]);
  });

  it("has the files that the editor's page asks for, byte by byte as the editor itself serves them", async () => {
    const container = await start();
    const page = await ask(container, "/", { folder: harness.dataDir });
    const paths = [...page.matchAll(/(?:src|href)="(stable-[^"]+\.(?:js|css))"/g)].map(([, path]) => `/${path}`);
    expect(paths.length).toBeGreaterThan(2);
    for (const path of new Set(paths)) {
      const served = await ask(container, path);
      const file = await harness.runtime.ideFiles?.find(path, new Set(["zstd"]));
      if (file === null || file === undefined) throw new Error(`${path} was not found`);
      expect(zstdDecompressSync(await buffer(file.open())).toString() === served).toBe(true);
    }
    await harness.runtime.remove(container.id, 10);
  });

  it("leaves settings that are there already as they are", async () => {
    const mine = '{ "editor.fontSize": 19 }\n';
    const container = await start(async (volume) => {
      await mkdir(join(volume, SETTINGS, ".."), { recursive: true });
      await writeFile(join(volume, SETTINGS), mine);
    });
    expect(await readFile(join(harness.dataDir, "volumes", container.volume ?? "", SETTINGS), "utf8")).toBe(mine);
    await harness.runtime.remove(container.id, 10);
  });
});

describe("installing code-server", () => {
  it("fails with the reason when the registry cannot be reached, leaves nothing half-done, and can be given up", async () => {
    const dir = await mkdtemp(join(tmpdir(), "codehub-ide-"));
    const changed = { npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0", npm_config_cache: dir };
    Object.assign(process.env, changed);
    try {
      const install = new IdeInstall(join(dir, "ide"));
      const steps: StartWaiting[] = [];
      const first = install.ensure((step) => steps.push(step), never);
      const impatient = new AbortController();
      const second = install.ensure(() => {}, impatient.signal);
      impatient.abort(new Error("enough"));
      await expect(second).rejects.toThrow("enough");
      await expect(first).rejects.toMatchObject({ reason: "ImagePullFailed" });
      expect(steps[0]).toEqual({
        code: "installing",
        fields: { done_bytes: expect.any(Number), total_bytes: 620_000_000, message: "Fetching code-server" },
        since: expect.any(Number),
      });
      await expect(install.ensure(() => {}, never)).rejects.toThrow(/registry cannot be reached/);
      expect(await install.find()).toBeNull();
      expect((await readdir(join(dir, "ide"))).filter((name) => !name.startsWith("."))).toEqual([]);
    } finally {
      for (const name of Object.keys(changed)) delete process.env[name];
      await rm(dir, { recursive: true, force: true });
    }
  });
});
