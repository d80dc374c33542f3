import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisAvailable } from "../api/redis-server.ts";
import { browserIsHere, launchBrowser, visit } from "../e2e/browser.ts";
import { admin } from "../e2e/program.ts";
import { IdePage } from "../ide/ide-page.ts";
import { until } from "../ide/until.ts";
import { type Deployment, startDeployment } from "./deployment.ts";
import { nginxAvailable } from "./front.ts";
import { Person } from "./people.ts";

/** Says its own number every time, so that another shell would be noticed. */
const COMMAND = "n=0; while sleep 0.5; do n=$((n+1)); echo tick $n of $$.; done";
const TICK = /tick (\d+) of (\d+)\./g;

/** Every question that VS Code lays over the window, whether or not it is answered; a page that is loaded anew begins with none. */
const WATCH_DIALOGS = `(() => {
  window.codehubDialogs = [];
  new MutationObserver(() => {
    for (const box of document.querySelectorAll(".monaco-dialog-box")) window.codehubDialogs.push(box.innerText);
  }).observe(document.body, { subtree: true, childList: true });
})()`;

/**
 * Somebody has VS Code open with a command running in its terminal while each of three replicas is stopped in order and started again: the
 * window connects again by itself, to the same terminal, and asks nothing.
 */
describe.skipIf(!nginxAvailable() || !redisAvailable() || !browserIsHere())("a VS Code window", () => {
  let deployment: Deployment;
  let browser: Browser;
  let tab: IdePage;

  beforeAll(async () => {
    deployment = await startDeployment();
    // The names of the front are nobody's: here they lead to this machine.
    browser = await launchBrowser("--host-resolver-rules=MAP * 127.0.0.1");
    const { front } = deployment;
    const { id } = await (await Person.signIn(front, admin)).start("in a window");
    const { context, signIn } = await visit(browser, front.baseUrl, { ignoreHTTPSErrors: true });
    await signIn(admin);
    tab = new IdePage(await context.newPage());
    await tab.page.goto(`${front.baseUrl}/w/${id}/`);
    await tab.ready();
    await tab.openTerminal();
    await tab.run(COMMAND);
  });
  afterAll(async () => {
    await browser?.close();
    await deployment?.[Symbol.asyncDispose]();
  });

  const ticks = async (): Promise<{ readonly last: number; readonly shells: readonly string[] }> => {
    const seen = [...(await tab.terminalText()).matchAll(TICK)];
    return { last: Number(seen.at(-1)?.[1] ?? 0), shells: [...new Set(seen.map(([, , shell]) => shell ?? ""))] };
  };
  /** Beyond what had been told when it was asked. */
  const goesOn = async (): Promise<void> => {
    const { last } = await ticks();
    await until("the command to go on in the same terminal", async () => (await ticks()).last > last + 2, 60_000);
  };

  it("connects again to the same terminal over a rolling restart, and asks nothing", async () => {
    await goesOn();
    const { shells } = await ticks();
    expect(shells).toHaveLength(1);
    const first = [...tab.open];
    await tab.page.evaluate(WATCH_DIALOGS);
    for (const replica of deployment.replicas) {
      expect(await replica.stop()).toBe(0);
      await until("two open connections of the IDE", () => tab.open.length >= 2, 60_000);
      await goesOn();
      await replica.start();
    }
    // Each of them was somewhere, and that was restarted.
    expect(first.filter((socket) => !socket.isClosed())).toEqual([]);
    expect((await ticks()).shells).toEqual(shells);
    expect(await tab.page.evaluate("window.codehubDialogs")).toEqual([]);
    expect(await tab.away.count()).toBe(0);
    // And whoever sits there can go on typing, in the shell that was there before.
    await tab.page.keyboard.press("Control+C");
    await tab.run("echo here is $$");
    await tab.printed(new RegExp(`here is ${shells[0]}`));
    console.log(`${tab.sockets.length} connections in all; tick ${(await ticks()).last} of shell ${shells[0]}`);
  });
});
