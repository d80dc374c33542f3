import { expect, it } from "vitest";
import { SharedQuestion } from "./shared-question.ts";

/** A question whose answers are given by hand. */
function byHand() {
  const asked: PromiseWithResolvers<string>[] = [];
  const question = new SharedQuestion(() => {
    const next = Promise.withResolvers<string>();
    asked.push(next);
    return next.promise;
  });
  return { question, asked };
}

it("is put once for all who wait, and never answered by what was asked before them", async () => {
  const { question, asked } = byHand();
  const first = question.ask();
  const others = [question.ask(), question.ask(), question.ask()];
  expect(asked).toHaveLength(1);
  asked[0]?.resolve("ours");
  expect(await first).toBe("ours");
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve("another's");
  expect(await Promise.all(others)).toEqual(["another's", "another's", "another's"]);
  expect(asked).toHaveLength(2);
  void question.ask();
  expect(asked).toHaveLength(3);
});

it("is put again for whoever waits after a failure", async () => {
  const { question, asked } = byHand();
  const first = question.ask();
  const second = question.ask();
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await expect.poll(() => asked.length).toBe(2);
  const third = question.ask();
  asked[1]?.resolve("back");
  expect(await second).toBe("back");
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.resolve("still");
  expect(await third).toBe("still");
});
