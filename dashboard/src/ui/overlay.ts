import type { ApiError, Workspace } from "@codehub/contract";
import { useSyncExternalStore } from "react";

/** The one dialog that may be open. Keyboard shortcuts, menus and failed calls open it from wherever they are. */
export type Overlay =
  | { readonly kind: "create" }
  | { readonly kind: "help" }
  | { readonly kind: "delete"; readonly workspaces: readonly Workspace[] }
  | { readonly kind: "purge"; readonly workspace: Workspace }
  | { readonly kind: "reset"; readonly workspace: Workspace }
  | { readonly kind: "recover"; readonly workspace: Workspace }
  | { readonly kind: "logs"; readonly workspace: Workspace }
  | { readonly kind: "limit"; readonly error: ApiError; readonly retry: () => Promise<void> };

let overlay: Overlay | null = null;
const listeners = new Set<() => void>();
const set = (next: Overlay | null) => {
  overlay = next;
  for (const listener of listeners) listener();
};
export const showOverlay = (next: Overlay): void => set(next);
export const hideOverlay = (): void => set(null);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useOverlay = (): Overlay | null => useSyncExternalStore(subscribe, () => overlay);
export const overlayIsOpen = (): boolean => overlay !== null;
