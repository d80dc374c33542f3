import { useSyncExternalStore } from "react";

/**
 * The time as the server sees it: countdowns are computed from the server's timestamps, so a laptop whose clock is five
 * minutes off must not show "in 3 min" for something that is due.
 */
let offsetMs = 0;
export const setServerTime = (iso: string): void => {
  offsetMs = new Date(iso).getTime() - Date.now();
};
export const serverNow = (): number => Date.now() + offsetMs;

const listeners = new Set<() => void>();
let current = 0;
let timer: ReturnType<typeof setInterval> | null = null;

const tick = () => {
  current = Math.floor(serverNow() / 1000) * 1000;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  timer ??= setInterval(tick, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
};

/** Now, to the step given: a component that says "3 h ago" is not drawn again each second. */
export const useNow = (stepMs = 1000): number =>
  useSyncExternalStore(subscribe, () => {
    if (timer === null || current === 0) current = Math.floor(serverNow() / 1000) * 1000;
    return Math.floor(current / stepMs) * stepMs;
  });
