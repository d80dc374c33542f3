import type { Workspace } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { migrate, readMigrations } from "#adapters/postgres/migrate.ts";
import { redisAvailable } from "../api/redis-server.ts";
import { admin } from "../e2e/program.ts";
import { type Deployment, startDeployment } from "./deployment.ts";
import { nginxAvailable } from "./front.ts";
import { again, Person, slowly, type Tally } from "./people.ts";

const STREAMS = 50;
const SOCKETS = 10;
const UPLOAD = JSON.stringify({ text: "x".repeat(80_000) });
/** How many requests there are at least; the restarts go round until then. */
const REQUESTS = Number(process.env["ROLLING_REQUESTS"] ?? 2_000);

/**
 * Three CodeHubs of one deployment behind the real nginx, with the documentation's own configuration of it. Each is stopped in order and
 * started again while people work, on a schema that a newer release has added something to: nobody may notice.
 */
describe.skipIf(!nginxAvailable() || !redisAvailable())("a rolling restart of three replicas", () => {
  let deployment: Deployment;
  let person: Person;
  let running: Workspace;

  beforeAll(async () => {
    deployment = await startDeployment();
    person = await Person.signIn(deployment.front, admin);
    running = await person.start("at work");
  });
  afterAll(() => deployment?.[Symbol.asyncDispose]());

  it("fails no request, ends no upload, and every event stream holds what there is", async () => {
    const idle = await Promise.all(
      [1, 2, 3].map((index) =>
        person.api<Workspace>("POST", "/workspaces", { name: `idle ${index}`, desired_state: "ARCHIVED" }),
      ),
    );
    const refusedPost = await person.askIde(running.id, slowly(UPLOAD, 0));
    const working = new AbortController();
    const { signal } = working;
    const tally: Tally = { answered: 0, reconnected: 0, failed: [] };
    const expectIde = async (expected: number, body?: ReturnType<typeof slowly>) => {
      const status = await person.askIde(running.id, body);
      if (status !== expected) throw new Error(`the IDE said ${status} instead of ${expected}`);
    };
    let renames = 0;
    const people = [
      ...[1, 2, 3].map(() => again(signal, tally, async () => void (await person.api("GET", "/workspaces")))),
      ...[1, 2, 3].map(() => again(signal, tally, () => expectIde(200))),
      again(signal, tally, async () => {
        const one = idle[renames++ % idle.length];
        await person.api("PATCH", `/workspaces/${one?.id}`, { name: `renamed ${renames}` });
      }),
      again(signal, tally, () => expectIde(refusedPost, slowly(UPLOAD, 1_500))),
      again(signal, tally, async () => {
        const name = slowly(JSON.stringify({ name: `slowly ${++renames}` }), 1_500);
        await person.api("PATCH", `/workspaces/${idle[0]?.id}`, name);
      }),
      ...Array.from({ length: SOCKETS }, () =>
        again(signal, tally, async () => {
          const socket = await person.socket(running.id);
          const stop = (): void => socket.terminate();
          signal.addEventListener("abort", stop, { once: true });
          if (signal.aborted) stop();
          if (socket.readyState !== WebSocket.CLOSED) await new Promise((closed) => socket.once("close", closed));
          signal.removeEventListener("abort", stop);
        }),
      ),
    ];
    const streams = Array.from({ length: STREAMS }, () => person.follow(signal, tally));
    try {
      const codes: (number | null)[] = [];
      // One of a newer release has come: the others go on with its schema, and are started on it.
      const ours = await readMigrations();
      const added = "ALTER TABLE workspaces ADD COLUMN of_a_newer_release integer";
      const next = { number: ours.length + 1, name: "newer", sql: added, checksum: "newer", usableFrom: ours.length };
      // Where this is tried once more, it has been done.
      expect([[], [next.number]]).toContainEqual((await migrate(deployment.databaseUrl, [...ours, next])).applied);
      do {
        for (const replica of deployment.replicas) {
          codes.push(await replica.stop());
          await replica.start();
        }
      } while (tally.answered < REQUESTS && tally.failed.length === 0);
      expect([...new Set(codes)]).toEqual([0]);
      expect(tally.failed).toEqual([]);
      expect(tally.answered).toBeGreaterThanOrEqual(REQUESTS);
      // Those that were connected to each of the three have moved on.
      expect(tally.reconnected).toBeGreaterThanOrEqual(STREAMS);
    } finally {
      const truth = async (): Promise<string> => {
        const { items } = await person.api<{ items: { id: string; version: number }[] }>("GET", "/workspaces");
        return versions(items);
      };
      await vi
        .waitUntil(
          async () => {
            const now = await truth();
            return streams.every((stream) => versions([...stream.held().values()]) === now) || signal.aborted;
          },
          { timeout: 20_000, interval: 100 },
        )
        .catch((error: unknown) => tally.failed.push(`events: ${error}`));
      working.abort();
      await Promise.all(people);
      if (tally.failed.length > 0) console.log(await deployment.front.complaints());
    }
    expect(tally.failed).toEqual([]);
    console.log(`${tally.answered} requests answered, 0 failed; ${tally.reconnected} event streams connected again`);
  });
});

const versions = (items: readonly { readonly id: string; readonly version: number }[]): string =>
  items
    .map(({ id, version }) => `${id} ${version}`)
    .sort()
    .join();
