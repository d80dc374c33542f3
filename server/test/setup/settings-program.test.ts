import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { SETTINGS_PROGRAM } from "#core/setup/settings-program.ts";

interface Ended {
  readonly code: number;
  readonly said: string;
}

/** With the Node that the tests run on, as the IDE's would. */
async function add(file: string, settings: object): Promise<Ended> {
  const child = spawn(process.execPath, ["-e", SETTINGS_PROGRAM, file, JSON.stringify(settings)]);
  const code = new Promise<number>((resolve) => child.once("exit", (ended) => resolve(ended ?? -1)));
  const said = (await text(child.stdout)) + (await text(child.stderr));
  return { code: await code, said };
}

const root = mkdtempSync(join(tmpdir(), "codehub-settings-"));
afterAll(() => rmSync(root, { recursive: true }));

function place(before: string | null): string {
  const folder = mkdtempSync(join(root, "home-"));
  const file = join(folder, "User/settings.json");
  if (before === null) return file;
  writeFileSync(join(folder, "settings.json"), before, { mode: 0o600 });
  return join(folder, "settings.json");
}

// Some wait for seconds for a file that does not come.
describe.concurrent("settings of a project", () => {
  test.each([
    ["into an empty object", "{}", { a: 1 }, '{\n  "a": 1\n}\n'],
    ["into an empty file", "", { a: 1 }, '{\n  "a": 1\n}\n'],
    [
      "behind what is there, as that is indented",
      '{\n\t"b": [1]\n}',
      { a: 1 },
      '{\n\t"b": [\n\t\t1\n\t],\n\t"a": 1\n}\n',
    ],
    [
      "never over what is there, also where that is nothing",
      '{"a": null}',
      { a: 1, "[x]": {} },
      '{\n  "a": null,\n  "[x]": {}\n}\n',
    ],
    [
      "under names that objects have themselves",
      "{}",
      JSON.parse('{"__proto__": 1, "toString": 2}'),
      '{\n  "__proto__": 1,\n  "toString": 2\n}\n',
    ],
  ])("come %s", async (_, before, settings, after) => {
    const file = place(before);
    expect(await add(file, settings)).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe(after);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("are a file where the image writes none", async () => {
    const file = place(null);
    expect(await add(file, { a: 1 })).toEqual({ code: 0, said: "added: a\n" });
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1 });
  });

  test.each([
    ["comments", '{\n  // mine\n  "b": 1\n}', /comments or a mistake/],
    ["a comma too many", '{"b": 1,}', /comments or a mistake/],
    ["a list", "[1]", /no object/],
  ])("leave a file with %s as it is, and say so", async (_, before, words) => {
    const file = place(before);
    const { code, said } = await add(file, { a: 1 });
    expect(code).toBe(1);
    expect(said).toMatch(words);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("that are all there change nothing", async () => {
    const file = place('{"a":2}');
    expect(await add(file, { a: 1 })).toEqual({ code: 0, said: "there already: a\n" });
    expect(readFileSync(file, "utf8")).toBe('{"a":2}');
  });

  test("are written to where a link leads, and the link stays", async () => {
    const real = place("{}");
    const link = `${real}.link`;
    symlinkSync(real, link);
    expect(await add(link, { a: 1 })).toMatchObject({ code: 0 });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ a: 1 });
    rmSync(real);
    const { code, said } = await add(link, { a: 1 });
    expect([code, said]).toEqual([1, expect.stringContaining("leads nowhere")]);
    expect(existsSync(real)).toBe(false);
  });
});
