import type { Client, Workspace } from "@codehub/contract";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { apiAs, makeUser } from "../e2e/accounts.ts";
import { visit } from "../e2e/browser.ts";
import { IdePage } from "./ide-page.ts";
import { listenTo } from "./scene.ts";
import { PATIENCE_MS, until } from "./until.ts";

/** Where people are: a program and a browser to reach it with. */
export interface Place {
  readonly browser: Browser;
  readonly url: string;
}

/** Somebody with an account and a browser of their own. */
export interface Person {
  /** Begins with the name that was asked for. */
  readonly username: string;
  readonly api: Client;
  readonly context: BrowserContext;
  /** The dashboard. */
  readonly page: Page;
  /** A browser draws a tab behind others when it likes: whoever wants to click there comes to it first. */
  readonly toDashboard: () => Promise<void>;
  /** Presses of a mouse button anywhere in this browser, made by the hand and not by a script. */
  readonly presses: string[];
  /** What the waiting pages listed, each line with its state and details, in the order in which it was to be seen. */
  readonly steps: string[];
  /** Follows a link that opens a tab. */
  readonly follow: (link: Locator) => Promise<IdePage>;
  /** Opens a workspace from the dashboard, as its owner does; what the tab shows is not waited for. */
  readonly open: (workspace: Workspace) => Promise<IdePage>;
  /** Until the workspace is in a phase and nothing moves it. */
  readonly reaches: (id: string, phase: Workspace["phase"], limitMs?: number) => Promise<void>;
}

const WATCH = `
addEventListener("mousedown", (event) => { if (event.isTrusted) codehubPress(location.host); }, true);
if (location.pathname.startsWith("/w/")) addEventListener("DOMContentLoaded", () => {
  const report = () => {
    for (const line of document.querySelectorAll("#steps li"))
      codehubStep([line.className, ...[...line.querySelectorAll("span")].map((part) => part.textContent)].join(": "));
  };
  report();
  new MutationObserver(report).observe(document.body, { subtree: true, childList: true });
});`;

let people = 0;

/** Never the same one twice: a test that is tried again must not find what its first try has left. */
export async function newPerson(
  { browser, url }: Place,
  name: string,
  opened: (context: BrowserContext) => void,
): Promise<Person> {
  people += 1;
  const user = await makeUser(await apiAs(url), `${name}-${people}`);
  const { context, page, signIn } = await visit(browser, url);
  context.setDefaultTimeout(PATIENCE_MS);
  page.setDefaultTimeout(PATIENCE_MS);
  listenTo(context);
  opened(context);
  const presses: string[] = [];
  const steps: string[] = [];
  await context.exposeFunction("codehubPress", (host: string) => void presses.push(host));
  await context.exposeFunction("codehubStep", (step: string) => {
    if (!steps.includes(step)) steps.push(step);
  });
  await context.addInitScript({ content: WATCH });
  await signIn(user);
  const api = await apiAs(url, user);
  const follow = async (link: Locator): Promise<IdePage> => {
    const [, door] = /^\/w\/([^/]+)\//.exec((await link.getAttribute("href")) ?? "") ?? [];
    const [tab] = await Promise.all([context.waitForEvent("page"), link.click()]);
    return new IdePage(tab, door);
  };
  const toDashboard = (): Promise<void> => page.bringToFront();
  return {
    username: user.username,
    api,
    context,
    page,
    toDashboard,
    presses,
    steps,
    follow,
    open: async ({ id, name: title }) => {
      await toDashboard();
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
