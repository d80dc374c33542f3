const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const plural = (count: number, unit: "day" | "month") => `${count} ${unit}${count === 1 ? "" : "s"}`;

/** A span in the coarsest unit that still says something: "8 min", "3 h", "12 days". */
export const span = (ms: number): string => {
  const size = Math.abs(ms);
  if (size < 59.5 * second) return `${Math.max(1, Math.round(size / second))} s`;
  if (size < 59.5 * minute) return `${Math.round(size / minute)} min`;
  if (size < 47.5 * hour) return `${Math.round(size / hour)} h`;
  if (size < 60 * day) return plural(Math.round(size / day), "day");
  return plural(Math.round(size / (30.4 * day)), "month");
};

/** What has happened: "8 min ago", and "just now" also where the page's clock is behind the server's. */
export const ago = (at: number, now: number): string => (now - at < 10 * second ? "just now" : `${span(now - at)} ago`);

/** What is going to happen at a time that may have come already: the clock is not the one who acts. */
export const upcoming = (at: number, now: number): string => {
  if (at <= now) return "any moment";
  return at - now < 10 * second ? "in a moment" : `in ${span(at - now)}`;
};

const units = ["B", "kB", "MB", "GB", "TB"] as const;
export const bytes = (count: number): string => {
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : Number(value.toPrecision(2))} ${units[unit]}`;
};

export const count = (value: number): string => value.toLocaleString("en");

/** "1 workspace", "1,234 workspaces". */
export const counted = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

/** Seconds as a person sets them: "10 min", "3 h", "never". */
export const ttl = (seconds: number): string => (seconds === 0 ? "never" : span(seconds * second));

/** A measured duration, exact enough to compare: "0.8 s", "12 s", "3.4 min". */
export const duration = (seconds: number): string => {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${(seconds / 60).toFixed(1)} min`;
};

/** The exact moment in the user's own zone, with the zone named. */
export const exact = (at: number): string =>
  new Date(at).toLocaleString(undefined, {
    weekday: "short",
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  });

export const clockTime = (at: number): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
export const dayName = (at: number): string =>
  new Date(at).toLocaleDateString(undefined, { month: "short", day: "numeric" });
export const dayAndTime = (at: number): string => `${dayName(at)}, ${clockTime(at)}`;

/** The value a datetime-local field shows for a moment, in the user's zone. */
export const localInput = (at: number): string => {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * minute).toISOString().slice(0, 16);
};
