import { useSyncExternalStore } from "react";

/** Settings of this browser, not of the account. A browser that refuses storage keeps them until the tab closes. */
const memory = new Map<string, string>();
const listeners = new Set<() => void>();

const read = (key: string): string | null => {
  try {
    return localStorage.getItem(`codehub.${key}`) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
};
const write = (key: string, value: string) => {
  memory.set(key, value);
  try {
    localStorage.setItem(`codehub.${key}`, value);
  } catch {
    // Private windows may refuse; the value in memory serves.
  }
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePreference = <T extends string>(
  key: string,
  allowed: readonly [T, ...T[]],
): [T, (value: T) => void] => {
  const current = () => allowed.find((value) => value === read(key)) ?? allowed[0];
  return [useSyncExternalStore(subscribe, current), (value) => write(key, value)];
};

export const themes = ["system", "light", "dark"] as const;

/** Puts the chosen theme on the document; the styles know what each means. Called before the first paint as well. */
export const applyTheme = (): void => {
  const theme = read("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
};
listeners.add(applyTheme);
