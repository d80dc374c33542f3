import { formOf, span } from "@codehub/contract";

const second = 1000;
const minute = 60 * second;

/** What has happened: "8 min ago", and "just now" also where the page's clock is behind the server's. */
export const ago = (at: number, now: number): string => (now - at < 10 * second ? "just now" : `${span(now - at)} ago`);

/** What is going to happen at a time that may have come already: the clock is not the one who acts. */
export function upcoming(at: number, now: number): string {
  if (at <= now) return "any moment";
  return at - now < 10 * second ? "in a moment" : `in ${span(at - now)}`;
}

const units = ["B", "kB", "MB", "GB", "TB"] as const;
export function bytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : Number(value.toPrecision(2))} ${units[unit]}`;
}

/** Hours of running: "40 min", "3.5 h", "1,200 h". */
export function hours(value: number): string {
  if (value === 0) return "0 h";
  if (value < 1) return `${Math.max(1, Math.round(value * 60))} min`;
  return `${value < 10 ? Number(value.toFixed(1)) : count(Math.round(value))} h`;
}

// Formats are made once: to make one takes longer than to write a whole row of a list.
const numbers = new Intl.NumberFormat("en");
const moments = new Intl.DateTimeFormat(undefined, {
  ...({ weekday: "short", year: "numeric", month: "short", day: "numeric" } as const),
  ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" } as const),
});
const times = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const days = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

export const count = (value: number): string => numbers.format(value);

/** "1 workspace", "1,234 workspaces". */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${formOf(value, { one: noun, other: `${noun}s` })}`;

/** Seconds as a person sets them: "10 min", "3 h", "never". */
export const ttl = (seconds: number): string => (seconds === 0 ? "never" : span(seconds * second));

/** The exact moment in the user's own zone, with the zone named. */
export const exact = (at: number): string => moments.format(at);

export const clockTime = (at: number): string => times.format(at);
export const dayName = (at: number): string => days.format(at);
export const dayAndTime = (at: number): string => `${dayName(at)}, ${clockTime(at)}`;

/** The value a datetime-local field shows for a moment, in the user's zone. */
export function localInput(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * minute).toISOString().slice(0, 16);
}
