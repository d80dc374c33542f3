import { afterEach, describe, expect, it } from "vitest";
import type { OpenCheck } from "#core/checks/check.ts";
import type { Reason } from "#core/rows/meaning.ts";
import type { CheckStore } from "#ports/checks.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { Checked, CheckSpec } from "#ports/jobs.ts";
import type { Keyring, OneKey } from "#ports/keyring.ts";
import { NotLeader } from "#ports/store.ts";
import { runChecks } from "./checks.ts";
import type { TermContext } from "./term.ts";

const NOW = 5_000_000;
const GOOD: Checked = { branch: "main", asked: true, failure: null };
const check = (id: string, change: Partial<OpenCheck> = {}): OpenCheck => ({
  ...{ id, userId: "ada", kind: "https", host: "git.example.com", cloneUrl: "https://git.example.com/a/b" },
  ...{ state: "asked", askedAt: NOW, ...change },
});

/** A database of questions, a host that answers as it is told, and time that passes only when it is let. */
class Stage {
  readonly rows = new Map<string, OpenCheck>();
  readonly answers: Record<string, Reason> = {};
  readonly jobs: { readonly spec: CheckSpec; readonly signal: AbortSignal }[] = [];
  readonly ended: string[] = [];
  readonly opened: OneKey[] = [];
  readonly said: string[] = [];
  readonly sleeping: { readonly ms: number; readonly wake: () => void }[] = [];
  readonly stop = new AbortController();
  keys: Awaited<ReturnType<Keyring["openOne"]>> = {
    ...{ sshKey: null, locked: [], credentials: [{ host: "git.example.com", username: "ada", password: "s3cret" }] },
  };
  host: (signal: AbortSignal) => Promise<Checked> = async () => GOOD;
  finish: (id: string, outcome: Reason) => void = (id, outcome) => {
    this.answers[id] = outcome;
    this.rows.delete(id);
  };
  engineId = "ours";
  hint: () => void = () => {};
  running: Promise<void> = Promise.resolve();

  begin(...checks: OpenCheck[]): this {
    for (const one of checks) this.rows.set(one.id, one);
    const store: CheckStore = {
      open: async () => ({ now: NOW, checks: [...this.rows.values()] }),
      begin: async (id) => {
        const row = this.rows.get(id);
        if (row?.state !== "asked") return false;
        this.rows.set(id, { ...row, state: "running" });
        return true;
      },
      finish: async (id, outcome) => this.finish(id, outcome),
      forget: async () => {},
    };
    const subscribe = (onHint: () => void) => {
      this.hint = onHint;
      return { end: () => {} };
    };
    this.running = runChecks(this.#term(), { store: () => store, hints: { subscribe } });
    return this;
  }

  #term(): TermContext {
    const { signal } = this.stop;
    const sleep = (ms: number, woken?: AbortSignal): Promise<void> =>
      new Promise((wake) => {
        if (woken?.aborted) return wake();
        woken?.addEventListener("abort", () => wake(), { once: true });
        this.sleeping.push({ ms, wake });
      });
    const log = (fields: object, text: string): void => void this.said.push(`${text} ${JSON.stringify(fields)}`);
    const keyring = {
      openOne: async (_: string, which: OneKey) => {
        this.opened.push(which);
        return this.keys;
      },
    };
    return {
      deps: { clock: { sleep, monotonicMs: () => 0 }, keyring },
      store: { epoch: 7 },
      world: {
        runtime: { engineId: async () => this.engineId },
        jobs: { end: async (id: string) => void this.ended.push(id) },
        setup: {
          check: (spec: CheckSpec, options: { signal: AbortSignal }) => {
            this.jobs.push({ spec, signal: options.signal });
            return this.host(options.signal);
          },
        },
      },
      trust: { engine: null, store: null, bound: { engineId: "ours" } },
      logger: { info: log, warn: log },
      signal,
      end: (why: string) => {
        this.said.push(why);
        this.stop.abort();
      },
    } as unknown as TermContext;
  }

  async answered(id: string): Promise<Reason | undefined> {
    await expect.poll(() => this.answers[id], { interval: 1 }).toBeDefined();
    return this.answers[id];
  }

  pass(ms: number): void {
    for (const one of this.sleeping.filter((each) => each.ms === ms)) one.wake();
  }
}

const LOOK_MS = 5_000;
const LIMIT_MS = 60_000;
const untilEnded = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

let stage = new Stage();
afterEach(async () => {
  stage.stop.abort();
  await stage.running;
  stage = new Stage();
});

describe("a test of a key", () => {
  it("is run with that key and no other, and answered", async () => {
    stage.begin(check("a"));
    expect(await stage.answered("a")).toEqual({ code: "works", fields: { host: "git.example.com", branch: "main" } });
    expect(stage.opened).toEqual([{ kind: "https", host: "git.example.com" }]);
    const { checkId, ownerId, cloneUrl, limitSeconds, files } = stage.jobs[0]?.spec ?? ({} as CheckSpec);
    expect([checkId, ownerId, cloneUrl]).toEqual(["a", "ada", "https://git.example.com/a/b"]);
    expect(limitSeconds * 1_000).toBeLessThan(LIMIT_MS);
    const given = Object.fromEntries(files.map(({ path, content }) => [path, new TextDecoder().decode(content)]));
    expect(given["credentials"]).toBe("git.example.com\nada\ns3cret\n");
    expect(given).not.toHaveProperty("ssh-key");
    expect(stage.said.join("\n")).not.toContain("s3cret");
  });

  it.each([
    ["nothing is kept", { sshKey: null, credentials: [], locked: [] }, "not_kept"],
    ["what is kept does not open", { sshKey: null, credentials: [], locked: ["git.example.com"] }, "locked"],
  ] as const)("is not run where %s", async (_, keys, code) => {
    stage.keys = { ...keys };
    stage.begin(check("a", { kind: "ssh" }));
    expect(await stage.answered("a")).toEqual({ code });
    expect([stage.jobs, stage.opened]).toEqual([[], [{ kind: "ssh" }]]);
  });

  it("says in words that it could not be run", async () => {
    stage.host = async () => Promise.reject(new OperationFailure("ActionFailed", "no place is only in memory"));
    stage.begin(check("a"));
    expect(await stage.answered("a")).toEqual({ code: "not_run", fields: { said: "no place is only in memory" } });
  });

  it("is not run on an engine that is not ours", async () => {
    stage.engineId = "another";
    stage.begin(check("a"));
    expect(await stage.answered("a")).toMatchObject({ code: "not_run" });
    expect(stage.jobs).toEqual([]);
  });

  it("is ended after its time", async () => {
    stage.host = untilEnded;
    stage.begin(check("a"));
    await expect.poll(() => stage.jobs.length, { interval: 1 }).toBe(1);
    expect(stage.jobs[0]?.signal.aborted).toBe(false);
    stage.pass(LIMIT_MS);
    expect(await stage.answered("a")).toEqual({ code: "timed_out", fields: { seconds: 60 } });
  });

  it("of a leader that is gone is ended by its labels before anything else begins", async () => {
    stage.begin(check("mine"), check("orphan", { state: "running" }), check("late", { askedAt: NOW - 300_001 }));
    expect(await stage.answered("mine")).toMatchObject({ code: "works" });
    expect(stage.ended).toEqual(["orphan"]);
    expect(stage.answers).toMatchObject({ orphan: { code: "interrupted" }, late: { code: "interrupted" } });
    expect(stage.jobs.map(({ spec }) => spec.checkId)).toEqual(["mine"]);
  });

  it("whose answer could not be written is interrupted by the next look", async () => {
    const write = stage.finish;
    let tries = 0;
    stage.finish = (id, outcome) => {
      tries += 1;
      if (tries === 1) throw new Error("the database is away");
      write(id, outcome);
    };
    stage.begin(check("a"));
    expect(await stage.answered("a")).toEqual({ code: "interrupted" });
    expect(stage.ended).toEqual(["a"]);
  });

  it("waits while three are under way, and is begun as soon as one is over", async () => {
    const waiting: (() => void)[] = [];
    stage.host = () => new Promise((done) => waiting.push(() => done(GOOD)));
    stage.begin(...["a", "b", "c", "d"].map((id, index) => check(id, { userId: id, askedAt: NOW - 10 + index })));
    await expect.poll(() => stage.jobs.length, { interval: 1 }).toBe(3);
    waiting[0]?.();
    await stage.answered("a");
    await expect.poll(() => stage.jobs.length, { interval: 1 }).toBe(4);
    expect(stage.jobs[3]?.spec.checkId).toBe("d");
    for (const done of waiting) done();
    await stage.answered("d");
  });

  it("is begun at a hint, and without one by looking", async () => {
    stage.begin();
    await expect.poll(() => stage.sleeping.length, { interval: 1 }).toBe(1);
    stage.rows.set("hinted", check("hinted"));
    stage.hint();
    await stage.answered("hinted");
    await expect
      .poll(() => stage.sleeping.filter(({ ms }) => ms === LOOK_MS).length, { interval: 1 })
      .toBeGreaterThan(1);
    stage.rows.set("found", check("found", { userId: "bob" }));
    stage.pass(LOOK_MS);
    await stage.answered("found");
  });

  it("is left to the next leader by one that is none any more", async () => {
    stage.finish = () => {
      throw new NotLeader("Epoch 7 is over");
    };
    stage.begin(check("a", { askedAt: 0 }));
    await stage.running;
    expect(stage.said).toEqual(["another leader has taken over"]);
  });

  it("is ended with its leader's term, and not answered", async () => {
    stage.host = (signal) =>
      untilEnded(signal).catch(() => Promise.reject(new OperationFailure("ActionFailed", "killed")));
    stage.begin(check("a"));
    await expect.poll(() => stage.jobs.length, { interval: 1 }).toBe(1);
    stage.stop.abort();
    await stage.running;
    expect([stage.answers, stage.rows.get("a")?.state]).toEqual([{}, "running"]);
  });
});
