import { doorOf, type Listed, listed } from "@codehub/contract";
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from "react";
import { request } from "../actions.ts";
import { api, problemText } from "../api.ts";
import { best, soughtWords } from "../format/find.ts";
import { firstView, visible } from "../format/list-view.ts";
import { usePins } from "../hooks/pins.ts";
import { themes, usePreference } from "../hooks/preferences.ts";
import { type AdminTab, navigate, pathOf } from "../hooks/router.ts";
import { useQuery } from "../hooks/use-query.ts";
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
/** Of those of others that are asked for by one word. */
const MOST_OTHERS = 20;
const PAUSE_MS = 200;

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

/** What an administrator may ask of another's workspace, which is not to open it. */
const ofOthers = (workspaces: readonly Listed[]): Command[] =>
  workspaces.flatMap((workspace) => {
    const { id, owner, desired_state: desired } = workspace;
    const name = `${workspace.name} of ${owner?.username}`;
    return [
      {
        label: `Show ${name}`,
        icon: "layers" as const,
        hint: statusWord(workspace),
        run: () => navigate(pathOf.workspace(id)),
      },
      ...(desired === "RUNNING"
        ? [{ label: `Stop ${name}`, icon: "pause" as const, run: () => void request(id, "STANDBY") }]
        : []),
      ...(desired !== "ARCHIVED"
        ? [{ label: `Archive ${name}`, icon: "archive" as const, run: () => void request(id, "ARCHIVED") }]
        : []),
    ];
  });

interface Others {
  readonly commands: readonly Command[];
  /** Why there may be more than those that are shown. */
  readonly note: string;
}

/** Everybody's workspaces are not in the page: an administrator's palette asks for them when the typing pauses. */
function useOthers(typed: string): Others {
  const isAdmin = useSession().session.user.role === "admin";
  const words = isAdmin ? soughtWords(typed) : [];
  const found = useQuery(`others ${words.join(" ")}`, async (signal) => {
    if (words.length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (signal.aborted) return [];
    const answers = await Promise.all(
      words.map((q) => api.listWorkspaces({ query: { owner: "all", q, limit: MOST_OTHERS, sort: "last_access_at" } })),
    );
    const rows = answers.flatMap(({ items }) => items.map(listed)).filter(({ owner }) => owner !== null);
    return [...new Map(rows.map((row) => [row.id, row])).values()];
  });
  const commands = useMemo(() => ofOthers(found.data ?? []), [found.data]);
  if (found.error !== null) return { commands, note: `Others' workspaces are not here. ${problemText(found.error)}` };
  return { commands, note: found.loading && words.length > 0 ? "Looking among everybody's workspaces" : "" };
}

function useCommands(typed: string): { readonly commands: readonly Command[]; readonly note: string } {
  const workspaces = useLive((state) => state.workspaces);
  const [pins] = usePins(useSession().session.user.id);
  const places = usePlaces();
  const others = useOthers(typed);
  const nothing = typed.trim() === "";
  // Those that are pinned, then those used last.
  const rows = useMemo(() => visible(workspaces.values(), firstView, new Map(), pins), [workspaces, pins]);
  const all = useMemo(() => ({ opening: opening(rows), asking: asking(rows) }), [rows]);
  const commands = nothing
    ? [...opening(rows.slice(0, MOST_WORKSPACES)), ...places]
    : // Below one's own: what comes late must not move what is about to be chosen.
      [...best(typed, [...all.opening, ...places, ...all.asking], MOST), ...best(typed, others.commands, MOST_OTHERS)];
  return { commands, note: others.note };
}

/** One field that finds workspaces, pages and what can be done with them. */
export function CommandsDialog() {
  const [typed, setTyped] = useState("");
  const { commands, note } = useCommands(useDeferredValue(typed));
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
    else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) hideOverlay();
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
      <p role="status" className="mt-2 text-[13px] text-ink-3 empty:hidden">
        {note}
      </p>
    </Dialog>
  );
}
