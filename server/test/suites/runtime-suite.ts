import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { ContainerSeen } from "#core/rows/observation.ts";
import { USAGE_GAPS } from "#core/rules/usage.ts";
import type { Runtime, StartSpec } from "#ports/runtime.ts";
import type { StartExtra, StartExtras } from "#ports/start-extras.ts";

/** A runtime under test, and the hands to move what the port does not: volumes, and the program inside a workspace. */
export interface RuntimeHarness {
  readonly runtime: Runtime;
  /** The same engine seen by a server that has just started. */
  readonly restarted: () => Promise<Runtime>;
  /** The same engine seen by another deployment. */
  readonly stranger: () => Promise<Runtime>;
  readonly imageRef: string;
  /** A finished volume; without an identity when `sealed` is false. */
  readonly makeVolume: (workspaceId: string, attempt: string, sealed?: boolean) => Promise<string>;
  readonly volumeExists: (name: string) => Promise<boolean>;
  /** A port nobody uses, for runtimes with host ports. */
  readonly hostPort: () => Promise<number | null>;
  /** The program inside ends by itself with this code. */
  readonly exit: (container: ContainerSeen, code: number) => Promise<void>;
  /** The program inside does not end when asked to. */
  readonly ignoreStop?: (container: ContainerSeen) => Promise<void>;
  /** The program inside uses more memory than it may; left out where nothing bounds it. */
  readonly exhaust?: (container: ContainerSeen) => Promise<void>;
  /** What a command prints that the program inside runs. */
  readonly say?: (container: ContainerSeen, command: string) => Promise<string>;
  /** The program inside prints this many lines, `line 1` and so on. */
  readonly print?: (container: ContainerSeen, lines: number) => Promise<void>;
  /** The program inside listens on a TCP port of its own choice: on every address, or on this one alone. */
  readonly listen?: (container: ContainerSeen, host?: string) => Promise<number>;
  /** Where the engine keeps this text about the container, on its disk or for whoever asks it. */
  readonly traces?: (container: ContainerSeen, text: string) => Promise<readonly string[]>;
  /** The name of that program, where the engine shows it. */
  readonly program?: string;
  /** It stops to listen on all of them. */
  readonly quiet?: (container: ContainerSeen) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What every runtime promises. */
export function runtimeSuite(name: string, make: () => Promise<RuntimeHarness>): void {
  describe(`runtime: ${name}`, () => {
    let harness: RuntimeHarness;
    beforeAll(async () => {
      harness = await make();
    });
    afterAll(async () => {
      await harness?.close();
    });

    const never = new AbortController().signal;
    const specFor = async (change: Partial<StartSpec> = {}): Promise<StartSpec> => {
      const workspaceId = change.workspaceId ?? randomUUID();
      const attempt = randomUUID();
      const volume = change.volume ?? (await harness.makeVolume(workspaceId, attempt));
      const { imageRef } = harness;
      return { workspaceId, attempt, volume, imageRef, hostPort: await harness.hostPort(), ownerId: OWNER, ...change };
    };
    /** Starts one and waits until it answers. */
    const running = async (change: Partial<StartSpec> = {}): Promise<ContainerSeen> => {
      const spec = await specFor(change);
      const { address } = await harness.runtime.start(spec, never);
      await soon(async () => expect(await harness.runtime.answers(address)).toBe(true));
      return await only(harness.runtime, spec.workspaceId);
    };

    it("starts a workspace on its volume, lists it with its labels, and it answers where it says", async () => {
      const spec = await specFor();
      const started = await harness.runtime.start(spec, never);
      await soon(async () => expect(await harness.runtime.answers(started.address)).toBe(true));
      const seen = await only(harness.runtime, spec.workspaceId);
      expect(seen).toEqual({
        id: started.containerId,
        workspaceId: spec.workspaceId,
        volume: spec.volume,
        attempt: spec.attempt,
        state: "running",
        address: started.address,
        exitCode: null,
      });
      const listed = await harness.runtime.list();
      expect(listed.filter((one) => one.workspaceId === spec.workspaceId)).toEqual([seen]);
      await harness.runtime.remove(started.containerId, 5);
    });

    it("refuses to start without its volume, and makes none", async () => {
      const workspaceId = randomUUID();
      const spec = await specFor({ workspaceId, volume: `ws-${workspaceId}-home-00000000` });
      await expect(harness.runtime.start(spec, never)).rejects.toThrow(spec.volume);
      expect(await harness.runtime.inspect(workspaceId)).toEqual([]);
      expect(await harness.volumeExists(spec.volume)).toBe(false);
    });

    it("refuses a volume that was never finished, and one that is another workspace's", async () => {
      const workspaceId = randomUUID();
      const unfinished = await harness.makeVolume(workspaceId, randomUUID(), false);
      await expect(harness.runtime.start(await specFor({ workspaceId, volume: unfinished }), never)).rejects.toThrow();
      const foreign = await harness.makeVolume(randomUUID(), randomUUID());
      await expect(harness.runtime.start(await specFor({ workspaceId, volume: foreign }), never)).rejects.toThrow();
      expect(await harness.runtime.inspect(workspaceId)).toEqual([]);
    });

    it("refuses a second container of a workspace and leaves the first one alone", async () => {
      const first = await running();
      const again = await specFor({ workspaceId: first.workspaceId, ...(first.volume && { volume: first.volume }) });
      await expect(harness.runtime.start(again, never)).rejects.toThrow();
      expect(await harness.runtime.inspect(first.workspaceId)).toEqual([first]);
      await harness.runtime.remove(first.id, 5);
    });

    it("tells that a workspace ended by itself, with its code, hints at it, and still shows it on its volume", async () => {
      const watching = new AbortController();
      const hints: string[] = [];
      const watch = harness.runtime.watch((id) => hints.push(id), watching.signal);
      const container = await running();
      await harness.exit(container, 7);
      await soon(async () => expect(hints).toContain(container.workspaceId));
      const ended = { ...container, state: "exited", address: null, exitCode: 7 };
      await soon(async () => expect(await harness.runtime.inspect(container.workspaceId)).toEqual([ended]));
      expect((await harness.runtime.list()).find((one) => one.id === container.id)).toEqual(ended);
      watching.abort();
      await watch;
      await harness.runtime.remove(container.id, 5);
    });

    it("has the host name and the variables it was given, and never others in place of its own", async ({ skip }) => {
      const { runtime, say } = harness;
      if (say === undefined) return skip("no program runs in this engine");
      const hostName = `named-${randomUUID().slice(0, 8)}`;
      const text = `two words, 'quotes', $(HOME) $HOME and ünï`;
      const name = runtime.takes.hostName ? { hostName } : {};
      const container = await running({ ...name, env: { CODEHUB_TEXT: text, HOME: "/elsewhere", USER: "root" } });
      expect(await say(container, 'printf %s "$CODEHUB_TEXT"')).toBe(text);
      expect(await say(container, 'printf %s "$USER"')).toBe("coder");
      expect(await say(container, 'printf %s "$HOME"')).not.toBe("/elsewhere");
      const named = (await say(container, "cat /proc/sys/kernel/hostname")).trim();
      if (runtime.takes.hostName) expect(named).toBe(hostName);
      await runtime.remove(container.id, 5);
    });

    it("refuses what it cannot be given, instead of leaving it out", async () => {
      for (const [extra, value] of Object.entries(EXTRAS) as [StartExtra, never][]) {
        if (harness.runtime.takes[extra]) continue;
        const spec = await specFor({ [extra]: value });
        await expect(harness.runtime.start(spec, never), extra).rejects.toThrow(extra);
        expect(await harness.runtime.inspect(spec.workspaceId)).toEqual([]);
      }
    });

    it("uses no more than the size it was given", async ({ skip }) => {
      const { runtime, say } = harness;
      if (say === undefined || !runtime.takes.size) return skip("nothing bounds a workspace here");
      const container = await running({ size: { cpus: 0.4, memoryBytes: 192 * 1024 * 1024 } });
      const first = (...files: string[]): string =>
        files.map((file) => `cat /sys/fs/cgroup/${file} 2> /dev/null`).join(" || ");
      expect((await say(container, first("memory.max", "memory/memory.limit_in_bytes"))).trim()).toBe(
        String(192 * 1024 * 1024),
      );
      expect((await say(container, first("cpu.max", "cpu/cpu.cfs_quota_us"))).split(" ")[0]?.trim()).toBe("40000");
      await runtime.remove(container.id, 5);
    });

    it("has the files it was given in memory alone, for its user alone, until it goes", async ({ skip }) => {
      const { runtime, say, traces } = harness;
      if (say === undefined || traces === undefined || !runtime.takes.files) return skip("it cannot be given files");
      const secret = `secret-${randomUUID()}`;
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const container = await running({
        files: [
          { path: "keys/id_test", mode: 0o600, content: Buffer.from(secret) },
          { path: "bytes", mode: 0o440, content: bytes },
        ],
      });
      const inside = (command: string): Promise<string> =>
        say(container, `cd "$CODEHUB_FILES" && ${command}`).then((text) => text.trim());
      expect(await inside("cat keys/id_test")).toBe(secret);
      expect(await inside("od -An -v -tx1 bytes | tr -d ' \\n'")).toBe(bytes.toString("hex"));
      expect(await inside("find . | sort | tr '\\n' ' '")).toBe(". ./bytes ./keys ./keys/id_test");
      expect(await inside("stat -c '%a' . bytes keys/id_test | tr '\\n' ' '")).toMatch(/^700 440 600$/);
      expect(await inside("stat -c '%u' . bytes keys keys/id_test | sort -u")).toBe(
        await say(container, "id -u").then((id) => id.trim()),
      );
      // By the kernel's table: the last mount on the way to the folder.
      expect(await inside("df -P . | tail -n 1 | cut -d' ' -f1")).toBe("tmpfs");
      expect(await inside('case "$PWD" in "$HOME"*) echo in the home;; esac')).toBe("");
      expect(await traces(container, secret)).toEqual([]);
      const folder = await inside("pwd");
      await runtime.remove(container.id, 5);
      const again = await running({ workspaceId: container.workspaceId, volume: container.volume ?? "" });
      expect(await say(again, `echo "$CODEHUB_FILES"; ls ${folder} 2>&1`)).toMatch(/^\n(.*No such file.*|)\n?$/);
      await runtime.remove(again.id, 5);
    });

    it("runs a step before the IDE, in the workspace's home and with its files", async ({ skip }) => {
      const { runtime, say } = harness;
      if (say === undefined || !runtime.takes.init) return skip("no program runs in this engine");
      const script = `echo "$WORD $(id -u) $(cat "\${CODEHUB_FILES:-/none}/note" 2> /dev/null)" '$(HOME)' > ~/step-was-here`;
      const container = await running({
        init: { command: ["/bin/sh", "-c", script], limitSeconds: 20 },
        env: { WORD: "it's" },
        ...(runtime.takes.files ? { files: [{ path: "note", mode: 0o400, content: Buffer.from("noted") }] } : {}),
      });
      const uid = (await say(container, "id -u")).trim();
      expect(await say(container, "cat ~/step-was-here")).toBe(
        `it's ${uid} ${runtime.takes.files ? "noted" : ""} $(HOME)\n`,
      );
      await runtime.remove(container.id, 5);
    });

    it.each([
      ["fails", ["/bin/sh", "-c", "echo no key for this; exit 3"], { exit_code: 3, message: "no key for this" }],
      ["takes too long", ["/bin/sh", "-c", "echo waits; sleep 600"], { limit_seconds: 2, message: "waits" }],
    ])("has ended, with the reason as data, when that step %s", async (_, command, fields) => {
      const { runtime } = harness;
      if (!runtime.takes.init) return;
      const spec = await specFor({ init: { command, limitSeconds: 2 } });
      const { address } = await runtime.start(spec, never);
      const ended = { code: "init_failed", fields };
      await soon(async () =>
        expect(await only(runtime, spec.workspaceId)).toMatchObject({ state: "exited", exitCode: 93, ended }),
      );
      expect(await runtime.answers(address)).toBe(false);
      const { id } = await only(runtime, spec.workspaceId);
      expect((await runtime.list()).find((one) => one.id === id)?.ended).toEqual(ended);
      await runtime.remove(id, 5);
      expect(await runtime.inspect(spec.workspaceId)).toEqual([]);
    });

    it("reads a prelude into what becomes the IDE: its variables are the IDE's, and what it left running goes on", async ({
      skip,
    }) => {
      const { runtime, say } = harness;
      if (say === undefined || !runtime.takes.prelude) return skip("it cannot be given a prelude");
      const prelude = [
        `export FROM_PRELUDE="it's $(cat "$CODEHUB_FILES/word")"`,
        '(while :; do sleep 1; done) & echo $! > "$CODEHUB_FILES/pid"',
        "set -- other arguments",
      ].join("\n");
      const container = await running({
        files: [file("prelude", prelude), file("word", "secret")],
        prelude: "prelude",
        init: { command: ["/bin/sh", "-c", 'echo "$FROM_PRELUDE." > ~/init-saw'], limitSeconds: 20 },
      });
      expect(await say(container, 'printf %s "$FROM_PRELUDE"')).toBe("it's secret");
      // The parent of what the IDE runs is the IDE, and no shell is left between it and its container.
      expect(await say(container, "tr '\\0' '\\n' < /proc/$PPID/environ | grep ^FROM_PRELUDE=")).toBe(
        "FROM_PRELUDE=it's secret\n",
      );
      expect(await say(container, 'kill -0 "$(cat "$CODEHUB_FILES/pid")" && echo lives')).toBe("lives\n");
      expect(await say(container, "cat ~/init-saw")).toBe(".\n");
      await runtime.remove(container.id, 5);
    });

    it.each(["exit 3", "set -e; false", "if (", "return 4"])(
      "begins although its prelude failed, and says so in the log: %s",
      async (script) => {
        const { runtime, say } = harness;
        if (say === undefined || !runtime.takes.prelude) return;
        const files = [file("env/prelude", `export BEFORE=there\n${script}\n`)];
        const container = await running({ files, prelude: "env/prelude" });
        // A shell that reads a whole file before it runs it has seen nothing of one with a mistake.
        expect(["", "there"]).toContain(await say(container, 'printf %s "$BEFORE"'));
        await soon(async () => expect(await runtime.logs(container.id, 50)).toMatch(/the prelude ended with code \d+/));
        await runtime.remove(container.id, 5);
      },
    );

    it("tells that a workspace was ended because it used more memory than it may", async ({ skip }) => {
      if (harness.exhaust === undefined) return skip("nothing bounds the memory of a workspace here");
      const container = await running();
      await harness.exhaust(container);
      await soon(async () =>
        expect(await only(harness.runtime, container.workspaceId)).toMatchObject({
          state: "exited",
          exitCode: 137,
          ended: { code: "out_of_memory" },
        }),
      );
      const listed = (await harness.runtime.list()).find((one) => one.id === container.id);
      expect(listed?.ended?.code).toBe("out_of_memory");
      await harness.runtime.remove(container.id, 5);
    });

    it("removes by id until it is gone, again and again, and never the volume", async () => {
      const container = await running();
      await harness.runtime.remove(container.id, 10);
      expect(await harness.runtime.inspect(container.workspaceId)).toEqual([]);
      expect(container.address && (await harness.runtime.answers(container.address))).toBe(false);
      await harness.runtime.remove(container.id, 10);
      expect(await harness.volumeExists(container.volume ?? "")).toBe(true);
      // The name is free again, and the same home can be started.
      const again = await running({ workspaceId: container.workspaceId, volume: container.volume ?? "" });
      await harness.runtime.remove(container.id, 10);
      expect(await harness.runtime.inspect(container.workspaceId)).toEqual([again]);
      await harness.runtime.remove(again.id, 10);
    });

    it("forces what does not end in its grace", async ({ skip }) => {
      if (harness.ignoreStop === undefined) return skip("no program runs in this engine");
      const container = await running();
      await harness.ignoreStop(container);
      await harness.runtime.remove(container.id, 1);
      expect(await harness.runtime.inspect(container.workspaceId)).toEqual([]);
    });

    it("finds everything again after the server was restarted", async () => {
      const container = await running();
      const later = await harness.restarted();
      expect(await later.engineId()).toBe(await harness.runtime.engineId());
      expect(await later.inspect(container.workspaceId)).toEqual([container]);
      expect(container.address && (await later.answers(container.address))).toBe(true);
      await later.remove(container.id, 5);
      expect(await harness.runtime.inspect(container.workspaceId)).toEqual([]);
    });

    it("neither shows nor touches what is another deployment's", async () => {
      const container = await running();
      const stranger = await harness.stranger();
      expect(await stranger.list()).toEqual([]);
      expect(await stranger.inspect(container.workspaceId)).toEqual([]);
      await stranger.remove(container.id, 0).catch(() => undefined);
      expect(await harness.runtime.inspect(container.workspaceId)).toEqual([container]);
      await harness.runtime.remove(container.id, 5);
    });

    it("keeps the last lines of output, and those of an ended workspace too", async ({ skip }) => {
      if (harness.print === undefined) return skip("no program runs in this engine");
      const container = await running();
      await harness.print(container, 3_000);
      const expected = ["line 2999", "line 3000"].join("\n");
      await soon(async () =>
        expect(await harness.runtime.logs(container.id, 2).then((text) => text.trimEnd())).toBe(expected),
      );
      await harness.exit(container, 0);
      await soon(async () =>
        expect(await harness.runtime.logs(container.id, 2).then((text) => text.trimEnd())).toBe(expected),
      );
      await harness.runtime.remove(container.id, 5);
    });

    it("says what each of several uses, and how full the disk of its home is", async ({ skip }) => {
      const { runtime } = harness;
      if (runtime.usage === null) return skip("nothing is measured in this engine");
      const both = [await running(), await running()];
      const used = await runtime.usage(both);
      expect([...used.keys()].sort()).toEqual(both.map(({ id }) => id).sort());
      for (const { disk, cpu, memoryBytes } of used.values()) {
        if (!disk.known) throw new Error(disk.why);
        expect(disk.value.usedBytes).toBeGreaterThan(0);
        expect(disk.value.totalBytes).toBeGreaterThanOrEqual(disk.value.usedBytes);
        // What cannot be known is said to be so, and is never nothing.
        for (const part of [cpu, memoryBytes]) if (!part.known) expect(USAGE_GAPS).toContain(part.why);
        if (memoryBytes.known) expect(memoryBytes.value).toBeGreaterThan(100_000);
        if (runtime.kind === "kubernetes") continue;
        expect([cpu.known, memoryBytes.known]).toEqual([true, true]);
      }
      for (const { id } of both) await runtime.remove(id, 5);
    });

    it("counts the time and the home of a workspace as its own and nobody else's", async ({ skip }) => {
      const { runtime, say } = harness;
      if (runtime.homeBytes === null || say === undefined) return skip("there is nothing to count in this engine");
      const both = [await running(), await running()];
      const [busy, idle] = both as [ContainerSeen, ContainerSeen];
      const timeOf = async ({ id }: ContainerSeen): Promise<number> => {
        const cpu = (await runtime.usage?.(both))?.get(id)?.cpu;
        if (cpu?.known !== true || !("totalMs" in cpu.value)) throw new Error("its time is not known");
        return cpu.value.totalMs;
      };
      const bytesOf = async (container: ContainerSeen): Promise<number> => {
        const bytes = await runtime.homeBytes?.(container);
        if (bytes?.known !== true) throw new Error(bytes?.why);
        return bytes.value;
      };
      const before = [await timeOf(busy), await timeOf(idle), await bytesOf(busy), await bytesOf(idle)] as const;
      await say(
        busy,
        `dd if=/dev/urandom of="$HOME/large" bs=1000000 count=40 2>&1; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done`,
      );
      const [time, size] = [(await timeOf(busy)) - before[0], (await bytesOf(busy)) - before[2]];
      expect(time).toBeGreaterThan(100);
      expect(time).toBeGreaterThan(5 * ((await timeOf(idle)) - before[1]));
      expect(size).toBeGreaterThan(39e6);
      expect(size).toBeLessThan(45e6);
      expect(await bytesOf(idle)).toBeLessThan(before[3] + 1e6);
      for (const { id } of both) await runtime.remove(id, 5);
    });

    it("looks into a home as its own user does, and empties what it is told to and nothing else", async ({ skip }) => {
      const { runtime, say } = harness;
      if (runtime.lookIntoHome === null || runtime.emptyInHome === null || say === undefined)
        return skip("nothing can be run in a container of this engine");
      const both = [await running(), await running()];
      const [container, other] = both as [ContainerSeen, ContainerSeen];
      const fill = [
        "cd; mkdir -p .npm/_cacache go/pkg/mod/m elsewhere/real locked .cache",
        "for at in .npm/_cacache go/pkg/mod/m elsewhere/real elsewhere locked; do head -c 3000000 /dev/urandom > $at/file; done",
        "chmod 555 go/pkg/mod/m go/pkg/mod; chmod 000 locked; ln -s ~/elsewhere .cache/pip; ln -s / elsewhere/all",
        "mkdir \"$(printf 'two\\nlines')\"; head -c 3000000 /dev/urandom > \"$(printf 'two\\nlines')/file\"",
      ];
      for (const one of both) await say(one, fill.join("\n"));
      const folders = [".npm/_cacache", "go/pkg/mod", ".cache/pip", ".cache/yarn"];
      const look = await runtime.lookIntoHome(container.id, folders);
      expect(look.whole).toBe(true);
      expect(look.caches.map(({ path }) => path)).toEqual([".npm/_cacache", "go/pkg/mod"]);
      const paths = look.taken.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(["", "elsewhere", "elsewhere/real", "go/pkg/mod"]));
      expect(paths.filter((path) => path.startsWith("elsewhere/all") || path.startsWith(".cache"))).toEqual([]);
      // Where programs only know lines, the rest of such a name is lost, and is nothing else's.
      expect(["two\nlines", "two"]).toContain(paths.filter((path) => path.startsWith("two")).sort()[0]);
      expect(paths.filter((path) => path.startsWith("lines"))).toEqual([]);
      // Of what is closed to its user, root would know what is in it.
      const uid = (await say(container, "id -u")).trim();
      if (uid !== "0") expect(paths).not.toContain("locked");

      const { whole, before, after } = await runtime.emptyInHome(container.id, folders);
      expect(whole).toBe(true);
      expect((before ?? 0) - (after ?? 0)).toBeGreaterThan(5.9e6);
      const left = "cd; ls -A .npm/_cacache go/pkg/mod | sort | tr '\\n' ' '; ls elsewhere | tr '\\n' ' '";
      expect(await say(container, left)).toBe(" .npm/_cacache: go/pkg/mod: all file real ");
      expect(await say(other, left)).toBe(" .npm/_cacache: file go/pkg/mod: m all file real ");
      expect((await runtime.lookIntoHome(container.id, folders)).caches.every(({ bytes }) => bytes < 1e6)).toBe(true);

      const stranger = await harness.stranger();
      await expect(stranger.lookIntoHome?.(other.id, folders)).rejects.toThrow("does not run");
      await expect(stranger.emptyInHome?.(other.id, folders)).rejects.toThrow("does not run");
      // Whoever cleans up may be that user, too.
      for (const one of both) await say(one, "chmod -R u+rwX ~");
      for (const { id } of both) await runtime.remove(id, 5);
      await expect(runtime.lookIntoHome(container.id, folders)).rejects.toThrow("does not run");
    });

    it("leads to the ports its own processes listen on, also to those on their loopback alone", async ({ skip }) => {
      if (harness.listen === undefined) return skip("no program runs in this engine");
      const { runtime } = harness;
      const [first, second] = [await running(), await running()];
      for (const host of [undefined, "127.0.0.1"]) {
        const port = await harness.listen(first, host);
        const address = await runtime.portAddress(first.id, port);
        if (address === null) throw new Error(`port ${port} on ${host} is not reached`);
        await soon(async () => expect(await runtime.answers(address)).toBe(true));
        expect(await runtime.portAddress(first.id, port)).toEqual(address);
        expect(await runtime.portAddress(second.id, port)).toBeNull();
        const listed = await runtime.listening(first.id);
        expect(listed.filter((one) => one.port === port)).toEqual([{ port, program: harness.program ?? null }]);
        for (const own of runtime.ownPorts ?? []) expect(listed.map((one) => one.port)).not.toContain(own);
        expect((await runtime.listening(second.id)).map((one) => one.port)).not.toContain(port);
        await harness.quiet?.(first);
        await soon(async () => expect(await runtime.answers(address)).toBe(false));
        await soon(async () => expect(await runtime.portAddress(first.id, port)).toBeNull());
        expect((await runtime.listening(first.id)).map((one) => one.port)).not.toContain(port);
      }
      for (const one of [first, second]) await runtime.remove(one.id, 5);
    });

    it("has the image that its workspaces run, and does not start when told to stop before", async () => {
      await harness.runtime.ensureImage(harness.imageRef, () => {}, never);
      const spec = await specFor();
      await expect(harness.runtime.start(spec, AbortSignal.abort())).rejects.toThrow();
      const left = await harness.runtime.inspect(spec.workspaceId);
      expect(left.filter((one) => one.state === "running")).toEqual([]);
      for (const one of left) await harness.runtime.remove(one.id, 0);
    });
  });
}

/** One of each, for runtimes that do not take it. */
const EXTRAS: Required<StartExtras> = {
  hostName: "named",
  size: { cpus: 1, memoryBytes: 64 * 1024 * 1024 },
  init: { command: ["true"], limitSeconds: 1 },
  files: [],
  prelude: "prelude",
  pullCredential: { registry: "registry.test", user: "puller", password: "secret" },
};

const file = (path: string, content: string) => ({ path, mode: 0o400, content: Buffer.from(content) });

const OWNER = "6b1f0a52-7c53-4a0e-9a55-0d4b6a1d2f10";
/** Without the test that asks: several may ask at once. */
const soon = (check: () => Promise<unknown>): Promise<unknown> => vi.waitFor(check, { timeout: 20_000, interval: 20 });

async function only(runtime: Runtime, workspaceId: string): Promise<ContainerSeen> {
  const [container, ...others] = await runtime.inspect(workspaceId);
  if (container === undefined || others.length > 0) throw new Error("expected exactly one container");
  return container;
}
