import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { Engine } from "#adapters/docker/engine.ts";
import { VolumeFolders } from "#adapters/docker/volume-folders.ts";
import { volumeName } from "#core/rows/names.ts";
import { volumesPath } from "./docker-data-plane.ts";
import { dockerHarness } from "./docker-harness.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("volumes' folders on an engine of this machine", () => {
  it("takes no container to make a home, to give it an identity and to read it, and makes it as a job would", async () => {
    const made = [];
    for (const folders of [true, false]) {
      const harness = await dockerHarness(host ?? "", { folders });
      onTestFinished(harness.close);
      const begun = Date.now();
      const [workspaceId, attempt] = [randomUUID(), randomUUID()];
      const name = await harness.makeVolume(workspaceId, attempt);
      expect(name).toBe(volumeName(workspaceId, attempt));
      expect(await containersMadeSince(harness.engine, begun)).toBe(folders ? 0 : 2);
      made.push(await shapeOf(join(await volumesPath(harness), name, "_data")));
    }
    expect(made[0]).toEqual(made[1]);
  });

  it("leaves nothing of its trial", async () => {
    const harness = await dockerHarness(host ?? "");
    onTestFinished(harness.close);
    await harness.makeVolume(randomUUID(), randomUUID());
    const { Volumes } = await harness.engine.need<{ Volumes: { Name: string }[] }>("GET", "/volumes");
    expect(Volumes.filter(({ Name }) => Name.startsWith("codehub-trial-"))).toEqual([]);
  });
});

describe.skipIf(host === null)("whether the engine's files are here", () => {
  it("is so where a new volume's folder comes and goes", async () => {
    const { folders, folder } = await standIn({ makes: true, removes: true });
    expect(await folders.find({ Mountpoint: folder })).toBe(folder);
    expect(await folders.find({ Mountpoint: join(folder, "absent") })).toBeNull();
  });

  it("is not where no folder comes: the engine has other files than this process", async () => {
    const { folders, folder } = await standIn({ makes: false, removes: true });
    expect(await folders.find({ Mountpoint: folder })).toBeNull();
  });

  it("is not where a folder was there anyway and stays", async () => {
    const { folders, folder } = await standIn({ makes: true, removes: false });
    expect(await folders.find({ Mountpoint: folder })).toBeNull();
  });

  it("is not where the engine maps accounts: a home would be another one's", async () => {
    const { folders, folder } = await standIn({ makes: true, removes: true, owner: 100_000 });
    expect(await folders.find({ Mountpoint: folder })).toBeNull();
  });
});

/** How many containers the engine has made, as its events tell, of which it keeps the newest few hundred. */
async function containersMadeSince(engine: Engine, begun: number): Promise<number> {
  const query = {
    since: (begun / 1_000).toFixed(3),
    until: String(Math.ceil(Date.now() / 1_000) + 1),
    filters: JSON.stringify({ type: ["container"], event: ["create"] }),
  };
  // It is told to end in a second; what has happened comes at once.
  const stream = await engine.stream("GET", "/events", { query, signal: AbortSignal.timeout(10_000) });
  let text = "";
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString("utf8");
  return text.split("\n").filter((line) => line !== "").length;
}

async function shapeOf(folder: string): Promise<object> {
  const names = (await readdir(folder, { recursive: true })).sort();
  const shapes = await Promise.all(
    ["", ...names].map(async (name) => {
      const { mode, uid, gid } = await stat(join(folder, name));
      return { name, mode: mode.toString(8), uid, gid };
    }),
  );
  return shapes;
}

/** An engine of which nothing is real but what it says about volumes, and one folder that is there all the time. */
async function standIn({ makes, removes, owner = 0 }: { makes: boolean; removes: boolean; owner?: number }) {
  const dir = await mkdtemp(join(tmpdir(), "chvf-"));
  const [trial, folder] = [join(dir, "trial"), join(dir, "other")];
  await mkdir(folder);
  await chmod(dir, 0o700);
  const server = createServer(async (request, response) => {
    request.resume();
    if (request.url === "/version") return response.end(JSON.stringify({ ApiVersion: "1.41" }));
    if (request.method === "POST" && makes) {
      await mkdir(trial);
      await chown(trial, owner, owner);
    }
    if (request.method === "DELETE" && removes) await rm(trial, { recursive: true, force: true });
    return response.end(JSON.stringify({ Mountpoint: trial }));
  });
  server.listen(join(dir, "socket"));
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await rm(dir, { recursive: true, force: true });
  });
  const engine = new Engine({ host: `unix://${dir}/socket` });
  return { folders: new VolumeFolders(engine, randomUUID()), folder };
}
