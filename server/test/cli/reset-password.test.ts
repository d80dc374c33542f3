import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PasswordHasher } from "#api/accounts/password-hasher.ts";
import { EXIT } from "#supervise/exit-codes.ts";
import { openPostgres, type PostgresFixture } from "../postgres/postgres-fixture.ts";
import { createUnmigratedDatabase } from "../postgres/with-database.ts";
import { codehub } from "./codehub.ts";

describe("codehub admin reset-password", () => {
  let database: PostgresFixture;
  let environment: Record<string, string>;

  beforeAll(async () => {
    database = await openPostgres();
    environment = { DATABASE_URL: database.url };
    const id = await database.owner();
    await database.admin.query("UPDATE users SET username = 'mina', role = 'admin' WHERE id = $1", [id]);
    await database.admin.query(
      `INSERT INTO sessions (token_hash, kind, user_id, expires_at)
       VALUES (sha256('some'), 'dashboard', $1, now() + interval '1 day')`,
      [id],
    );
  });
  afterAll(async () => await database.close());

  test("a new password, shown once; sessions end, and the audit log has it", async () => {
    const { code, said } = await codehub(environment, "admin", "reset-password", "Mina");
    expect(code).toBe(EXIT.inOrder);
    const password = /^password {2}(\S+)$/m.exec(said)?.[1] ?? "";
    const [account] = (await database.admin.query("SELECT * FROM users WHERE username = 'mina'")).rows;
    expect(await new PasswordHasher().verify(password, account.password_hash)).toBe(true);
    expect(account.must_change_password).toBe(true);
    expect((await database.admin.query("SELECT FROM sessions")).rowCount).toBe(0);
    const events = await database.admin.query("SELECT kind, actor_kind, details FROM workspace_events");
    expect(events.rows).toEqual([
      { kind: "password_changed", actor_kind: "system", details: expect.objectContaining({ username: "mina" }) },
    ]);
  });

  test("a name that nobody has: who the administrators are", async () => {
    const { code, complained } = await codehub(environment, "admin", "reset-password", "admin");
    expect({ code, complained }).toEqual({
      code: EXIT.failed,
      complained: expect.stringContaining("no account admin. Administrators are: mina."),
    });
  });

  test("a database that CodeHub never used is left as it is", async () => {
    await using empty = await createUnmigratedDatabase();
    const { code, complained } = await codehub({ DATABASE_URL: empty.url }, "admin", "reset-password", "mina");
    expect({ code, complained }).toEqual({
      code: EXIT.configuration,
      complained: expect.stringContaining("The database is empty"),
    });
  });

  test("a data directory that is not the server's is left as it is", async () => {
    const { code, complained } = await codehub({ DATA_DIR: "/nonexistent/data" }, "admin", "reset-password", "mina");
    expect({ code, complained }).toEqual({
      code: EXIT.configuration,
      complained: expect.stringContaining("no database in DATA_DIR=/nonexistent/data"),
    });
  });
});

test("codehub kubernetes print: what the configuration says, as kubectl takes it", async () => {
  const { code, said } = await codehub({ KUBERNETES_NAMESPACE: "people" }, "kubernetes", "print");
  expect(code).toBe(EXIT.inOrder);
  const { kind, items } = JSON.parse(said);
  expect(kind).toBe("List");
  expect(items[0]).toMatchObject({ kind: "Namespace", metadata: { name: "people" } });
});

test.each([
  ["nothing that there is", ["make-tea"], {}, EXIT.usage, /knows no "make-tea"\. There is:[\s\S]*kubernetes print/],
  ["a wrong configuration", ["kubernetes", "print"], { PORT: "many" }, EXIT.configuration, /PORT=many is not allowed/],
])("%s is refused in words", async (_name, words, environment, code, complained) => {
  expect(await codehub(environment as Record<string, string>, ...words)).toEqual({
    code,
    said: "",
    complained: expect.stringMatching(complained),
  });
});
