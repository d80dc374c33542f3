import { useEffect } from "react";
import { overlayIsOpen, showOverlay } from "../ui/overlay.ts";
import { usePreference } from "./preferences.ts";
import { navigate, pathOf } from "./router.ts";

export interface Modifier {
  readonly shown: string;
  /** As `aria-keyshortcuts` and a browser's events call it. */
  readonly name: "Control" | "Meta";
}

/** The key that goes with a letter where people press both, by what the browser says it runs on. Either of them works. */
export const modifierOn = (platform: string): Modifier =>
  /^(mac|ip(hone|ad|od))/i.test(platform) ? { shown: "⌘", name: "Meta" } : { shown: "Ctrl ", name: "Control" };

const modifier = modifierOn(navigator.platform);
export const paletteKeys = { shown: `${modifier.shown}K`, aria: `${modifier.name}+K` } as const;

export const shortcuts = [
  { keys: paletteKeys.shown, does: "Find and do anything" },
  { keys: "/", does: "Search workspaces" },
  { keys: "n", does: "New workspace" },
  { keys: "↓ ↑ j k", does: "Move through the list" },
  { keys: "Enter", does: "Show the workspace" },
  { keys: "o", does: "Open the IDE of the workspace in focus" },
  { keys: "p", does: "Pin it" },
  { keys: "Space x", does: "Select it; with Shift, all up to it" },
  { keys: "b", does: "Go to what can be done with the selected ones" },
  { keys: "Esc", does: "Select none" },
  { keys: "z", does: "Undo, while the message offers it" },
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

/** Into the list, where it is on the screen; within it the list takes these keys itself. */
const focusList = () => document.querySelector<HTMLElement>("[data-row] [data-name-link]")?.focus();

const singles: Readonly<Record<string, () => void>> = {
  "/": focusSearch,
  n: () => showOverlay({ kind: "create" }),
  "?": () => showOverlay({ kind: "help" }),
  j: focusList,
  k: focusList,
};

/** `undo` takes back what was done last, and says whether there was anything. */
export function useShortcuts(undo: () => boolean): void {
  const [setting] = useShortcutsSetting();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || overlayIsOpen()) return;
      const typing = isTyping(event.target);
      if (event.ctrlKey || event.metaKey) {
        const key = event.key.toLowerCase();
        if (key === "k") showOverlay({ kind: "commands" });
        // In a field it is the field's own undo.
        else if (key !== "z" || event.shiftKey || typing || !undo()) return;
        event.preventDefault();
        return;
      }
      const run = typing || setting === "off" ? undefined : event.key === "z" ? undo : singles[event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [setting, undo]);
}
