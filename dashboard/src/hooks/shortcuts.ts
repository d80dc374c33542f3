import { useEffect } from "react";
import { overlayIsOpen, showOverlay } from "../ui/overlay.ts";
import { usePreference } from "./preferences.ts";
import { navigate, pathOf } from "./router.ts";

export const shortcuts = [
  { keys: "/", does: "Search workspaces" },
  { keys: "n", does: "New workspace" },
  { keys: "↓ ↑", does: "Move through the list" },
  { keys: "Enter", does: "Show the workspace" },
  { keys: "o", does: "Open the IDE of the workspace in focus" },
  { keys: "x", does: "Select the workspace in focus" },
  { keys: "?", does: "This help" },
] as const;

/** Single keys can be switched off, because speech input and shaky hands type them by accident. */
export const useShortcutsSetting = () => usePreference("shortcuts", ["on", "off"]);

/** Letters typed into a field are its text, and in a menu they look for an entry. */
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest("[role=menu]") !== null);

/** The list may not be on the screen: searching goes there first. Where it is, the very next key is already for it. */
function focusSearch() {
  const find = () => document.querySelector<HTMLInputElement>("input[type=search]");
  const field = find();
  if (field !== null) return field.focus();
  navigate(pathOf.workspaces);
  requestAnimationFrame(() => find()?.focus());
}

export function useShortcuts(): void {
  const [setting] = useShortcutsSetting();
  useEffect(() => {
    if (setting === "off") return undefined;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || overlayIsOpen()) return;
      const run = {
        "/": focusSearch,
        n: () => showOverlay({ kind: "create" }),
        "?": () => showOverlay({ kind: "help" }),
      }[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [setting]);
}
