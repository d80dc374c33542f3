import { useCallback } from "react";
import { create } from "zustand";

/** Settings of this browser, not of the account. A browser that refuses storage keeps them until the tab closes. */
const useChosen = create<Readonly<Record<string, string>>>(() => ({}));

function stored(key: string): string | null {
  try {
    return localStorage.getItem(`codehub.${key}`);
  } catch {
    return null;
  }
}
function write(key: string, value: string) {
  try {
    localStorage.setItem(`codehub.${key}`, value);
  } catch {
    // Private windows may refuse; the value in memory serves.
  }
  useChosen.setState({ [key]: value });
}

export function useStored(key: string): [string | null, (value: string) => void] {
  const current = useChosen((chosen) => chosen[key] ?? stored(key));
  return [current, useCallback((value: string) => write(key, value), [key])];
}

export function usePreference<T extends string>(key: string, allowed: readonly [T, ...T[]]): [T, (value: T) => void] {
  const [current] = useStored(key);
  return [allowed.find((value) => value === current) ?? allowed[0], (value) => write(key, value)];
}

export const themes = ["system", "light", "dark"] as const;

/** Puts the chosen theme on the document; the styles know what each means. Called before the first paint as well. */
export function applyTheme(): void {
  const theme = useChosen.getState()["theme"] ?? stored("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
}
useChosen.subscribe(applyTheme);
