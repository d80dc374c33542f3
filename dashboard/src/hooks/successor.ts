/** What stood around something when it had the focus, in the order of the page. */
export interface Around<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
}

/**
 * What takes the focus of something that has gone: whatever stands in its place now, else what came after it, else what
 * came before it; what is near is preferred. Null where nothing is left.
 */
export function successor<T>({ before, after }: Around<T>, now: readonly T[], isNear: (one: T) => boolean): T | null {
  const previous = before.findLast((one) => now.includes(one));
  const next = after.find((one) => now.includes(one));
  const from = previous === undefined ? 0 : now.indexOf(previous) + 1;
  const to = next === undefined ? now.length : now.indexOf(next);
  const candidates = [...now.slice(from, to), next, previous].filter((one) => one !== undefined);
  return candidates.find(isNear) ?? next ?? previous ?? null;
}
