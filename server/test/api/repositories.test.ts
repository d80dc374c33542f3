import { ApiError } from "@codehub/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../postgres/with-database.ts";
import { startApi, type TestApi, type TestUser } from "./harness.ts";

let database: TestDatabase;
let api: TestApi;
let ada: TestUser;

beforeAll(async () => {
  database = await createTestDatabase();
  api = await startApi({ databaseUrl: database.url });
  ada = await api.user("ada");
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await database.drop();
});

it("says what a pasted address stands for", async () => {
  const address = "https://github.com/team/app/pull/12";
  expect(await ada.client.inspectRepository({ body: { address } })).toEqual({
    clone_url: "https://github.com/team/app",
    host: "github.com",
    key: "github.com/team/app",
    ref: { kind: "pull", ref: "refs/pull/12/head", branch: "pr-12" },
    folder: "app",
    already_open: [],
  });
});

it("refuses with a sentence, a code and fields, and does not repeat a secret", async () => {
  const address = "https://ann:hunter2@github.com/team/app";
  const refused = await ada.client.inspectRepository({ body: { address } }).catch((error: unknown) => error);
  if (!(refused instanceof ApiError)) throw new Error("It was taken.");
  const { code, message, details } = refused;
  expect([code, details["reason"], details["fields"]]).toEqual([
    "REPOSITORY_REFUSED",
    "password",
    { host: "github.com" },
  ]);
  expect(message).toMatch(/save it as a credential for github\.com/);
  expect(JSON.stringify([message, details])).not.toContain("hunter2");
});

it("takes http where the operator allows it", async () => {
  const inspect = (address: string) => ada.client.inspectRepository({ body: { address } });
  expect((await inspect("http://plain.example.com/app.git")).clone_url).toBe("http://plain.example.com/app.git");
  await expect(inspect("http://other.example.com/app.git")).rejects.toThrow(/without encryption/);
});
