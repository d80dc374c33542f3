import { useEffect, useRef } from "react";
import { AuditTab } from "../admin/audit-tab.tsx";
import { askFleetAhead, FleetTab } from "../admin/fleet-tab.tsx";
import { OverviewTab } from "../admin/overview-tab.tsx";
import { UsageTab } from "../admin/usage-tab.tsx";
import { UsersTab } from "../admin/users-tab.tsx";
import { type AdminTab, adminTabs, pathOf } from "../hooks/router.ts";
import { Link, Page } from "../ui/basics.tsx";

const words: Readonly<Record<AdminTab, string>> = {
  overview: "Overview",
  workspaces: "All workspaces",
  users: "Users",
  usage: "Usage",
  audit: "Audit log",
};

/** While it is still asked who is here. */
export function askAdminAhead(tab: AdminTab, query: string): void {
  if (tab === "workspaces") askFleetAhead(query);
}

export function Admin({ tab }: { tab: AdminTab }) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${words[tab]} · Admin · CodeHub`;
    // A phone has no room for all of them: the one that is shown is seen.
    tabs.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [tab]);
  return (
    <Page title="Admin">
      <nav
        ref={tabs}
        aria-label="Admin"
        className="-mx-4 mb-6 flex gap-1 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0"
      >
        {adminTabs.map((name) => (
          <Link
            key={name}
            to={pathOf.admin(name)}
            current={name === tab}
            className={`-mb-px border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap ${name === tab ? "border-accent-fill text-ink" : "border-transparent text-ink-2 hover:text-ink"}`}
          >
            {words[name]}
          </Link>
        ))}
      </nav>
      {tab === "overview" && <OverviewTab />}
      {tab === "workspaces" && <FleetTab />}
      {tab === "users" && <UsersTab />}
      {tab === "usage" && <UsageTab />}
      {tab === "audit" && <AuditTab />}
    </Page>
  );
}
