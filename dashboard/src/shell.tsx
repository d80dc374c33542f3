import { Suspense, useEffect } from "react";
import { report } from "./actions.ts";
import { api } from "./api.ts";
import { Boundary, Failure } from "./boundary.tsx";
import { ConnectionMark } from "./connection-mark.tsx";
import { Overlays } from "./dialogs/overlays.tsx";
import { themes, usePreference } from "./hooks/preferences.ts";
import { navigate, type Place, pathOf, placeOf, usePath } from "./hooks/router.ts";
import { paletteKeys, useShortcuts } from "./hooks/shortcuts.ts";
import { NewVersionBar } from "./new-version-bar.tsx";
import { Notices } from "./notices.tsx";
import { Missing } from "./pages/missing.tsx";
import { New } from "./pages/new.tsx";
import { Trash } from "./pages/trash.tsx";
import { Workspaces } from "./pages/workspaces.tsx";
import { part } from "./part.ts";
import { useSession } from "./session.tsx";
import { Link, Spinner } from "./ui/basics.tsx";
import { Icon, type IconName, Logo } from "./ui/icons.tsx";
import { Menu } from "./ui/menu.tsx";
import { showOverlay } from "./ui/overlay.ts";
import { takeOffer } from "./ui/toasts.tsx";

// The first page is the list; what is visited less comes when it is visited.
const WorkspacePage = part(async () => (await import("./pages/workspace.tsx")).WorkspacePage);
const Admin = part(async () => {
  const { Admin: Page, askAdminAhead } = await import("./pages/admin.tsx");
  const place = placeOf(location.pathname);
  if (place.page === "admin") askAdminAhead(place.tab, location.search);
  return Page;
});
const Account = part(async () => (await import("./pages/account.tsx")).Account);
const Keys = part(async () => (await import("./pages/keys.tsx")).Keys);

const parts: Partial<Record<Place["page"], { readonly ahead: () => Promise<void> }>> = {
  ...{ workspace: WorkspacePage, admin: Admin, account: Account, keys: Keys },
};

/** What the address asks for comes while it is asked who is here. */
export const pageAhead = async (path: string): Promise<void> => await parts[placeOf(path).page]?.ahead();

function ThemeButton() {
  const [theme, setTheme] = usePreference("theme", themes);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const icon: IconName = theme === "system" ? "auto" : theme === "light" ? "sun" : "moon";
  return (
    <button
      type="button"
      className="btn btn-quiet btn-icon"
      aria-label={`Theme: ${theme}. Change to ${next}.`}
      title={`Theme: ${theme}`}
      onClick={() => setTheme(next)}
    >
      <Icon name={icon} className="size-[18px]" />
    </button>
  );
}

function useNavigation() {
  const { session } = useSession();
  const { page } = placeOf(usePath());
  const entry = (to: string, label: string, icon: IconName, current: boolean) => ({ to, label, icon, current });
  return [
    entry(pathOf.workspaces, "Workspaces", "layers", page === "workspaces" || page === "workspace" || page === "new"),
    entry(pathOf.trash, "Trash", "trash", page === "trash"),
    ...(session.user.role === "admin" ? [entry(pathOf.admin(), "Admin", "gauge", page === "admin")] : []),
  ];
}

/** Lists have all the width there is; text is not read in lines of any length. */
function useWidth(): string {
  const place = placeOf(usePath());
  const isList = place.page === "workspaces" || (place.page === "admin" && place.tab === "workspaces");
  return isList ? "max-w-none" : "max-w-7xl";
}

function Header() {
  const { session, signOut } = useSession();
  const entries = useNavigation();
  return (
    <header className="sticky top-0 z-40 border-b border-line bg-surface/95 backdrop-blur">
      <div className={`mx-auto flex h-14 items-center gap-2 px-4 sm:px-6 ${useWidth()}`}>
        <Link to={pathOf.workspaces} className="mr-2 flex items-center gap-2.5 rounded-md font-semibold tracking-tight">
          <Logo />
          CodeHub
        </Link>
        <nav aria-label="Main" className="hidden items-center gap-1 sm:flex">
          {entries.map(({ to, label, current }) => (
            <Link
              key={to}
              to={to}
              current={current}
              className={`rounded-lg px-3 py-1.5 text-sm font-medium ${current ? "bg-sunken text-ink" : "text-ink-2 hover:text-ink"}`}
            >
              {label}
            </Link>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-1">
          <ConnectionMark />
          <button
            type="button"
            className="btn btn-quiet btn-icon sm:w-auto sm:gap-2 sm:px-2.5"
            aria-label="Find and do anything"
            aria-keyshortcuts={paletteKeys.aria}
            title={`Find and do anything (${paletteKeys.shown})`}
            onClick={() => showOverlay({ kind: "commands" })}
          >
            <Icon name="search" className="size-[18px]" />
            <span
              aria-hidden="true"
              className="hidden text-[13px] text-ink-3 before:content-[attr(data-keys)] sm:inline"
              data-keys={paletteKeys.shown}
            />
          </button>
          <a
            href={api.url("getReference")}
            target="_blank"
            rel="noopener"
            className="btn btn-quiet btn-icon hidden sm:inline-flex"
            aria-label="API reference (opens in a new tab)"
            title="API reference"
          >
            <Icon name="book" className="size-[18px]" />
          </a>
          <button
            type="button"
            className="btn btn-quiet btn-icon hidden sm:inline-flex"
            aria-label="Keyboard shortcuts"
            title="Keyboard shortcuts (?)"
            onClick={() => showOverlay({ kind: "help" })}
          >
            <Icon name="keyboard" className="size-[18px]" />
          </button>
          <ThemeButton />
          <Menu
            label={`Account of ${session.user.username}`}
            className="btn btn-quiet gap-2 px-2"
            items={[
              { label: "Account", icon: "user", run: () => navigate(pathOf.account) },
              { label: "Keys and variables", icon: "key", run: () => navigate(pathOf.keys) },
              { label: "Sign out", icon: "signout", run: () => void signOut().catch(report) },
            ]}
          >
            <span
              aria-hidden="true"
              className="grid size-7 place-items-center rounded-full bg-accent-soft text-xs font-semibold text-accent uppercase before:content-[attr(data-initials)]"
              data-initials={session.user.username.slice(0, 2)}
            />
            <span className="hidden max-w-32 truncate text-sm md:inline">{session.user.username}</span>
          </Menu>
        </div>
      </div>
    </header>
  );
}

function PhoneTabs() {
  const place = placeOf(usePath());
  const entries = [
    ...useNavigation(),
    {
      to: pathOf.account,
      label: "Account",
      icon: "user" as const,
      current: place.page === "account" || place.page === "keys",
    },
  ];
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-40 flex border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {entries.map(({ to, label, icon, current }) => (
        <Link
          key={to}
          to={to}
          current={current}
          className={`flex flex-1 flex-col items-center gap-0.5 py-2 text-xs font-medium ${current ? "text-accent" : "text-ink-3"}`}
        >
          <Icon name={icon} className="size-5" />
          {label}
        </Link>
      ))}
    </nav>
  );
}

function Content() {
  const { session } = useSession();
  const path = usePath();
  const place = placeOf(path);
  switch (place.page) {
    case "workspaces":
      return <Workspaces />;
    case "new":
      return <New />;
    case "workspace":
      return <WorkspacePage key={place.id} id={place.id} />;
    case "trash":
      return <Trash />;
    case "account":
      return <Account />;
    case "keys":
      return <Keys />;
    case "admin":
      return session.user.role === "admin" ? <Admin tab={place.tab} /> : <Missing />;
    case "missing":
      return <Missing />;
  }
}

export function Shell() {
  useShortcuts(takeOffer);
  const path = usePath();
  // A new page begins at its heading for those who hear it, as a page load would.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what makes it another page.
  useEffect(() => {
    document.getElementById("content")?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <a
        href="#content"
        className="sr-only z-50 rounded-lg bg-surface px-4 py-2 shadow-float focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <Header />
      <NewVersionBar />
      <main
        id="content"
        tabIndex={-1}
        className={`mx-auto min-h-[calc(100dvh-3.5rem)] px-4 pt-4 pb-28 outline-none sm:px-6 sm:pt-6 sm:pb-16 ${useWidth()}`}
      >
        <Notices />
        <Boundary at={path} show={(error) => <Failure what="page" error={error} />}>
          <Suspense fallback={<Spinner label="Loading" />}>
            <Content />
          </Suspense>
        </Boundary>
      </main>
      <PhoneTabs />
      <Overlays />
    </>
  );
}
