import { expect, test } from "vitest";
import { Transcript } from "./transcript.ts";

test("keeps everything while there is room", () => {
  const said = new Transcript([], 100, 100);
  said.add("one");
  said.add("two");
  expect(said.text()).toBe("one\ntwo\n");
});

test("keeps the beginning and the end, and says what is missing", () => {
  const said = new Transcript([], 8, 8);
  for (const line of ["first", "second", "third", "fourth"]) said.add(line);
  expect(said.text()).toBe("first\n[… 12 bytes left out …]\n\nfourth\n");
});

test("half a character becomes a whole one, and nothing leads a terminal", () => {
  const said = new Transcript([], 0, 4);
  said.add("\u001b[31m\u0000ä€");
  expect(JSON.parse(JSON.stringify(said.text()))).toBe(said.text());
  expect(said.text()).toMatch(/€\n$/);
  for (const control of ["\u0000", "\u001b"]) expect(said.text()).not.toContain(control);
});

test("a secret that somebody repeats is not kept", () => {
  const said = new Transcript(["hunter22"]);
  said.add("remote: is hunter22 your password?");
  expect(said.text()).toBe("remote: is *** your password?\n");
});

test("a secret that another one begins with, or that a terminal would obey, is not kept either", () => {
  const said = new Transcript(["hunter22", "hunter22-and-more", "es\u001bcape\u009b"]);
  said.add("remote: hunter22-and-more, hunter22, es\u001bcape\u009b");
  expect(said.text()).toBe("remote: ***, ***, ***\n");
});
