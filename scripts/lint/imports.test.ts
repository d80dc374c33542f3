import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");
const read = (file: string): string => fs.readFileSync(path.join(ROOT, file), "utf8");

/** The folder of a rule, by the first of the paths it is for. */
const folderOf = (include: string): string => include.replace(/\/\*\*$/, "");

interface Override {
  readonly includes: readonly string[];
  readonly linter?: {
    readonly rules: {
      readonly style?: {
        readonly noRestrictedImports?: { readonly options: { readonly patterns: readonly { group: string[] }[] } };
      };
    };
  };
}

/** What each folder may import, as the lint reads it. The first rule is for folders that nobody has named. */
function linted(): { folder: string; allowed: string[] }[] {
  const overrides: Override[] = JSON.parse(read("biome.jsonc").replace(/^\s*\/\/.*$/gm, "")).overrides;
  const [unnamed, ...rules] = overrides.flatMap(({ includes, linter }) => {
    const patterns = linter?.rules.style?.noRestrictedImports?.options.patterns ?? [];
    return patterns.map(({ group }) => ({ folder: folderOf(includes[0] ?? ""), group }));
  });
  expect(unnamed?.group).toEqual(["**"]);
  return rules.map(({ folder, group: [first, ...rest] }) => {
    expect(first, `the rule of ${folder} begins with refusing everything`).toBe("**");
    for (const pattern of rest) expect(pattern, `the rule of ${folder} only allows after that`).toMatch(/^!/);
    return { folder, allowed: rest.map((pattern) => pattern.slice(1)) };
  });
}

/** The same as a person reads it. */
function documented(): { folder: string; allowed: string[] }[] {
  const [, section = ""] = /## Who may import whom\n([\s\S]*?)(?:\n## |$)/.exec(read("ARCHITECTURE.md")) ?? [];
  const cells = section.split("\n").map((line) => line.split("|").map((cell) => cell.match(/[^`\s]+(?=`)/g) ?? []));
  return cells.flatMap(([, folder, allowed]) =>
    folder?.[0] === undefined ? [] : [{ folder: folder[0], allowed: allowed ?? [] }],
  );
}

/** Every folder whose files have rules of their own. */
function folders(): string[] {
  const below = (parent: string): string[] =>
    fs
      .readdirSync(path.join(ROOT, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${parent}/${entry.name}`);
  const server = below("server/src").filter((folder) => folder !== "server/src/adapters");
  return ["contract/src", ...server, ...below("server/src/adapters"), ...below("dashboard/src")];
}

const packagesOf = (workspace: string): string[] =>
  Object.keys(JSON.parse(read(`${workspace}/package.json`)).dependencies ?? {});

/** Something that a pattern stands for. */
const exampleOf = (pattern: string): string => pattern.replace("**", "some/file.ts").replaceAll("*", "some");

const rules = linted();

/** Something of every folder and package, in every way of writing it, and everything that somebody may import. */
const SPECIFIERS = [
  ...new Set([
    ...folders().map((folder) => `${folder.replace(/^server\/src\//, "#")}/some/file.ts`),
    ...["contract", "server", "dashboard"].flatMap(packagesOf),
    ...["@codehub/server", "vitest", "node:child_process", "node:fs", "node:http", "node:stream", "/etc/passwd"],
    ...["../some.ts", "../../some.ts", "../some/file.ts", "../../../some/file.ts", "./../some.ts", "./../api/some.ts"],
    ...rules.flatMap(({ allowed }) => allowed.map(exampleOf)),
  ]),
];

const matches = (pattern: string, specifier: string): boolean =>
  pattern.includes("*") ? path.matchesGlob(specifier, pattern) : specifier === pattern;

/** Plants every specifier in a file of every folder, in a tree of its own, and asks the lint: folder -> what it refuses. */
function refusals(tree: string): Map<string, string[]> {
  fs.cpSync(path.join(ROOT, "biome.jsonc"), path.join(tree, "biome.jsonc"));
  fs.cpSync(path.join(ROOT, "scripts/lint"), path.join(tree, "scripts/lint"), { recursive: true });
  const planted = new Map<string, string>();
  for (const folder of [...rules.map((rule) => rule.folder), "server/src/unnamed"]) {
    const file = /\*/.test(folder)
      ? folder.replace("*.ts", "planted.ts").replace(/\*$/, "planted.ts")
      : `${folder}/planted.ts`;
    planted.set(file, folder);
    fs.mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(tree, file), SPECIFIERS.map((specifier) => `import "${specifier}";\n`).join(""));
  }
  const refused = new Map([...planted.values()].map((folder): [string, string[]] => [folder, []]));
  for (const { category, location } of lint(tree)) {
    expect(category).toBe("lint/style/noRestrictedImports");
    refused.get(planted.get(location.path) ?? "")?.push(SPECIFIERS[location.start.line - 1] ?? "");
  }
  return refused;
}

interface Finding {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

function lint(tree: string): Finding[] {
  const biome = path.join(ROOT, "node_modules/.bin/biome");
  const rule = ["--only=style/noRestrictedImports", "--vcs-enabled=false"];
  const args = ["lint", "--reporter=json", "--max-diagnostics=none", ...rule];
  try {
    execFileSync(biome, args, { cwd: tree, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return JSON.parse(stdout).diagnostics;
  }
  throw new Error("The lint found nothing wrong with a tree full of wrong imports.");
}

describe("who may import whom", () => {
  it("is the same in ARCHITECTURE.md and in biome.jsonc", () => {
    expect(documented()).toEqual(rules);
  });

  it("is said of every folder there is, and of no other", () => {
    const named = rules.map(({ folder }) => folder).filter((folder) => !folder.includes("*"));
    const nested = named.filter((folder) => named.some((parent) => folder.startsWith(`${parent}/`)));
    expect(named.filter((folder) => !nested.includes(folder)).sort()).toEqual(folders().sort());
    for (const folder of nested) expect(fs.existsSync(path.join(ROOT, folder)), folder).toBe(true);
  });

  it("lets no adapter know another", () => {
    for (const { folder, allowed } of rules) {
      if (!folder.startsWith("server/src/adapters/")) continue;
      const own = folder.replace("server/src/", "#");
      const others = allowed.filter((pattern) => pattern.startsWith("#adapters/") && pattern !== `${own}/**`);
      expect(
        others.filter((pattern) => pattern !== "#adapters/runtime-parts/**"),
        folder,
      ).toEqual([]);
    }
  });

  describe("as the lint refuses it", () => {
    const tree = fs.mkdtempSync(path.join(os.tmpdir(), "codehub-imports-"));
    let refused: Map<string, string[]>;
    beforeAll(() => {
      refused = refusals(tree);
    });
    afterAll(() => fs.rmSync(tree, { recursive: true }));

    it.each(rules)("$folder imports what it may and nothing else", ({ folder, allowed }) => {
      const wrong = SPECIFIERS.filter((specifier) => !allowed.some((pattern) => matches(pattern, specifier)));
      expect(wrong.length).toBeGreaterThan(0);
      expect(refused.get(folder)?.sort()).toEqual(wrong.sort());
    });

    it("a folder that nobody has named imports nothing", () => {
      expect(refused.get("server/src/unnamed")?.sort()).toEqual(SPECIFIERS.toSorted());
    });
  });
});
