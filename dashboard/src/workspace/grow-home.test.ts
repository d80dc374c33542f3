import { expect, it } from "vitest";
import { gib, inGib, nextSize } from "./grow-home.ts";

it.each([
  ["twice as much", { held: 10 * gib, most: null }, 20 * gib],
  ["as far as an owner may", { held: 10 * gib, most: 15 * gib }, 15 * gib],
  ["nothing where that is no more", { held: 10 * gib, most: 10 * gib }, null],
  ["nothing where an administrator gave more", { held: 20 * gib, most: 10 * gib }, null],
])("offers %s", (_, room, expected) => expect(nextSize(room)).toBe(expected));

it("is written in GiB", () => expect([inGib(2.5 * gib), inGib(64 * 1024 ** 2)]).toEqual(["2.5", "0.06"]));
