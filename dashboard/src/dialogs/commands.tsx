import { doorOf, type Listed } from "@codehub/contract";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react";
import { request } from "../actions.ts";
import { best } from "../format/find.ts";
import { firstView, visible } from "../format/list-view.ts";
import { usePins } from "../hooks/pins.ts";
import { themes, usePreference } from "../hooks/preferences.ts";
import { type AdminTab, navigate, pathOf } from "../hooks/router.ts";
import { useLive } from "../live/store.ts";
import { useSession } from "../session.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icons.tsx";
import { hideOverlay, showOverlay } from "../ui/overlay.ts";
import { statusWord } from "../words/words.ts";

interface Command {
  readonly label: string;
  readonly icon: IconName;
  readonly hint?: string;
  readonly run: () => void;
}

const MOST = 50;
/** Before anything is typed. */
const MOST_WORKSPACES = 5;

/** As a click on its link, which is what a browser lets somebody open a tab with. */
function openDoor(id: string): void {
  const link = Object.assign(document.createElement("a"), { href: doorOf(id), target: "_blank", rel: "noopener" });
  link.click();
}

const canOpen = ({ phase, desired_state: desired, operation }: Listed): boolean =>
  phase !== "ERROR" && !(desired === "PENDING" && (phase !== "PENDING" || operation !== "NONE"));

const opening = (workspaces: readonly Listed[]): Command[] =>
  workspaces.filter(canOpen).map((workspace) => ({
    label: `Open ${workspace.name}`,
    icon: "open",
    hint: statusWord(workspace),
    run: () => openDoor(workspace.id),
  }));

const asking = (workspaces: readonly Listed[]): Command[] => [
  ...workspaces.map((workspace) => ({
    label: `Show ${workspace.name}`,
    icon: "layers" as const,
    hint: statusWord(workspace),
    run: () => navigate(pathOf.workspace(workspace.id)),
  })),
  ...workspaces.map(
    ({ id, name, desired_state: desired }): Command =>
      desired === "RUNNING"
        ? { label: `Stop ${name}`, icon: "pause" as const, run: () => void request(id, "STANDBY") }
        : { label: `Start ${name}`, icon: "play" as const, run: () => void request(id, "RUNNING") },
  ),
  ...workspaces
    .filter(({ desired_state: desired }) => desired !== "ARCHIVED")
    .map(({ id, name }) => ({
      label: `Archive ${name}`,
      icon: "archive" as const,
      run: () => void request(id, "ARCHIVED"),
    })),
];

const go = (label: string, icon: IconName, path: string): Command => ({
  label: `Go to ${label}`,
  icon,
  run: () => navigate(path),
});
const adminPages: Readonly<Record<AdminTab, string>> = {
  overview: "Admin",
  workspaces: "Admin: all workspaces",
  users: "Admin: users",
  usage: "Admin: usage",
  audit: "Admin: audit log",
};

function usePlaces(): Command[] {
  const { session } = useSession();
  const [, setTheme] = usePreference("theme", themes);
  return [
    { label: "New workspace", icon: "plus", run: () => showOverlay({ kind: "create" }) },
    go("Workspaces", "layers", pathOf.workspaces),
    go("Trash", "trash", pathOf.trash),
    go("Keys and variables", "key", pathOf.keys),
    go("Account", "user", pathOf.account),
    ...(session.user.role === "admin"
      ? (Object.keys(adminPages) as AdminTab[]).map((tab) => go(adminPages[tab], "gauge", pathOf.admin(tab)))
      : []),
    { label: "Keyboard shortcuts", icon: "keyboard", run: () => showOverlay({ kind: "help" }) },
    ...themes.map((theme) => ({
      label: `Theme: ${theme}`,
      icon: ({ system: "auto", light: "sun", dark: "moon" } as const)[theme],
      run: () => setTheme(theme),
    })),
  ];
}

function useCommands(typed: string): readonly Command[] {
  const workspaces = useLive((state) => state.workspaces);
  const [pins] = usePins(useSession().session.user.id);
  const places = usePlaces();
  const nothing = typed.trim() === "";
  // Those that are pinned, then those used last.
  const rows = useMemo(() => visible(workspaces.values(), firstView, new Map(), pins), [workspaces, pins]);
  const all = useMemo(() => ({ opening: opening(rows), asking: asking(rows) }), [rows]);
  if (nothing) return [...opening(rows.slice(0, MOST_WORKSPACES)), ...places];
  return best(typed, [...all.opening, ...places, ...all.asking], MOST);
}

/** One field that finds workspaces, pages and what can be done with them. */
export function CommandsDialog() {
  const [typed, setTyped] = useState("");
  const commands = useCommands(useDeferredValue(typed));
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, commands.length - 1);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whichever is chosen now has to be seen.
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, commands]);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    hideOverlay();
    command.run();
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = commands.length - 1;
    const to = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at <= 0 ? last : at - 1,
      PageDown: Math.min(last, at + 8),
      PageUp: Math.max(0, at - 8),
    }[event.key];
    if (to !== undefined) setChosen(to);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) run(commands[at]);
    else if (event.key === "k" && (event.ctrlKey || event.metaKey)) hideOverlay();
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Find and do anything" onClose={hideOverlay} wide>
      <input
        type="text"
        role="combobox"
        aria-label="Workspace, page or action"
        aria-expanded={commands.length > 0}
        aria-controls={commands.length > 0 ? listId : undefined}
        aria-activedescendant={commands.length > 0 ? `${listId}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="open notebook, start api, new, trash …"
        className="field"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <p role="status" className="sr-only">
        {commands.length === 0 ? "Nothing fits." : `${commands.length} found`}
      </p>
      <div ref={list} className="-mx-2 mt-3 h-[min(24rem,50dvh)] overflow-y-auto">
        {commands.length === 0 ? (
          <p className="px-2 py-6 text-center text-sm text-ink-2">Nothing fits.</p>
        ) : (
          <div role="listbox" id={listId} aria-label="What fits">
            {commands.map((command, index) => (
              // biome-ignore-start lint/suspicious/noArrayIndexKey: two workspaces may have one name, and entries have no state.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys.
              <div
                key={`${index}-${command.label}`}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === at}
                tabIndex={-1}
                className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm ${index === at ? "bg-accent-soft text-ink" : "text-ink-2"}`}
                onPointerMove={() => setChosen(index)}
                onClick={() => run(command)}
              >
                <Icon name={command.icon} />
                <span className="min-w-0 flex-1 truncate">{command.label}</span>
                {command.hint !== undefined && <span className="text-[13px] text-ink-3">{command.hint}</span>}
              </div>
              // biome-ignore-end lint/suspicious/noArrayIndexKey: see above
            ))}
          </div>
        )}
      </div>
    </Dialog>
  );
}
