interface Rhythm {
  at: number;
  interval: number;
  beats: number;
}

const MAX_KEYS = 64;
/** Heartbeats and polls are this regular; people are not. */
const TOLERANCE = 0.15;
const MIN_INTERVAL_MS = 500;
const MAX_INTERVAL_MS = 180_000;

/** Tells what comes back at a fixed period from what somebody does. When unsure it is somebody. */
export class PeriodicFilter {
  readonly #rhythms = new Map<number, Rhythm>();

  /** True when this event is at least the third of a steady rhythm. */
  isPeriodic(key: number, now: number): boolean {
    const rhythm = this.#rhythms.get(key);
    if (rhythm === undefined) {
      if (this.#rhythms.size >= MAX_KEYS) this.#rhythms.delete(this.#rhythms.keys().next().value ?? key);
      this.#rhythms.set(key, { at: now, interval: 0, beats: 0 });
      return false;
    }
    const interval = now - rhythm.at;
    const steady =
      interval >= MIN_INTERVAL_MS &&
      interval <= MAX_INTERVAL_MS &&
      Math.abs(interval - rhythm.interval) <= Math.max(TOLERANCE * rhythm.interval, 50);
    rhythm.beats = steady ? rhythm.beats + 1 : 0;
    rhythm.at = now;
    rhythm.interval = interval;
    return rhythm.beats >= 1;
  }
}

/** A text as a key that takes no memory, however long it is. Two that fall together only look less regular than they are. */
export function shortKey(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
