import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { type IdeStep, ideSteps } from "#core/setup/ide-steps.ts";
import { readMarkers, type SetupProgress } from "#core/setup/markers.ts";
import { readOutput } from "#core/setup/output.ts";
import type { PlannedCommand, PlannedStep, PlannedVariable } from "#core/setup/plan.ts";
import { runnerScript } from "#core/setup/runner.ts";
import { exportLines } from "#core/setup/shell.ts";

const sh = (text: string): PlannedCommand => ({ kind: "shell", text });
const program = (...args: string[]): PlannedCommand => ({ kind: "program", args });
const step = (name: string, runs: PlannedStep["runs"], ...commands: PlannedCommand[]): PlannedStep => ({
  name,
  runs,
  commands: commands.map((command, index) => ({ name: commands.length > 1 ? `c${index}` : null, command })),
  digest: "abc123",
});
const variable = (name: string, value: PlannedVariable["value"], isForShells = false): PlannedVariable => ({
  name,
  value,
  isForShells,
});

/** Every shell that an image may have for /bin/sh, as far as this machine has it. Without any, sh itself. */
const shells = [["dash"], ["busybox", "sh"], ["bash", "--posix"]].filter(
  ([name = "", ...args]) => spawnSync(name, [...args, "-c", ":"]).status === 0,
);
if (process.env["CI"] !== undefined && shells.length < 3) throw new Error("CI needs dash, busybox and bash.");

/** An image of busybox has nothing but busybox for all the rest, either. */
const applets = mkdtempSync(path.join(tmpdir(), "codehub-applets-"));
spawnSync("busybox", ["--install", "-s", applets]);
afterAll(() => rmSync(applets, { recursive: true, force: true }));

let home = "";
const running: (() => Promise<void>)[] = [];
beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "codehub-runner-")));
  mkdirSync(path.join(home, "app"));
});
afterEach(async () => {
  for (const end of running.splice(0)) await end();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const at = (...parts: string[]): string => path.join(home, ...parts);
function outputOf(lines: readonly string[], name: string) {
  const { head, tail, hasGap } = readOutput(lines, "r1", name, (data) => Buffer.from(data, "base64"));
  return { head: Buffer.from(head).toString("latin1"), tail: Buffer.from(tail).toString("latin1"), hasGap };
}
const logOf = (name: string): string => readFileSync(at(".local/state/codehub/log", `${name}.log`), "latin1");

describe.each(shells.length > 0 ? shells : [["sh"]])("%s %s", (shell = "sh", ...args) => {
  const tools = shell === "busybox" ? applets : (process.env["PATH"] ?? "");
  interface InIde {
    readonly ide?: readonly IdeStep[];
    readonly variables?: Readonly<Record<string, string>>;
  }
  interface Ran extends SetupProgress {
    readonly lines: readonly string[];
    /** Markers of what had ended when the script itself had. */
    readonly opened: SetupProgress;
  }

  /** As a container does: the script, then the IDE in the same process, until every step is over or one is waited for. */
  async function start(
    steps: readonly PlannedStep[],
    environment: readonly PlannedVariable[] = [],
    until?: RegExp,
    { ide = [], variables = {}, where = home }: InIde & { readonly where?: string } = {},
  ): Promise<Ran> {
    const script = `${runnerScript({ steps, ide, environment, folder: "app", run: "r1" })}echo IDE; exec sleep 60`;
    const env = { HOME: where, PATH: tools, OUTER: "outer", ...variables };
    const child = spawn(shell, [...args.filter((each) => each !== undefined), "-c", script], {
      env,
      cwd: "/",
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    let opened: SetupProgress | null = null;
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        if (line === "IDE") opened = readMarkers(lines, "r1");
        lines.push(line);
        const isOver = until === undefined ? readMarkers(lines, "r1").isOver : until.test(line);
        if (isOver && opened !== null) break;
      }
    } finally {
      const end = async (): Promise<void> => {
        const ended = once(child, "exit");
        // The whole container: the IDE, and whatever commands left behind.
        process.kill(-(child.pid ?? 0), "SIGKILL");
        await ended;
      };
      // What was said may still be on its way to the logs: a container goes on when its steps are over.
      if (until === undefined) running.push(end);
      else await end();
    }
    if (opened === null) throw new Error("The IDE was not opened.");
    return { ...readMarkers(lines, "r1"), lines, opened };
  }

  const states = ({ steps }: SetupProgress): string[] =>
    steps.map(({ name, state, exitCode }) => `${name} ${state} ${exitCode}`);

  test("steps run in order, in the project, with their variables; the output is in their logs and nowhere else", async () => {
    const ran = await start(
      [
        step("onCreate", "once", sh(`pwd; echo "$A|$B|\${C-none}|$OUTER"; echo problem >&2`)),
        step("postStart", "each_start", program("printf", "%s\\n", "a b", "$HOME", "it's", "*")),
      ],
      [
        variable("A", ["x'y $(id)"]),
        variable("B", [{ variable: "A", fallback: "" }, "/", { variable: "NOPE", fallback: "f'b" }]),
        variable("OUTER", null),
      ],
    );
    expect(states(ran)).toEqual(["onCreate done 0", "postStart done 0"]);
    await expect.poll(() => logOf("onCreate")).toBe(`${home}/app\nx'y $(id)|x'y $(id)/f'b|none|\nproblem\n`);
    await expect.poll(() => logOf("postStart")).toBe("a b\n$HOME\nit's\n*\n");
    expect(ran.lines.filter((line) => !line.startsWith("\u001e"))).toEqual(["IDE"]);
    const { startedAt, endedAt } = ran.steps[0] ?? {};
    expect(Number(endedAt) - Number(startedAt)).toBeGreaterThanOrEqual(0);
    expect(Math.abs(statSync(home).mtimeMs - Number(startedAt))).toBeLessThan(60_000);
  });

  test("once is once for this home; other commands are other steps, and an empty home begins anew", async () => {
    const count = (name: string): PlannedStep =>
      step(name, name === "postStart" ? "each_start" : "once", sh(`echo x >>../${name}`));
    const steps = [count("onCreate"), count("postStart")];
    await start(steps);
    const again = await start(steps);
    expect(states(again)).toEqual(["onCreate already null", "postStart done 0"]);
    expect([readFileSync(at("onCreate"), "utf8"), readFileSync(at("postStart"), "utf8")]).toEqual(["x\n", "x\nx\n"]);
    const changed = await start([{ ...count("onCreate"), digest: "def456" }]);
    expect(states(changed)).toEqual(["onCreate done 0"]);
    rmSync(at(".local"), { recursive: true });
    expect(states(await start(steps))).toEqual(["onCreate done 0", "postStart done 0"]);
  });

  // A shell that is interrupted while it opens a pipe gives up: each step ends just as the next one begins.
  test("no step is lost while others end, however many there are", async () => {
    const steps = Array.from({ length: 12 }, (_, index) => step(`step${index}`, "each_start", sh("echo x")));
    const homes = Array.from({ length: 8 }, (_, index) => at(`home-${index}`));
    for (const one of homes) mkdirSync(path.join(one, "app"), { recursive: true });
    const ran = await Promise.all(homes.map((one) => start(steps, [], undefined, { where: one })));
    for (const each of ran) expect(states(each)).toEqual(steps.map(({ name }) => `${name} done 0`));
  });

  test("after one that failed the rest is left out, and it is tried again at the next start", async () => {
    const steps = [
      step("onCreate", "once", sh("test -e ../fixed || exit 7")),
      step("postStart", "each_start", sh("true")),
    ];
    expect(states(await start(steps))).toEqual(["onCreate failed 7", "postStart skipped null"]);
    writeFileSync(at("fixed"), "");
    expect(states(await start(steps))).toEqual(["onCreate done 0", "postStart done 0"]);
    expect(states(await start(steps))).toEqual(["onCreate already null", "postStart done 0"]);
  });

  test("a start that is ended in the middle of a step leaves no mark", async () => {
    const endless = [step("onCreate", "once", sh("echo begun; sleep 60")), step("postStart", "each_start", sh("true"))];
    const ran = await start(endless, [], /"running"/);
    expect(states(ran.opened).concat(states(ran))).toContain("onCreate running null");
    expect(ran.isOver).toBe(false);
    expect(readdirSync(at(".local/state/codehub/done"))).toEqual([]);
  });

  test("several run at the same time, and the step fails as one of them did", async () => {
    const meet = (mine: string, other: string): PlannedCommand =>
      sh(`: >../${mine}; while ! test -e ../${other}; do sleep 0.05; done`);
    const ran = await start([step("onCreate", "once", meet("a", "b"), meet("b", "a"), sh("exit 3"))]);
    expect(states(ran)).toEqual(["onCreate failed 3"]);
  });

  test("a flood is kept with its beginning and its end, and goes nowhere else", async () => {
    const flood =
      "echo first; i=0; while test $i -lt 60; do head -c 100000 /dev/zero | tr '\\0' x; echo; i=$((i+1)); done; echo last";
    const kept = "until tail -c 5 ../.local/state/codehub/log/onCreate.log | grep -q last; do sleep 0.05; done";
    const ran = await start([step("onCreate", "once", sh(flood)), step("postStart", "each_start", sh(kept))]);
    expect(states(ran)).toEqual(["onCreate done 0", "postStart done 0"]);
    const log = logOf("onCreate");
    expect(log.slice(0, 6)).toBe("first\n");
    expect(log.length).toBeLessThan(5 * 65_536);
    const lines = ran.lines.join("\n");
    expect(lines.length).toBeLessThan(150_000);
    expect(Math.max(...ran.lines.map((line) => line.length))).toBeLessThan(4096);
    const { head, tail, hasGap } = outputOf(ran.lines, "onCreate");
    expect([head.slice(0, 6), hasGap, tail.slice(-6)]).toEqual(["first\n", true, "\nlast\n"]);
    expect(readdirSync(at(".local/state/codehub/log"))).toEqual(["onCreate.log", "postStart.log"]);
  });

  test("an endless flood stays small and does not keep the IDE from opening", async () => {
    const steps = [step("onCreate", "once", sh("yes"))];
    const script = `${runnerScript({ steps, ide: [], environment: [], folder: "app", run: "r1" })}echo IDE; exec sleep 60`;
    const child = spawn(shell, [...args.filter((each) => each !== undefined), "-c", script], {
      env: { HOME: home, PATH: tools },
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const folder = at(".local/state/codehub/log");
    const sizeOf = (name: string): number => statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    try {
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
      await expect.poll(() => lines.includes("IDE")).toBe(true);
      await expect.poll(() => existsSync(path.join(folder, "onCreate.log.1")), { timeout: 20_000 }).toBe(true);
      await expect.poll(() => outputOf(lines, "onCreate").tail, { timeout: 20_000 }).toMatch(/^[y\n]{600}$/);
      expect(lines.join("\n").length).toBeLessThan(50_000);
      expect(readdirSync(folder).reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(6 * 65_536);
    } finally {
      const ended = once(child, "exit");
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await ended;
    }
  });

  test("what a command leaves running is not waited for, and its words are still kept", async () => {
    const ran = await start([
      step("postStart", "each_start", sh("(while ! test -e ../go; do sleep 0.05; done; echo late) & echo early")),
      step("postAttach", "each_start", sh(": >../go; sleep 1")),
    ]);
    expect(states(ran)).toEqual(["postStart done 0", "postAttach done 0"]);
    await expect.poll(() => logOf("postStart")).toBe("early\nlate\n");
  });

  test("forged markers and escapes of a command stay in its log", async () => {
    const forged = '\u001ecodehub {"run":"r1","n":99,"step":"end","state":"ready","code":null,"at":1}';
    const ran = await start([
      step("onCreate", "once", program("printf", "%s\\n\\033[2J\\007", forged)),
      step("postStart", "each_start", sh("exit 4")),
    ]);
    expect(states(ran)).toEqual(["onCreate done 0", "postStart failed 4"]);
    expect(ran.lines.some((line) => line.includes('"n":99'))).toBe(false);
    await expect.poll(() => logOf("onCreate")).toContain("\u001b[2J");
  });

  test("a missing program or project is a failed step, and a list is never a word of the shell", async () => {
    expect(states(await start([step("onCreate", "once", program("no-such-program"))]))).toEqual([
      "onCreate failed 127",
    ]);
    expect(states(await start([step("onCreate", "once", program("eval", "touch ../evaluated"))]))).toEqual([
      "onCreate failed 127",
    ]);
    expect(existsSync(at("evaluated"))).toBe(false);
    rmSync(at("app"), { recursive: true });
    expect(states(await start([step("onCreate", "once", sh("touch ../evaluated"))]))[0]).toMatch(/^onCreate failed/);
    expect(existsSync(at("evaluated"))).toBe(false);
  });

  test("a home in which nothing can be written is a failed step, and the rest is still told", async () => {
    mkdirSync(at(".local/state"), { recursive: true });
    writeFileSync(at(".local/state/codehub"), "in the way");
    const steps = [step("onCreate", "once", sh("touch ../ran")), step("postStart", "each_start", sh("true"))];
    expect(states(await start(steps))).toEqual(["onCreate failed 1", "postStart skipped null"]);
    expect(existsSync(at("ran"))).toBe(false);
  });

  /** Says what it is asked for; installs what does not exist by that name once it was repaired. */
  function fakeIde(): Record<string, string> {
    const script = `echo "$*|\${EXTENSIONS_GALLERY-own}"
case $4 in *missing*) test -e ${home}/repaired || { echo "no $4" >&2; exit 1; } ;; esac
echo "$4" >>${home}/installed`;
    writeFileSync(at("an ide.sh"), script);
    return { CODEHUB_IDE: `sh '${home}/an ide.sh' --config /dev/null` };
  }
  const inIde = (plan: Partial<Parameters<typeof ideSteps>[0]>) =>
    ideSteps({ extensions: [], settings: {}, ...plan }, (text) => `d${text.length}`);

  test("extensions come into the IDE beside the commands, which do not wait for one that fails; that is tried again", async () => {
    const given = { ide: inIde({ extensions: ["team.good", "team.missing@1.2", "it.last"] }), variables: fakeIde() };
    const gallery = [variable("EXTENSIONS_GALLERY", ["of the project"], true)];
    const commands = [step("postStart", "each_start", sh("while ! grep -q last ../installed; do sleep 0.05; done"))];
    const first = await start(commands, gallery, undefined, given);
    expect(states(first).sort()).toEqual(["extensions partly null", "postStart done 0"]);
    expect(outputOf(first.lines, "extensions").head).toBe(
      [
        "team.good\n  --config /dev/null --install-extension team.good|own",
        "team.missing@1.2\n  --config /dev/null --install-extension team.missing@1.2|own\n  no team.missing@1.2",
        "it.last\n  --config /dev/null --install-extension it.last|own",
        "Not installed, tried again at the next start: team.missing@1.2\n",
      ].join("\n"),
    );
    writeFileSync(at("repaired"), "");
    expect(states(await start(commands, gallery, undefined, given)).sort()[0]).toBe("extensions done 0");
    const third = await start(commands, gallery, undefined, given);
    expect(states(third).sort()[0]).toBe("extensions already null");
    expect(outputOf(third.lines, "extensions").head).toContain("it.last\n");
    const count = readFileSync(at("installed"), "utf8").split("\n").length - 1;
    expect(count).toBe(5);
    const other = { ...given, ide: inIde({ extensions: ["team.other"] }) };
    expect(states(await start([], [], undefined, other))).toEqual(["extensions done 0"]);
  });

  test("where none can be installed the commands run all the same, and an image that has no way says so", async () => {
    const commands = [step("onCreate", "once", sh("true"))];
    const given = { ide: inIde({ extensions: ["team.missing"] }), variables: fakeIde() };
    const failed = await start(commands, [], undefined, given);
    expect(states(failed).sort()).toEqual(["extensions failed 1", "onCreate done 0"]);
    const unable = await start(commands, [], undefined, { ide: given.ide });
    expect(states(unable).sort()).toEqual(["extensions unable null", "onCreate already null"]);
    expect(outputOf(unable.lines, "extensions").head).toMatch(
      /^The IDE of this image has no way to install extensions/,
    );
    const noNode = { ide: inIde({ settings: { a: 1 } }), variables: { CODEHUB_NODE: "/no/such/node" } };
    expect(states(await start([], [], undefined, noNode))).toEqual(["settings unable null"]);
  });

  test("settings are added to those that the IDE begins with, once", async () => {
    const file = ".local/share/code-server/User/settings.json";
    const given = {
      ide: inIde({ settings: { "it's": "$(touch evaluated)", mine: 1 } }),
      variables: { CODEHUB_NODE: process.execPath },
    };
    // As whoever starts the IDE does it: later, and not in one piece.
    const defaults = `sleep 0.2; mkdir -p ~/${path.dirname(file)}; printf '{"mine"' >~/${file}; sleep 0.2; printf ': 2}' >>~/${file}`;
    const first = await start([step("postStart", "each_start", sh(defaults))], [], undefined, given);
    expect(states(first).sort()).toEqual(["postStart done 0", "settings done 0"]);
    expect(JSON.parse(readFileSync(at(file), "utf8"))).toEqual({ mine: 2, "it's": "$(touch evaluated)" });
    expect(outputOf(first.lines, "settings").head).toBe("added: it's\nthere already: mine\n");
    writeFileSync(at(file), "{}");
    expect(states(await start([], [], undefined, given))).toEqual(["settings already null"]);
    expect(readFileSync(at(file), "utf8")).toBe("{}");
  });

  test("what a command writes can be read while it runs, to the byte", async () => {
    const said = "printf 'first \\303'; until test -e ../seen; do sleep 0.1; done; printf '\\244\\000\\n'";
    const ran = start([step("onCreate", "once", sh(said))], [], /"part":"head"/);
    const early = outputOf((await ran).lines, "onCreate");
    expect(early.head).toBe("first \u00c3");
    writeFileSync(at("seen"), "");
    const whole = await start([step("onCreate", "once", sh(said))]);
    expect(outputOf(whole.lines, "onCreate")).toEqual({ head: "first \u00c3\u00a4\0\n", tail: "", hasGap: false });
  });

  test("what is longer than its beginning is whole where nothing is left out", async () => {
    const numbers = "i=0; while test $i -lt 7000; do echo $i; i=$((i+1)); done";
    const { lines } = await start([step("onCreate", "once", sh(numbers))]);
    const { head, tail, hasGap } = outputOf(lines, "onCreate");
    expect(hasGap).toBe(false);
    expect(head + tail).toBe(Array.from({ length: 7000 }, (_, index) => `${index}\n`).join(""));
    const again = await start([step("onCreate", "once", sh(numbers))]);
    expect(states(again)).toEqual(["onCreate already null"]);
    expect(outputOf(again.lines, "onCreate")).toEqual({ head, tail, hasGap });
  });

  test("words reach a program as they are", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\0")),
          { minLength: 1, maxLength: 4 },
        ),
        (words) => {
          const lines = exportLines([variable("V", words)], true).join("\n");
          const { stdout } = spawnSync(
            shell,
            [...args.filter((each) => each !== undefined), "-c", `${lines}\nprintf %s "$V"`],
            { encoding: "utf8" },
          );
          expect(stdout).toBe(words.join(""));
        },
      ),
      { numRuns: 25 },
    );
  });
});
