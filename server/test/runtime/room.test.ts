import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { spawnAsUser } from "#adapters/process/room.ts";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import type { ContainerSeen } from "#core/rows/observation.ts";
import type { StartSpec } from "#ports/runtime.ts";
import { mayActAsRoot } from "../root.ts";
import { runInside } from "./ask.ts";
import { directories, type ProcessHarness, processHarness } from "./process-harness.ts";
import { serverProcess } from "./server-process.ts";

const never = new AbortController().signal;
const SOON = { timeout: 20_000, interval: 20 };

describe.runIf(mayActAsRoot("a room for each workspace"))("a workspace's room", () => {
  let harness: ProcessHarness;
  beforeEach(async () => {
    harness = await processHarness();
  });
  afterEach(async () => {
    await harness.close();
  });

  const specFor = async (change: Partial<StartSpec> = {}): Promise<StartSpec> => {
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const volume = await harness.makeVolume(workspaceId, attempt);
    return { workspaceId, attempt, volume, imageRef: "x", hostPort: null, ownerId: randomUUID(), ...change };
  };
  const run = async (spec: StartSpec): Promise<ContainerSeen> => {
    const { address } = await harness.runtime.start(spec, never);
    await expect.poll(() => harness.runtime.answers(address), SOON).toBe(true);
    const [container] = await harness.runtime.inspect(spec.workspaceId);
    if (container === undefined) throw new Error("not listed");
    return container;
  };
  const start = async (change: Partial<StartSpec> = {}): Promise<ContainerSeen> => run(await specFor(change));
  const say = async (container: ContainerSeen, command: string): Promise<string> =>
    (await runInside(container, command)).text.trim();
  const homeOf = ({ volume }: { volume: string | null }) => join(harness.dataDir, "volumes", volume ?? "", "home");

  it("has a user with a name and the home at /home/coder, for everything that looks it up", async () => {
    const container = await start();
    expect(await say(container, "whoami; id -gn; pwd -P; echo $HOME ~ ~coder; cd; pwd -P")).toBe(
      "coder\ncoder\n/home/coder\n/home/coder /home/coder /home/coder\n/home/coder",
    );
    const node = await reachableNode(harness.dataDir);
    expect(JSON.parse(await say(container, `${node} -p 'JSON.stringify(os.userInfo())'`))).toMatchObject({
      username: "coder",
      homedir: "/home/coder",
      shell: "/bin/bash",
    });
    expect(await say(container, "case $PATH in /home/coder/.local/bin:*) echo first;; esac")).toBe("first");
    // The machine's other names are still known.
    expect(await say(container, "id -un 0")).toBe("root");
  });

  it("has a host name of its own that programs find, and the machine keeps its own", async () => {
    const machine = hostname();
    const [mine, hers] = [await start({ hostName: "payments-api" }), await start({ hostName: "other" })];
    expect(await say(mine, "hostname; cat /proc/sys/kernel/hostname; getent hosts payments-api")).toMatch(
      /^payments-api\npayments-api\n127\.0\.1\.1\s+payments-api$/,
    );
    expect(await say(hers, "hostname")).toBe("other");
    expect(await say(await start(), "hostname")).toBe(machine);
    expect(await say(mine, "hostname evil 2> /dev/null || hostname")).toBe("payments-api");
    expect(hostname()).toBe(machine);
    expect(await readFile("/etc/hosts", "utf8")).not.toContain("payments-api");
  });

  it("has the home of earlier versions at the same place", async () => {
    const container = await start();
    const former = join(harness.dataDir, "homes", container.workspaceId);
    await say(container, `echo old > ${former}/made && mv ${former}/made ~/moved`);
    expect(await say(container, `cat ${former}/moved ~/moved ${homeOf(container)}/moved`)).toBe("old\nold\nold");
    expect(await say(container, `cd ${former} && pwd -P && stat -c %d:%i . ~ | uniq | wc -l`)).toBe("/home/coder\n1");
    expect(await readFile(join(homeOf(container), "moved"), "utf8")).toBe("old\n");
  });

  it("shows neither homes nor processes of others", async () => {
    const container = await start();
    expect(await say(container, "ls -A /home")).toBe("coder");
    expect(await say(container, `ls -d /proc/1 /proc/${process.pid} 2> /dev/null | wc -l`)).toBe("0");
    const uid = await say(container, "id -u");
    expect(await say(container, "stat -c %u /proc/[0-9]* 2> /dev/null | sort -u")).toBe(uid);
    // The machine itself has lost nothing.
    expect((await stat(`/proc/1`)).isDirectory()).toBe(true);
    expect(await readFile("/proc/self/mounts", "utf8")).not.toContain("/home/coder");
    expect(await readdir("/run/codehub")).toEqual([]);
  });

  it("gives nobody more rights than its user has, by no program", async () => {
    const root = join(harness.dataDir, "id");
    await copyFile("/usr/bin/id", root);
    await chmod(root, 0o4755);
    const container = await start();
    expect(await say(container, `${root} -u`)).toBe(await say(container, "id -ru"));
    expect((await runInside(container, "sudo -n true")).code).not.toBe(0);
    expect(await say(container, "grep -E '^(NoNewPrivs|CapEff|Groups)' /proc/self/status | tr -s '\\t ' '  '")).toMatch(
      /^Groups: ?\nCapEff: 0+\nNoNewPrivs: 1$/,
    );
  });

  it("is made by root's own programs, whatever the user has put into home and variables", async () => {
    const spec = await specFor();
    const bin = join(homeOf(spec), ".local/bin");
    await mkdir(bin, { recursive: true });
    for (const name of ["mount", "grep", "mkdir", "setpriv", "cat", "sh", "unshare"]) {
      await writeFile(join(bin, name), `#!/bin/sh\nid -u >> ${harness.dataDir}/ran\n`, { mode: 0o755 });
    }
    await writeFile(join(harness.dataDir, "ran"), "");
    await chmod(join(harness.dataDir, "ran"), 0o666);
    const loader = join(harness.dataDir, "loader");
    await mkdir(loader);
    await chmod(loader, 0o777);
    // The loader of every program that has these variables writes a file there.
    const container = await run({ ...spec, env: { LD_DEBUG: "statistics", LD_DEBUG_OUTPUT: join(loader, "of") } });
    const uid = Number(await say(container, "/usr/bin/id -u"));
    const owners = await Promise.all((await readdir(loader)).map(async (name) => (await stat(join(loader, name))).uid));
    expect(new Set(owners)).toEqual(new Set([uid]));
    expect(await readFile(join(harness.dataDir, "ran"), "utf8")).not.toMatch(/^0$/m);
  });

  it("is on its volume's own folder, which its user can neither move nor replace", async () => {
    const container = await start();
    const volume = join(harness.dataDir, "volumes", container.volume ?? "");
    for (const command of [
      `mv ${volume}/home ${volume}/other`,
      `ln -sfn / ${volume}/home`,
      `mv ${harness.dataDir}/homes/${container.workspaceId} ${harness.dataDir}/homes/x`,
      "mv /home/coder /home/other",
      "rmdir /home/coder",
      "touch /etc/passwd",
      "rm /etc/passwd",
      "umount /home/coder",
    ]) {
      expect((await runInside(container, command)).code, command).not.toBe(0);
    }
    const spec = await specFor();
    await rm(homeOf(spec), { recursive: true });
    await symlink("/etc", homeOf(spec));
    await expect(harness.runtime.start(spec, never)).rejects.toThrow("is not a directory");
  });

  it("keeps the start's files in memory of its own, where nothing is run", async () => {
    const script = { path: "bin/run", mode: 0o700, content: Buffer.from("#!/bin/sh\necho ran\n") };
    const container = await start({ files: [script] });
    expect(await say(container, "echo $CODEHUB_FILES; stat -f -c %T /run/codehub; stat -c %a:%U /run/codehub")).toBe(
      "/run/codehub\ntmpfs\n700:coder",
    );
    expect(await runInside(container, "/run/codehub/bin/run")).toMatchObject({ code: 126 });
    expect(await say(container, "sh /run/codehub/bin/run")).toBe("ran");
    const other = await start();
    expect(await say(other, "ls -A /run/codehub; echo $CODEHUB_FILES")).toBe("");
    const pid = await say(container, "echo $PPID");
    expect((await runInside(other, `ls /proc/${pid}/root/run/codehub`)).code).not.toBe(0);
  });

  it("keeps what is ours when that lies below /home", async () => {
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = "/home";
    const below = await processHarness({}, "codehub-test").finally(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    const outer = harness;
    harness = below;
    try {
      const container = await start();
      expect((await say(container, "ls -A /home; pwd -P")).split("\n").sort()).toEqual(
        ["coder", below.dataDir.slice("/home/".length), "/home/coder"].sort(),
      );
      expect(await say(container, `cd ${below.dataDir}/homes/${container.workspaceId} && pwd -P`)).toBe("/home/coder");
    } finally {
      await below.close();
      harness = outer;
    }
  });

  it("has its own user also where the machine has one of the same name or number", async () => {
    const texts = ["names.sh", "room.sh"].map((name) => new URL(`../../src/adapters/process/${name}`, import.meta.url));
    const script = (await Promise.all(texts.map((url) => readFile(url, "utf8")))).join("");
    const passwd = join(harness.dataDir, "passwd");
    await writeFile(
      passwd,
      "root:x:0:0::/root:/bin/sh\ncoder:x:7:7::/srv:/bin/false\nhers:x:61003:61003::/srv:/bin/sh\n",
    );
    const home = join(harness.dataDir, "given");
    await mkdir(home);
    await chown(home, 61_003, 61_003);
    const former = join(harness.dataDir, "homes", "w");
    const command = ["sh", "-c", "whoami; id -u coder; grep -c ^coder: /etc/passwd; echo ~coder; id -un 0"];
    const inner = ["unshare", "--mount", "sh", "-c", script, "room", "61003", home, former, "", "--", ...command];
    const outer = [
      "--mount",
      "--",
      "sh",
      "-c",
      'mount --bind "$0" /etc/passwd; echo | exec "$@" 3<&0 4> /dev/null',
      passwd,
    ];
    const { stdout } = spawnSync("unshare", [...outer, ...inner], { encoding: "utf8" });
    expect(stdout).toBe("coder\n61003\n1\n/home/coder\nroot\n");
  });

  it("keeps its user when the machine's list of users changes", async () => {
    // A machine whose /etc is a copy: the list is replaced there, as `useradd` does it.
    const etc = join(harness.dataDir, "etc");
    execFileSync("cp", ["-a", "/etc", etc]);
    const spec = await specFor();
    const within = ["unshare", "--mount", "--", "sh", "-c", 'mount --bind "$0" /etc && exec "$@"', etc];
    const server = await serverProcess(harness.dataDir, spec, within);
    try {
      const runtime = await harness.make({ deploymentId: server.deploymentId });
      const [container] = await runtime.inspect(spec.workspaceId);
      if (container === undefined) throw new Error("not listed");
      await expect.poll(() => container.address && runtime.answers(container.address), SOON).toBe(true);
      for (const list of ["passwd", "group", "passwd"]) {
        const line = list === "group" ? "added:x:61004:" : "added:x:61004:61004::/:/bin/sh";
        await writeFile(join(etc, `${list}+`), `${await readFile(join(etc, list), "utf8")}${line}\n`);
        await rename(join(etc, `${list}+`), join(etc, list));
        await expect
          .poll(() => say(container, `tail -n 1 /etc/${list}; whoami; id -gn`), SOON)
          .toBe(`${line}\ncoder\ncoder`);
      }
      await runtime.remove(container.id, 0);
    } finally {
      server.child.kill("SIGKILL");
    }
  });

  it("is there for what runs as the workspace's user while it has no container", async () => {
    const dataDir = harness.dataDir;
    const runtime = await createProcessRuntime({ dataDir, deploymentId: "x", volumes: directories(dataDir) });
    const spec = await specFor();
    const { uid, room, home } = await runtime.residents.admitAtRest(spec);
    const child = spawnAsUser(room, uid, {
      command: ["/bin/sh", "-c", 'whoami; pwd; echo "$TEXT"; cat; touch made'],
      cwd: home,
      env: { PATH: "/usr/bin:/bin", HOME: home, TEXT: "it's\n'two' lines $HOME" },
      marks: {},
      stdin: "pipe",
    });
    child.stdin?.end("input");
    expect(await text(child.stdout as Readable)).toBe("coder\n/home/coder\nit's\n'two' lines $HOME\ninput");
    expect((await stat(join(homeOf(spec), "made"))).uid).toBe(uid);
  });

  it("is missed where it cannot be made, and said to be", async () => {
    expect(harness.runtime.lacks).toEqual([]);
    const without = await harness.make({ rooms: false });
    expect(without.lacks).toEqual(["user_name", "home_path"]);
  });

  it("says why it cannot be given a variable that no shell has", async () => {
    const spec = await specFor({ env: { "two-words": "x" } });
    await expect(harness.runtime.start(spec, never)).rejects.toThrow('"two-words"');
  });
});
