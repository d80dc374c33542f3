import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { filesTar } from "./files-tar.ts";
import { shellSteps } from "./shell-steps.ts";

const SHELLS = ["sh", "bash", "busybox sh"].filter((shell) => spawnSync(`${shell} -c :`, { shell: true }).status === 0);

describe.each(SHELLS)("the shell that becomes the IDE, as %s", (shell) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ch-steps-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (script: string, input: Buffer = Buffer.alloc(0)) => {
    const ide = ["sh", "-c", 'echo "$WORD:$*"', "ide", "two words", "$HOME"];
    const [program = "", ...args] = [...shell.split(" "), "-c", script, "sh", ...ide];
    const env = { ...process.env, CODEHUB_FILES: folder };
    const { status, stdout, stderr } = spawnSync(program, args, { env, input, encoding: "utf8", timeout: 10_000 });
    return { status, stdout, said: /\[codehub\].*/.exec(stderr)?.[0] ?? "" };
  };
  const withPrelude = (text: string) => {
    writeFileSync(join(folder, "prelude"), text);
    return run(shellSteps({ prelude: "prelude" }, false));
  };

  it("has what the prelude exported, and the arguments it was given", () => {
    const begun = { status: 0, stdout: "x:two words $HOME\n", said: "" };
    expect(withPrelude("export WORD=x")).toEqual(begun);
    expect(withPrelude("export WORD=x\nset -- other\nset -eu\nsleep 9 > /dev/null 2>&1 &")).toEqual(begun);
    expect(withPrelude("export WORD=x\ntrap 'echo bye' EXIT")).toEqual(begun);
  });

  it.each([
    ["ends the shell", "exit 7", 7],
    ["ends with a code", "return 5", 5],
    ["fails a step that may not fail", "set -e; false", 1],
    ["uses what is not set", "set -u; echo $NOTHING", 2],
    ["has a mistake", "if then (", 2],
    ["names a program that is not there", "no-such-program-here", 127],
  ])("begins with its arguments when the prelude %s", (_, text, code) => {
    const { status, stdout, said } = withPrelude(`export WORD=x\n${text}\n`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "x:two words $HOME\n" });
    // What bash gives back for a variable that is not set depends on its version.
    expect(said).toMatch(
      code === 2 ? /ended with code \d+; the IDE begins/ : `ended with code ${code}; the IDE begins`,
    );
  });

  it("begins when there is no prelude where it should be", () => {
    expect(run(shellSteps({ prelude: "missing" }, false))).toMatchObject({ status: 0, stdout: ":two words $HOME\n" });
  });

  it("takes the files first, then the step, then the prelude", () => {
    const files = [
      { path: "env/prelude", mode: 0o400, content: Buffer.from(`WORD=$(cat ${folder}/made); export WORD`) },
    ];
    const init = {
      command: ["sh", "-c", `test -e ${folder}/env/prelude && echo made > ${folder}/made`],
      limitSeconds: 9,
    };
    const { status, stdout } = run(shellSteps({ init, prelude: "env/prelude" }, true), filesTar(files));
    expect({ status, stdout }).toEqual({ status: 0, stdout: "made:two words $HOME\n" });
  });
});
