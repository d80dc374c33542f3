import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Place, Sealed } from "#ports/secrets.ts";
import { checkOf, makeKeyFile, newKey, parseKeys, readKeyFile, replaceKeyFile } from "./key-file.ts";
import { FileSealer } from "./sealer.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "codehub-keys-"));
});
afterAll(() => rm(directory, { recursive: true }));

const place: Place = { owner: "ada", scope: "user", name: "TOKEN", id: "1" };
const [a, b] = [newKey(), newKey()];
const nowhere = "/nonexistent/secrets.key";
async function sealed(value = "swordfish", key = a): Promise<Sealed> {
  const made = await new FileSealer(nowhere, [key]).seal(key.id, place, value);
  if (made === null) throw new Error("the key is there");
  return made;
}

describe("a sealed value", () => {
  test.each(["swordfish", "", "ключ\n\0🔑", "x".repeat(48_000)])("opens at its place: %#", async (value) => {
    const made = await sealed(value);
    expect(await new FileSealer(nowhere, [b, a]).open(place, made)).toBe(value);
    if (value !== "") expect(Buffer.concat([made.box, made.wrapped]).includes(Buffer.from(value))).toBe(false);
  });

  test.each<Partial<Place>>([{ owner: "eve" }, { scope: "https" }, { name: "OTHER" }, { id: "2" }])(
    "does not open at another place: %o",
    async (moved) => {
      expect(await new FileSealer(nowhere, [a]).open({ ...place, ...moved }, await sealed())).toBeNull();
    },
  );

  test("does not open with another key of the same name, without its key, or changed by one bit", async () => {
    const made = await sealed();
    const impostor = { id: a.id, key: b.key };
    expect(await new FileSealer(nowhere, [impostor]).open(place, made)).toBeNull();
    expect(await new FileSealer(nowhere, [b]).open(place, made)).toBeNull();
    for (const part of ["box", "wrapped"] as const) {
      for (const at of [0, 13, made[part].length - 1]) {
        const bent = Buffer.from(made[part]);
        bent[at] = (bent[at] ?? 0) ^ 1;
        expect(await new FileSealer(nowhere, [a]).open(place, { ...made, [part]: bent })).toBeNull();
      }
    }
    const none = Buffer.alloc(0);
    expect(await new FileSealer(nowhere, [a]).open(place, { ...made, box: none, wrapped: none })).toBeNull();
  });

  test("is never sealed twice alike, and another value of the same place does not fit its own key", async () => {
    const [one, two] = [await sealed("one"), await sealed("two")];
    expect(Buffer.from(one.wrapped).equals(Buffer.from(two.wrapped))).toBe(false);
    expect(await new FileSealer(nowhere, [a]).open(place, { ...one, box: two.box })).toBeNull();
  });

  test("opens after it was wrapped anew, without the former key", async () => {
    const anew = await new FileSealer(nowhere, [b, a]).rewrap(b.id, place, await sealed());
    expect(anew?.keyId).toBe(b.id);
    expect(await new FileSealer(nowhere, [b]).open(place, anew ?? (await sealed()))).toBe("swordfish");
    expect(await new FileSealer(nowhere, [b]).rewrap(b.id, place, await sealed())).toBeNull();
  });

  test("a key that came into the file later is found, one that is not trusted is not", async () => {
    const path = join(directory, "later.key");
    const keys = await makeKeyFile(path);
    const sealer = new FileSealer(path, keys, (key) => key.id !== "bad");
    await replaceKeyFile(path, [a, { ...b, id: "bad" }, ...keys]);
    expect(await sealer.open(place, await sealed())).toBe("swordfish");
    expect(await sealer.seal("bad", place, "x")).toBeNull();
    await rm(path);
    expect(await sealer.open(place, await sealed()), "what is known stays known").toBe("swordfish");
    expect(await sealer.seal(b.id, place, "x")).toBeNull();
  });
});

describe("the key file", () => {
  test("is made once, for its user only, also by several at once", async () => {
    const path = join(directory, "made.key");
    const made = await Promise.all([makeKeyFile(path), makeKeyFile(path), makeKeyFile(path)]);
    expect(new Set(made.map((keys) => keys.map(checkOf).join())).size).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(parseKeys(await readFile(path, "utf8"), path)).toEqual(made[0]);
    expect(await readdir(directory)).not.toContainEqual(expect.stringContaining(".part"));
  });

  test("keeps its mode when keys are replaced, but nothing for everybody", async () => {
    const path = join(directory, "replaced.key");
    await makeKeyFile(path);
    await chmod(path, 0o644);
    await replaceKeyFile(path, [a, b]);
    expect(await readKeyFile(path)).toEqual([a, b]);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  test("is missing, or says in words what is wrong with it and nothing that is in it", async () => {
    const path = join(directory, "wrong.key");
    expect(await readKeyFile(path)).toBeNull();
    const secret = Buffer.from(a.key).toString("base64");
    const good = `${a.id} ${secret}\n`;
    for (const [text, words] of [
      ["", "is empty"],
      ["# nothing\n\n", "is empty"],
      [`${good}${good}`, "line 2: there is a key"],
      [secret, "line 1: a line is"],
      [`k ${secret.slice(4)}`, "line 1: a line is"],
      [`K ${secret}`, "line 1: a line is"],
    ] as const) {
      await writeFile(path, text);
      const said = await readKeyFile(path).catch((error: Error) => error.message);
      expect(said).toContain(words);
      expect(said).not.toContain(secret.slice(4, 20));
    }
    await expect(readKeyFile(directory)).rejects.toThrow("cannot be read (EISDIR)");
  });
});
