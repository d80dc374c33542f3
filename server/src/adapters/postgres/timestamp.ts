import pg from "pg";

const TIMESTAMPTZ = 1184;
const ZERO = 48;

/** "2026-11-15 10:00:00.123+00": as PostgreSQL writes a time in UTC to three digits, whose last zeros it leaves out. */
const SHORTEST = "2026-11-15 10:00:00+00".length;
const LONGEST = "2026-11-15 10:00:00.123+00".length;

const digit = (text: string, at: number): number => text.charCodeAt(at) - ZERO;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

/**
 * A timestamptz in milliseconds. Every row has a dozen of them, so the form that our connections get is read by its
 * places; any other one, such as a year of five digits, is left to the library.
 */
export function fromTimestamp(text: string): number {
  const end = text.length - 3;
  if (text.length < SHORTEST || text.length > LONGEST || !text.endsWith("+00") || text[10] !== " ") return slowly(text);
  let ms = 0;
  for (let at = 20, unit = 100; at < end; at += 1, unit /= 10) ms += digit(text, at) * unit;
  return Date.UTC(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5) - 1,
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
    ms,
  );
}

const slowly = (text: string): number =>
  (pg.types.getTypeParser(TIMESTAMPTZ, "text") as (text: string) => Date)(text).getTime();
