import type { Client, Workspace } from "@codehub/contract";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { apiAs, makeUser } from "../e2e/accounts.ts";
import { visit } from "../e2e/browser.ts";
import { IdePage } from "./ide-page.ts";
import { until } from "./until.ts";

/** Somebody with an account and a browser of their own. */
export interface Person {
  readonly api: Client;
  readonly context: BrowserContext;
  /** The dashboard. */
  readonly page: Page;
  /** Presses of a mouse button anywhere in this browser, made by the hand and not by a script. */
  readonly presses: string[];
  /** What the waiting pages showed as being done, with its details, in the order in which it was to be seen. */
  readonly steps: string[];
  /** Follows a link that opens a tab. */
  follow(link: Locator): Promise<IdePage>;
  /** Opens a workspace from the dashboard, as its owner does; what the tab shows is not waited for. */
  open(workspace: Workspace): Promise<IdePage>;
  /** Until the workspace is in a phase and nothing moves it. */
  reaches(id: string, phase: Workspace["phase"], limitMs?: number): Promise<void>;
}

const WATCH = `
addEventListener("mousedown", (event) => { if (event.isTrusted) codehubPress(location.host); }, true);
if (location.pathname.startsWith("/w/")) addEventListener("DOMContentLoaded", () => {
  const report = () => {
    const active = document.querySelector("#steps li.active");
    if (active) codehubStep([...active.querySelectorAll("span")].map((part) => part.textContent).join(": "));
  };
  report();
  new MutationObserver(report).observe(document.body, { subtree: true, childList: true });
});`;

export async function newPerson(browser: Browser, url: string, name: string): Promise<Person> {
  const user = await makeUser(await apiAs(url), name);
  const { context, page, signIn } = await visit(browser, url);
  const presses: string[] = [];
  const steps: string[] = [];
  await context.exposeFunction("codehubPress", (host: string) => void presses.push(host));
  await context.exposeFunction("codehubStep", (step: string) => {
    if (steps.at(-1) !== step) steps.push(step);
  });
  await context.addInitScript({ content: WATCH });
  await signIn(user);
  const api = await apiAs(url, user);
  const follow = async (link: Locator): Promise<IdePage> => {
    const opened = context.waitForEvent("page");
    await link.click();
    return new IdePage(await opened);
  };
  return {
    api,
    context,
    page,
    presses,
    steps,
    follow,
    open: async ({ id, name: title }) => {
      await page.goto(`/workspaces/${id}`);
      return await follow(page.getByRole("link", { name: `Open ${title} (in a new tab)` }).first());
    },
    reaches: async (id, phase, limitMs) => {
      const there = async (): Promise<boolean> => {
        const workspace = await api.getWorkspace({ params: { id } });
        return workspace.phase === phase && workspace.operation === "NONE";
      };
      await until(`phase ${phase}`, there, limitMs);
    },
  };
}
