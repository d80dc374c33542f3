import { useSyncExternalStore } from "react";

/** Every address of the dashboard. An address that is none of them is `missing`. */
export type Place =
  | { page: "workspaces" }
  | { page: "workspace"; id: string }
  | { page: "new" }
  | { page: "trash" }
  | { page: "account" }
  | { page: "keys" }
  | { page: "admin"; tab: AdminTab }
  | { page: "missing" };
export const adminTabs = ["overview", "workspaces", "users", "usage", "audit"] as const;
export type AdminTab = (typeof adminTabs)[number];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function placeOf(path: string): Place {
  const [first = "", second, ...rest] = path.split("/").filter((part) => part !== "");
  if (rest.length > 0) return { page: "missing" };
  if (first === "" || ((first === "workspaces" || first === "login") && second === undefined))
    return { page: "workspaces" };
  if (first === "workspaces" && second !== undefined && uuid.test(second)) return { page: "workspace", id: second };
  if (first === "admin") {
    const tab = adminTabs.find((name) => name === (second ?? "overview"));
    return tab === undefined ? { page: "missing" } : { page: "admin", tab };
  }
  const isPlain = first === "new" || first === "trash" || first === "account" || first === "keys";
  if (isPlain && second === undefined) return { page: first };
  return { page: "missing" };
}

const door = /^\/w\/[0-9a-z]+(-[0-9a-z]+)+\/(\?[\w%=&.~+-]*)?$/;

/** Somebody who came to a workspace's door without a session signs in here and goes back there, and nowhere else. */
export function doorAfterSignIn(path: string, search: string): string | null {
  const next = path === "/login" ? new URLSearchParams(search).get("next") : null;
  return next !== null && door.test(next) ? next : null;
}

export const pathOf = {
  workspaces: "/",
  workspace: (id: string) => `/workspaces/${id}`,
  /** With what is to be created in its query. */
  create: "/new",
  trash: "/trash",
  account: "/account",
  keys: "/keys",
  admin: (tab: AdminTab = "overview") => (tab === "overview" ? "/admin" : `/admin/${tab}`),
} as const;

/** The browser's address is the store: it tells of its own steps, and is told of ours in the same words. */
function subscribe(listener: () => void) {
  window.addEventListener("popstate", listener);
  return () => window.removeEventListener("popstate", listener);
}
export const usePath = (): string => useSyncExternalStore(subscribe, () => location.pathname);
/** What a page keeps of itself in the address. */
export const useSearch = (): string => useSyncExternalStore(subscribe, () => location.search);

export function navigate(path: string, options: { replace?: boolean } = {}): void {
  if (path === location.pathname + location.search) return;
  if (options.replace === true) history.replaceState(null, "", path);
  else {
    history.pushState(null, "", path);
    window.scrollTo(0, 0);
  }
  window.dispatchEvent(new PopStateEvent("popstate"));
}

/** A plain click stays in the page; everything else (new tab, new window, download) is the browser's. */
export const isPlainClick = (event: {
  button: number;
  metaKey: boolean;
  ctrlKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
  defaultPrevented: boolean;
}): boolean =>
  event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
