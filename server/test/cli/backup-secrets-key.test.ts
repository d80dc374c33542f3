import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkOf, type FileKey, newKey } from "#adapters/secrets/key-file.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { openPostgres, type PostgresFixture } from "../postgres/postgres-fixture.ts";
import { createUnmigratedDatabase } from "../postgres/with-database.ts";
import { codehub } from "./codehub.ts";

const line = ({ id, key }: FileKey): string => `${id} ${Buffer.from(key).toString("base64")}\n`;

/** The file that opens people's secrets, in a backup where that was asked for and in its place afterwards. */
describe("codehub backup and the keys for secrets", () => {
  const key = newKey();
  let source: PostgresFixture;
  let folder: string;
  beforeAll(async () => {
    source = await openPostgres();
    await source.admin.query("INSERT INTO secret_keys (id, check_value, state) VALUES ($1, $2, 'sealing')", [
      key.id,
      checkOf(key),
    ]);
    folder = mkdtempSync(join(tmpdir(), "codehub-backup-keys-"));
    writeFileSync(file("secrets.key"), `# of this house\n${line(key)}`, { mode: 0o600 });
    const done = await codehub(
      from(),
      "backup",
      file("data"),
      "--keys",
      file("keys"),
      "--secrets-key",
      file("secrets"),
    );
    expect(done, done.complained).toMatchObject({ code: EXIT.inOrder });
    expect(done.said).toContain("Keep it apart from the backup");
  });
  afterAll(async () => {
    await source?.close();
    rmSync(folder, { recursive: true });
  });
  const file = (name: string): string => join(folder, name);
  const place = (url: string, keys: string) => ({
    ...{ DATABASE_URL: url, DATA_DIR: file("elsewhere"), RUNTIME: "process" },
    SECRETS_KEY_FILE: file(keys),
  });
  const from = () => place(source.url, "secrets.key");
  const restore = async (keys: string, ...more: string[]) => {
    await using target = await createUnmigratedDatabase();
    return await codehub(place(target.url, keys), "restore", file("data"), ...more);
  };
  const given = () => ["--secrets-key", file("secrets")];
  const mode = (name: string): number => statSync(file(name)).mode & 0o777;

  test("are in a file of their own, for its owner only, and in no other", async () => {
    expect(readFileSync(file("secrets"), "utf8")).toBe(line(key));
    expect(mode("secrets")).toBe(0o600);
    for (const other of ["data", "keys"])
      expect(gunzipSync(readFileSync(file(other))).toString()).not.toContain(line(key).split(" ")[1]?.trim());
    expect((await codehub(from(), "backup", file("without"))).said).not.toContain("secrets");
    const both = await codehub(from(), "backup", file("same"), "--secrets-key", file("same"));
    expect(both).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("two files at once") });
    const again = await codehub(from(), "backup", file("again"), ...given());
    expect(again).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("not written over") });
    const none = await codehub(place(source.url, "nowhere"), "backup", file("again"), "--secrets-key", file("none"));
    expect(none).toMatchObject({ code: EXIT.failed, complained: expect.stringContaining("no keys to save") });
    expect(() => statSync(file("again")), "nothing was begun").toThrow("ENOENT");
  });

  test("come back to their place, whatever is missing on the way to it", async () => {
    const done = await restore("new/place/secrets.key", ...given());
    expect(done, done.complained).toMatchObject({ code: EXIT.inOrder });
    expect(done.said).not.toContain("enter their secrets again");
    expect(readFileSync(file("new/place/secrets.key"), "utf8")).toBe(line(key));
    expect(mode("new/place/secrets.key")).toBe(0o600);
    const twice = await restore("new/place/secrets.key", ...given());
    expect(twice.said).toContain("had the keys for people's secrets already");
    expect(readFileSync(file("new/place/secrets.key"), "utf8")).toBe(line(key));
  });

  test("are added below others that are there, which is said", async () => {
    const other = newKey();
    writeFileSync(file("others.key"), line(other), { mode: 0o600 });
    const done = await restore("others.key", ...given());
    expect(done.said).toContain(`these were added below: ${key.id}`);
    expect(readFileSync(file("others.key"), "utf8")).toBe(line(other) + line(key));
    expect(mode("others.key")).toBe(0o600);
  });

  test("are refused beside another of the same name, and nothing is touched", async () => {
    const other = line({ ...newKey(), id: key.id });
    writeFileSync(file("clash.key"), other, { mode: 0o600 });
    const done = await restore("clash.key", ...given());
    expect(done.code).not.toBe(EXIT.inOrder);
    expect(done.complained).toContain(`The key ${key.id} is another one in ${file("clash.key")}`);
    expect(done.complained + done.said).not.toContain(other.split(" ")[1]?.trim());
    expect(readFileSync(file("clash.key"), "utf8")).toBe(other);
  });

  test("that are missing after a restore are named", async () => {
    expect(await restore("nothing.key")).toMatchObject({
      code: EXIT.inOrder,
      said: expect.stringContaining(`sealed with the key ${key.id}, which ${file("nothing.key")} does not have`),
    });
  });
});
