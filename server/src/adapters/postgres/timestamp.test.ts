import fc from "fast-check";
import pg from "pg";
import { expect, test } from "vitest";
import { fromTimestamp } from "./timestamp.ts";

const library = pg.types.getTypeParser(1184, "text") as (text: string) => Date;
const written = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, -1).replace(/\.?0+$/, "")}+00`;

test("every time of a year of four digits is read as the library reads it", () => {
  const date = fc.date({ min: new Date("0100-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
  fc.assert(
    fc.property(date, (at) => {
      const iso = at.toISOString();
      for (const text of [written(iso), `${iso.slice(0, 10)} ${iso.slice(11, -1)}+00`]) {
        expect(library(text).getTime(), text).toBe(at.getTime());
        expect(fromTimestamp(text), text).toBe(at.getTime());
      }
    }),
  );
});

test.each([
  ["2026-11-15 10:00:00+00", "2026-11-15T10:00:00.000Z"],
  ["2026-11-15 10:00:00.1+00", "2026-11-15T10:00:00.100Z"],
  ["2026-11-15 10:00:00.12+00", "2026-11-15T10:00:00.120Z"],
  ["2026-11-15 10:00:00.123456+00", "2026-11-15T10:00:00.123Z"],
  ["2026-11-15 10:00:00.5+01", "2026-11-15T09:00:00.500Z"],
  ["2026-11-15 10:00:00+05:30", "2026-11-15T04:30:00.000Z"],
  ["12026-11-15 10:00:00+00", "+012026-11-15T10:00:00.000Z"],
])("%s", (text, iso) => {
  expect(new Date(fromTimestamp(text)).toISOString()).toBe(iso);
});
