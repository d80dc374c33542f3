import { create } from "zustand";

/**
 * The time as the server sees it: countdowns are computed from the server's timestamps, so a laptop whose clock is five
 * minutes off must not show "in 3 min" for something that is due.
 */
let offsetMs = 0;
export const serverNow = (): number => Date.now() + offsetMs;

const useSecond = create<{ readonly second: number }>(() => ({ second: 0 }));
let ticking = false;
const tick = () => useSecond.setState({ second: Math.floor(serverNow() / 1000) * 1000 });

/** What the server said its time is. The clock of the page runs from the first time on. */
export function setServerTime(iso: string): void {
  offsetMs = new Date(iso).getTime() - Date.now();
  tick();
  if (ticking) return;
  ticking = true;
  setInterval(tick, 1000);
}

/** Now, to the step given: a component that says "3 h ago" is not drawn again each second. */
export const useNow = (stepMs = 1000): number => useSecond(({ second }) => Math.floor(second / stepMs) * stepMs);
