import type { ApiError, Listed, User, UserOverview, Workspace } from "@codehub/contract";
import { create } from "zustand";

/** What a link asks to be created; the person decides. */
export interface Asked {
  readonly repository: string;
  readonly name: string;
}

/** What one click should not do: it is said first what comes of it. `run` throws what the dialog then shows. */
export interface Question {
  readonly title: string;
  readonly text: string;
  readonly button: string;
  readonly run: () => Promise<void>;
}

/** The one dialog that may be open. Keyboard shortcuts, menus and failed calls open it from wherever they are. */
export type Overlay =
  | { readonly kind: "create"; readonly asked?: Asked }
  | { readonly kind: "help" }
  | { readonly kind: "commands" }
  | { readonly kind: "delete"; readonly workspaces: readonly Listed[] }
  | { readonly kind: "purge"; readonly workspace: Listed }
  | { readonly kind: "reset"; readonly workspace: Listed }
  | { readonly kind: "recover"; readonly workspace: Listed }
  | { readonly kind: "node_off"; readonly workspace: Listed; readonly node: string }
  | { readonly kind: "logs"; readonly workspace: Listed }
  | { readonly kind: "setup_log"; readonly workspace: Listed }
  | { readonly kind: "address"; readonly workspace: Workspace }
  | { readonly kind: "repository"; readonly workspace: Workspace; readonly again: boolean }
  | {
      readonly kind: "delete_user" | "give_left";
      readonly user: UserOverview;
      readonly others: readonly UserOverview[];
      readonly onChanged: () => void;
    }
  | { readonly kind: "user_limit"; readonly user: UserOverview; readonly onChanged: () => void }
  | { readonly kind: "access"; readonly user: User; readonly onChanged: () => void }
  | { readonly kind: "confirm"; readonly question: Question }
  | { readonly kind: "limit"; readonly error: ApiError; readonly retry: () => Promise<void> };

const useStore = create<{ readonly overlay: Overlay | null }>(() => ({ overlay: null }));
export const showOverlay = (overlay: Overlay): void => useStore.setState({ overlay });
export const hideOverlay = (): void => useStore.setState({ overlay: null });
export const useOverlay = (): Overlay | null => useStore((state) => state.overlay);
export const overlayIsOpen = (): boolean => useStore.getState().overlay !== null;
