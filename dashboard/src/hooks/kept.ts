import { useRef, useState } from "react";

/**
 * What somebody typed and has not saved, kept by this tab: a session that ends, or a page that is loaded again, must not take
 * it away. Each entry is of one person and one form. Never for passwords, tokens or values of variables.
 */
const prefix = "codehub.kept.";

export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

export function readKept(shelf: Shelf, who: string, form: string): unknown {
  try {
    return JSON.parse(shelf.getItem(`${prefix}${who}.${form}`) ?? "null");
  } catch {
    return null;
  }
}

/** Nothing typed is nothing kept. */
export function writeKept(shelf: Shelf, who: string, form: string, value: object): void {
  const key = `${prefix}${who}.${form}`;
  if (Object.keys(value).length === 0) shelf.removeItem(key);
  else shelf.setItem(key, JSON.stringify(value));
}

/** Leaves only what this person typed; of nobody, nothing. */
export function dropKept(shelf: Shelf, except: string | null): void {
  const keys = Array.from({ length: shelf.length }, (_, index) => shelf.key(index) ?? "");
  for (const key of keys)
    if (key.startsWith(prefix) && (except === null || !key.startsWith(`${prefix}${except}.`))) shelf.removeItem(key);
}

/** A browser may refuse its storage, or have no room in it: then what was typed is kept as long as its form is open. */
function withShelf<T>(work: (shelf: Shelf) => T): T | null {
  try {
    return work(sessionStorage);
  } catch {
    return null;
  }
}

export const forgetOthers = (who: string): void => void withShelf((shelf) => dropKept(shelf, who));
export const forgetKept = (): void => void withShelf((shelf) => dropKept(shelf, null));

/** The state of a form that is kept. What is found was written by another visit, maybe of another version: `read` checks it. */
export function useKept<T extends object>(
  who: string,
  form: string,
  read: (found: unknown) => T,
): [T, (change: (now: T) => T) => void] {
  const [value, setValue] = useState(() => read(withShelf((shelf) => readKept(shelf, who, form))));
  const latest = useRef(value);
  const change = (next: (now: T) => T) => {
    latest.current = next(latest.current);
    // At once and not after drawing: a form that is left is not drawn again.
    withShelf((shelf) => writeKept(shelf, who, form, latest.current));
    setValue(latest.current);
  };
  return [value, change];
}
