import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";

test("a sleep ends at once when it is aborted, before or while it lasts, and never rejects", async () => {
  await systemClock.sleep(60_000, AbortSignal.abort());
  const control = new AbortController();
  const asleep = systemClock.sleep(60_000, control.signal);
  control.abort();
  await asleep;
});

test("a sleep that is not aborted lasts", async () => {
  const before = systemClock.monotonicMs();
  await systemClock.sleep(5);
  expect(systemClock.monotonicMs() - before).toBeGreaterThanOrEqual(5);
});
