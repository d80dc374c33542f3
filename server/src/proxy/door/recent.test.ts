import { beforeEach, describe, expect, test } from "vitest";
import { Recent } from "./recent.ts";

/** A question that was asked and waits for the test to answer it. */
interface Question {
  readonly key: string;
  readonly answer: (value: string | null) => void;
  readonly fail: () => void;
}

const FRESH_MS = 5_000;
const STALE_MS = 30_000;

let now: number;
let questions: Question[];
let recent: Recent<string, string>;

beforeEach(() => {
  now = 1_000;
  questions = [];
  const times = { clock: { monotonicMs: () => now }, freshMs: FRESH_MS, staleMs: STALE_MS };
  recent = new Recent(times, (key) => {
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    questions.push({ key, answer: resolve, fail: () => reject(new Error("the database is away")) });
    return promise;
  });
});

function question(index: number): Question {
  const found = questions[index];
  if (found === undefined) throw new Error(`only ${questions.length} questions were asked`);
  return found;
}

/** What was remembered or is answered now. */
async function learn(key: string, value: string | null): Promise<string | null> {
  const asked = recent.get(key);
  question(questions.length - 1).answer(value);
  return asked;
}

describe("one question at a time for a key", () => {
  test("serves everybody who asks meanwhile, and those after it without a promise", async () => {
    const first = recent.get("a");
    const second = recent.get("a");
    expect(questions).toHaveLength(1);
    question(0).answer("yes");
    expect(await Promise.all([first, second])).toEqual(["yes", "yes"]);
    expect(recent.get("a")).toBe("yes");
    expect(questions).toHaveLength(1);
  });

  test("fails for everybody who waits, and is asked again by the next", async () => {
    const waiting = Promise.allSettled([recent.get("a"), recent.get("a")]);
    question(0).fail();
    expect((await waiting).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await learn("a", "yes")).toBe("yes");
    expect(questions).toHaveLength(2);
  });

  test("leaves other keys alone", async () => {
    const a = recent.get("a");
    const b = recent.get("b");
    question(1).answer("B");
    question(0).answer("A");
    expect(await Promise.all([a, b])).toEqual(["A", "B"]);
    expect([recent.get("a"), recent.get("b")]).toEqual(["A", "B"]);
  });

  test("is asked again when the answer is no longer fresh, counted from when it was asked for", async () => {
    const asked = recent.get("a");
    now += FRESH_MS - 1;
    question(0).answer("yes");
    await asked;
    expect(recent.get("a")).toBe("yes");
    now += 1;
    expect(await learn("a", "still")).toBe("still");
    expect(questions).toHaveLength(2);
  });

  test('is asked again after "not there", which is not remembered', async () => {
    expect(await learn("a", null)).toBeNull();
    expect(await learn("a", "made")).toBe("made");
    expect(questions).toHaveLength(2);
  });
});

describe("a stale answer", () => {
  beforeEach(async () => {
    await learn("a", "old");
    now += FRESH_MS;
  });

  test("serves only when the question fails, and is not fresh afterwards", async () => {
    const waiting = recent.get("a");
    expect(waiting).toBeInstanceOf(Promise);
    question(1).fail();
    expect(await waiting).toBe("old");
    expect(await learn("a", "new")).toBe("new");
    expect(questions).toHaveLength(3);
  });

  test("does not serve when it is too old: then the failure is told", async () => {
    now += STALE_MS - FRESH_MS - 1;
    const last = recent.get("a");
    question(1).fail();
    expect(await last).toBe("old");
    now += 1;
    const late = recent.get("a");
    question(2).fail();
    await expect(late).rejects.toThrow("the database is away");
  });

  test('does not come back after "not there"', async () => {
    expect(await learn("a", null)).toBeNull();
    const after = recent.get("a");
    question(2).fail();
    await expect(after).rejects.toThrow("the database is away");
  });

  test("does not serve for a key that never had one", async () => {
    const other = recent.get("b");
    question(1).fail();
    await expect(other).rejects.toThrow("the database is away");
  });

  test.each([
    ["its key", () => recent.forget("a")],
    ["everything", () => recent.clear()],
  ])("does not serve when %s was forgotten while the question was on its way", async (_name, forget) => {
    const waiting = recent.get("a");
    forget();
    question(1).fail();
    await expect(waiting).rejects.toThrow("the database is away");
  });

  test("serves when only another key was forgotten meanwhile", async () => {
    const waiting = recent.get("a");
    recent.forget("b");
    question(1).fail();
    expect(await waiting).toBe("old");
  });
});

describe("what is forgotten while its answer is on its way", () => {
  test.each([
    ["its key", () => recent.forget("a")],
    ["everything", () => recent.clear()],
  ])("is not remembered when %s was; who asks after that gets an answer of their own", async (_name, forget) => {
    const before = recent.get("a");
    forget();
    const after = recent.get("a");
    expect(questions).toHaveLength(2);
    question(0).answer("signed in");
    expect(await before).toBe("signed in");
    const later = recent.get("a");
    expect(questions).toHaveLength(2);
    question(1).answer(null);
    expect(await Promise.all([after, later])).toEqual([null, null]);
    expect(recent.get("a")).toBeInstanceOf(Promise);
    expect(questions).toHaveLength(3);
  });

  test("does not take the place of what was learned since", async () => {
    const before = recent.get("a");
    recent.forget("a");
    const after = recent.get("a");
    question(1).answer("new");
    expect(await after).toBe("new");
    question(0).answer("old");
    await before;
    expect(recent.get("a")).toBe("new");
  });

  test('does not, as "not there", take away what was learned since', async () => {
    const before = recent.get("a");
    recent.forget("a");
    expect(await learn("a", "new")).toBe("new");
    question(0).answer(null);
    await before;
    expect(recent.get("a")).toBe("new");
  });
});

test("a question that cannot even be asked fails like any other", async () => {
  const broken = new Recent<string, string>(
    { clock: { monotonicMs: () => now }, freshMs: FRESH_MS, staleMs: STALE_MS },
    () => {
      throw new Error("no question");
    },
  );
  for (let i = 0; i < 2; i += 1) await expect(broken.get("a")).rejects.toThrow("no question");
});

test("answers that are fresh go too when they are forgotten", async () => {
  await learn("a", "A");
  await learn("b", "B");
  recent.forget("a");
  expect(recent.get("a")).toBeInstanceOf(Promise);
  expect(recent.get("b")).toBe("B");
  recent.clear();
  expect(recent.get("b")).toBeInstanceOf(Promise);
});

test("with too many answers, the one that was asked for longest ago makes room", async () => {
  let away = false;
  const few = new Recent<number, number>(
    { clock: { monotonicMs: () => now }, freshMs: FRESH_MS, staleMs: STALE_MS, max: 2 },
    async (key) => (away ? Promise.reject(new Error("the database is away")) : key),
  );
  for (const key of [1, 2]) await few.get(key);
  now += FRESH_MS;
  for (const key of [1, 3]) await few.get(key);
  away = true;
  expect([1, 3].map((key) => few.get(key))).toEqual([1, 3]);
  await expect(few.get(2)).rejects.toThrow("the database is away");
});
