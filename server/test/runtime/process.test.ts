import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, lstat, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reachableNode } from "#adapters/process/ide-install.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Runtime } from "#ports/runtime.ts";
import { asRoot, mayActAsRoot } from "../root.ts";
import { endAll, forgers } from "../suites/forged-process.ts";
import { ask, runInside } from "./ask.ts";
import { type ProcessHarness, processHarness } from "./process-harness.ts";
import { serverProcess } from "./server-process.ts";

const never = new AbortController().signal;
const SOON = { timeout: 20_000, interval: 20 };

describe("process runtime", () => {
  let harness: ProcessHarness;
  beforeEach(async () => {
    harness = await processHarness();
  });
  afterEach(async () => {
    await harness.close();
  });

  const start = async (ownerId = randomUUID(), on: { runtime: Runtime } = harness): Promise<ContainerSeen> => {
    const { runtime, makeVolume } = { ...harness, ...on };
    const workspaceId = randomUUID();
    const attempt = randomUUID();
    const volume = await makeVolume(workspaceId, attempt);
    const spec = { workspaceId, attempt, volume, imageRef: harness.imageRef, hostPort: null, ownerId };
    const { address } = await runtime.start(spec, never);
    await expect.poll(() => runtime.answers(address), SOON).toBe(true);
    const [container] = await runtime.inspect(workspaceId);
    if (container === undefined) throw new Error("not listed");
    return container;
  };
  const recordOf = (container: ContainerSeen, name: string) =>
    join(harness.dataDir, "run", container.workspaceId, name);
  const supervisorOf = async (container: ContainerSeen): Promise<{ pid: number; startTicks: string }> =>
    JSON.parse(await readFile(recordOf(container, "started.json"), "utf8")).supervisor;
  const isThere = (pid: number) =>
    stat(`/proc/${pid}/exe`).then(
      () => true,
      () => false,
    );

  it("hints at workspaces only, and not at the folder in which it learns of them", async () => {
    const watching = new AbortController();
    const hints: string[] = [];
    const watch = harness.runtime.watch((id) => hints.push(id), watching.signal);
    const folder = join(harness.dataDir, "run", ".hints");
    const [first, second] = [randomUUID(), randomUUID()];
    await writeFile(join(folder, first), "");
    await expect.poll(() => hints, SOON).toContain(first);
    await chmod(folder, 0o700);
    await writeFile(join(folder, second), "");
    await expect.poll(() => hints, SOON).toContain(second);
    watching.abort();
    await watch;
    expect(new Set(hints)).toEqual(new Set([first, second]));
  });

  it("survives the server that started it, even when that one is killed", async () => {
    const workspaceId = randomUUID();
    const volume = await harness.makeVolume(workspaceId, randomUUID());
    const spec = { workspaceId, attempt: randomUUID(), volume, imageRef: "x", hostPort: null, ownerId: randomUUID() };
    const server = await serverProcess(harness.dataDir, spec);
    const exited = once(server.child, "exit");
    server.child.kill("SIGKILL");
    await exited;
    const later = await harness.make({ deploymentId: server.deploymentId });
    const [container] = await later.inspect(workspaceId);
    expect(container).toMatchObject({ id: server.containerId, state: "running", attempt: spec.attempt, volume });
    await expect.poll(() => container?.address && later.answers(container.address), SOON).toBe(true);
    await later.remove(server.containerId, 5);
    expect(await later.list()).toEqual([]);
  });

  it("is not fooled by a pid that was used again", async () => {
    const container = await start();
    const bystander = spawn("sleep", ["1000"], { stdio: "ignore" });
    const { pid } = await supervisorOf(container);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isThere(pid), SOON).toBe(false);
    const path = recordOf(container, "started.json");
    const started = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ supervisor: { ...started.supervisor, pid: bystander.pid } }));
    expect(await harness.runtime.inspect(container.workspaceId)).toMatchObject([{ state: "exited", address: null }]);
    await harness.runtime.remove(container.id, 5);
    expect(bystander.exitCode).toBeNull();
    expect(bystander.pid && (await isThere(bystander.pid))).toBe(true);
    bystander.kill();
  });

  it("counts nothing from before a reboot as running", async () => {
    const container = await start();
    const path = recordOf(container, "started.json");
    const original = await readFile(path, "utf8");
    const { supervisor } = JSON.parse(original);
    await writeFile(path, JSON.stringify({ supervisor: { ...supervisor, bootId: randomUUID() } }));
    expect(await harness.runtime.inspect(container.workspaceId)).toMatchObject([{ state: "exited" }]);
    await writeFile(path, original);
  });

  it("tells a killed program by its code, and leaves nothing that it started", async () => {
    const container = await start();
    const daemon = Number(await ask(container, "/daemon"));
    expect(await isThere(daemon)).toBe(true);
    await runInside(container, "kill -9 $PPID").catch(() => undefined);
    await expect
      .poll(() => harness.runtime.inspect(container.workspaceId), SOON)
      .toMatchObject([{ state: "exited", exitCode: 137 }]);
    expect(await isThere(daemon)).toBe(false);
  });

  it("removes what left the group, the session and its parent", async () => {
    const container = await start();
    await ask(container, "/ignore-stop");
    const daemon = Number(await ask(container, "/daemon"));
    // Without its environment it is known by its account only, so this needs accounts.
    const hiding = asRoot ? "setsid env -i sleep 1000" : "setsid sleep 1000";
    const hidden = Number((await runInside(container, `${hiding} >/dev/null 2>&1 & echo $!`)).text);
    await expect.poll(async () => (await isThere(hidden)) && (await isThere(daemon)), SOON).toBe(true);
    await harness.runtime.remove(container.id, 0);
    expect([await isThere(hidden), await isThere(daemon)]).toEqual([false, false]);
    expect(await readdir(join(harness.dataDir, "s"))).toEqual([]);
  });

  it("keeps the log within its bounds, whatever is printed", async () => {
    const container = await start();
    await ask(container, "/print", { lines: "400000" });
    const sizes = async () =>
      Promise.all(["log", "log.1"].map((name) => stat(recordOf(container, name)).then((info) => info.size)));
    await expect
      .poll(() => harness.runtime.logs(container.id, 1).then((text) => text.trim()), SOON)
      .toBe("line 400000");
    for (const size of await sizes()) expect(size).toBeLessThanOrEqual(1024 * 1024);
  });

  it("says why a program could not be started", async () => {
    const ide = { command: () => ["/nowhere/ide"] };
    const broken = await harness.make({ ide, rooms: false });
    await expect(start(randomUUID(), { runtime: broken })).rejects.toThrow(/could not be started/);
  });

  it("says in the log why a program could not be started in its room", async ({ skip }) => {
    if (!asRoot) return skip("there are no rooms without root");
    const broken = await harness.make({ ide: { command: () => ["/nowhere/ide"] } });
    const workspaceId = randomUUID();
    const volume = await harness.makeVolume(workspaceId, randomUUID());
    const spec = { workspaceId, attempt: randomUUID(), volume, imageRef: "x", hostPort: null, ownerId: randomUUID() };
    const { containerId } = await broken.start(spec, never);
    await expect.poll(() => broken.inspect(workspaceId), SOON).toMatchObject([{ state: "exited", exitCode: 127 }]);
    expect(await broken.logs(containerId, 10)).toContain("/nowhere/ide");
  });

  it("gives workspaces nothing of the server's environment", async () => {
    process.env["DATABASE_URL"] = "postgres://secret@localhost/codehub";
    const { text } = await runInside(await start(), "env");
    delete process.env["DATABASE_URL"];
    expect(text).not.toContain("secret");
    expect(text).toContain("HOME=");
  });

  it("keeps the path of a home when its volume changes", async () => {
    const first = await start();
    const { text: before } = await runInside(first, "cd && pwd && touch here");
    await harness.runtime.remove(first.id, 5);
    const attempt = randomUUID();
    const volume = await harness.makeVolume(first.workspaceId, attempt);
    const spec = {
      workspaceId: first.workspaceId,
      attempt,
      volume,
      imageRef: "x",
      hostPort: null,
      ownerId: randomUUID(),
    };
    const { address } = await harness.runtime.start(spec, never);
    await expect.poll(() => harness.runtime.answers(address), SOON).toBe(true);
    const [second] = await harness.runtime.inspect(first.workspaceId);
    const { text: after } = await runInside(second as ContainerSeen, "cd && pwd && ls");
    expect(after).toBe(before);
  });

  it("listens where only the server's and the workspace's account may connect", async () => {
    const { address } = await start();
    if (address?.kind !== "unix") throw new Error("expected a socket");
    expect((await lstat(address.path)).mode & 0o777).toBe(0o600);
    expect(Buffer.byteLength(address.path)).toBeLessThan(107);
  });

  it("puts sockets elsewhere when the data directory's path is too long for one", async () => {
    const deep = await processHarness({}, "x".repeat(80));
    const address = (await start(randomUUID(), deep)).address;
    expect(address?.kind === "unix" && Buffer.byteLength(address.path)).toBeLessThan(107);
    await deep.close();
  });

  describe.runIf(mayActAsRoot("workspaces under accounts of their own"))("run by root", () => {
    it("gives every owner an account of his own and keeps it", async () => {
      const [anna, ben] = [randomUUID(), randomUUID()];
      const ids = [];
      for (const owner of [anna, ben, anna]) ids.push((await runInside(await start(owner), "id -u")).text.trim());
      expect(ids[0]).toBe(ids[2]);
      expect(ids[0]).not.toBe(ids[1]);
      expect(Number(ids[0])).toBeGreaterThanOrEqual(20_000);
      const later = await harness.make();
      expect((await runInside(await start(ben, { runtime: later }), "id -u")).text.trim()).toBe(ids[1]);
    });

    it("lets nobody read the data directory, another home, its records or its socket", async () => {
      const [mine, other] = [await start(), await start()];
      const otherHome = join(harness.dataDir, "volumes", other.volume ?? "", "home");
      const otherSocket = other.address?.kind === "unix" ? other.address.path : "";
      const node = await reachableNode(harness.dataDir);
      expect(await runInside(mine, `${node} --version`)).toMatchObject({ code: 0 });
      for (const command of [
        `ls ${harness.dataDir}`,
        `ls ${harness.dataDir}/volumes`,
        `ls ${harness.dataDir}/run`,
        `ls ${harness.dataDir}/homes/${other.workspaceId}/`,
        `cat ${harness.dataDir}/volumes/${mine.volume}/.codehub/volume-id`,
        `cat ${harness.dataDir}/process-accounts.json`,
        `ls ${otherHome}`,
        `cat /proc/${process.pid}/environ`,
        `${node} -e "require('net').connect('${otherSocket}').on('error', () => process.exit(1))"`,
      ]) {
        expect(await runInside(mine, command), command).not.toMatchObject({ code: 0 });
      }
      expect(await runInside(mine, "cd && touch mine && ls")).toMatchObject({ code: 0 });
    });

    it("is not led to another socket by a link in place of the workspace's own", async () => {
      const privileged = createServer((_, response) => response.end("root's"));
      const path = join(harness.dataDir, "root.sock");
      privileged.listen(path);
      await once(privileged, "listening");
      await chmod(path, 0o600);
      const container = await start();
      await runInside(
        container,
        `cd $XDG_RUNTIME_DIR && rm ide.sock && ln -s ${path} ide.sock && ln ${path} other.sock; sleep 0.2`,
      );
      expect(await ask(container, "/healthz")).toBe("ok");
      expect((await runInside(container, `ln -sf ${path} $XDG_RUNTIME_DIR/../ide.sock`)).code).not.toBe(0);
      privileged.close();
    });

    it("neither ends nor waits for another account's process that claims to be a container's", async () => {
      const container = await start();
      const { deployment } = JSON.parse(await readFile(recordOf(container, "container.json"), "utf8"));
      const forged = await forgers(harness.dataDir, { CODEHUB_CONTAINER: `${deployment}/${container.id}` });
      await harness.runtime.remove(container.id, 0);
      for (const process of forged) expect(process.signalCode).toBeNull();
      await endAll(forged);
    });

    it("leads each owner's port link to his own program, though both listen on the same port", async () => {
      const [mine, other] = [await start(), await start()];
      const port = await ask(mine, "/listen", { host: "::" });
      await ask(other, "/listen", { host: "127.0.0.1", port });
      for (const container of [mine, other]) {
        const address = await harness.runtime.portAddress(container.id, Number(port));
        expect(await ask({ address }, "/")).toBe(`uid ${(await runInside(container, "id -u")).text.trim()}`);
      }
      await ask(mine, "/quiet");
      expect(await harness.runtime.portAddress(mine.id, Number(port))).toBeNull();
    });

    it("takes over homes that belonged to somebody else, links inside them untouched", async () => {
      const workspaceId = randomUUID();
      const attempt = randomUUID();
      const volume = await harness.makeVolume(workspaceId, attempt);
      const home = join(harness.dataDir, "volumes", volume, "home");
      const victim = join(harness.dataDir, "victim");
      await writeFile(victim, "x");
      await writeFile(join(home, "file"), "x");
      spawn("ln", ["-s", victim, join(home, "link")]);
      await expect
        .poll(
          () =>
            lstat(join(home, "link")).then(
              () => true,
              () => false,
            ),
          SOON,
        )
        .toBe(true);
      const spec = { workspaceId, attempt, volume, imageRef: "x", hostPort: null, ownerId: randomUUID() };
      await harness.runtime.start(spec, never);
      const uid = (await lstat(home)).uid;
      expect(uid).toBeGreaterThanOrEqual(20_000);
      expect((await lstat(join(home, "file"))).uid).toBe(uid);
      expect((await lstat(join(home, "link"))).uid).toBe(uid);
      expect((await lstat(victim)).uid).toBe(0);
    });
  });

  it("leaves nothing in memory of a container whose server and supervisor were killed", async ({ skip }) => {
    const without = await harness.make({ rooms: false });
    if (!without.takes.files) return skip("nothing here is backed by memory alone");
    const spec = {
      ...{ workspaceId: randomUUID(), attempt: randomUUID(), imageRef: "x", hostPort: null, ownerId: randomUUID() },
      files: [{ path: "keys/key", mode: 0o400, content: Buffer.from("k") }],
      init: { command: ["sleep", "1000"], limitSeconds: 1_000 },
    };
    const volume = await harness.makeVolume(spec.workspaceId, spec.attempt);
    const { containerId } = await without.start({ ...spec, volume }, never);
    const [container] = await harness.runtime.inspect(spec.workspaceId);
    if (container === undefined) throw new Error("not listed");
    const { memoryDir } = JSON.parse(await readFile(recordOf(container, "container.json"), "utf8"));
    const there = (): Promise<string[]> => readdir(join(memoryDir, "..")).catch(() => []);
    expect(await there()).toEqual([basename(memoryDir)]);
    // One of another container, which its server had no time to record, or which was removed in half.
    await mkdir(join(memoryDir, "../0123456789ab/files"), { recursive: true });
    process.kill((await supervisorOf(container)).pid, "SIGKILL");
    await expect.poll(() => harness.runtime.inspect(spec.workspaceId), SOON).toMatchObject([{ state: "exited" }]);
    const later = await harness.restarted();
    expect(await there()).toEqual([basename(memoryDir)]);
    await later.remove(containerId, 0);
    expect(await there()).toEqual([]);
  });

  it("refuses with a failure that the coordinator can judge", async () => {
    const spec = {
      workspaceId: randomUUID(),
      attempt: randomUUID(),
      volume: "none",
      imageRef: "x",
      hostPort: null,
      ownerId: "o",
    };
    await expect(harness.runtime.start(spec, never)).rejects.toBeInstanceOf(OperationFailure);
  });
});
