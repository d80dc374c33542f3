import { forgetAhead } from "./hooks/use-query.ts";
import { forgetAll } from "./live/store.ts";
import { hideOverlay } from "./ui/overlay.ts";
import { hideToasts } from "./ui/toasts.tsx";

/** Signing out forgets everything, also an open dialog and messages: the next person at this browser must not see it. */
export function forgetVisitor(): void {
  forgetAll();
  forgetAhead();
  hideOverlay();
  hideToasts();
}
