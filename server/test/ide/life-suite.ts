import { setTimeout as pause } from "node:timers/promises";
import type { Workspace } from "@codehub/contract";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { type IdePage, picture } from "./ide-page.ts";
import { newPerson, type Person } from "./person.ts";
import type { Stage } from "./stage.ts";
import { until } from "./until.ts";

/** The IDE takes a person for present up to 100 s after the last key; then the TTL begins. */
const PRESENCE_MS = 100_000;
const TTL_MS = 20_000;
const CUT_LIMIT_MS = 10_000;

/** At the IDE's own address; the page may still be loading. */
const arrives = (page: Page, { id }: Workspace): Promise<void> =>
  page.waitForURL((url) => url.hostname === `${id}.localhost`, { waitUntil: "commit" });

/** What happens to workspaces that are left, that are too many, that break, and whose owner goes. */
export function lifeSuite(kind: string, stage: Stage): void {
  const person = (name: string): Promise<Person> => newPerson(stage.browser, stage.site.program.url, name);
  const make = (owner: Person, name: string, more: object = {}): Promise<Workspace> =>
    owner.api.createWorkspace({ body: { name, ...more } });
  const tab = async (owner: Person, workspace: Workspace): Promise<IdePage> => {
    const ide = await owner.open(workspace);
    await ide.ready();
    return ide;
  };

  let noa: Person;
  let ben: Person;
  let left: IdePage;
  let typedId: string;
  let printingId: string;
  let lastKey = 0;
  let stopTyping: () => Promise<void>;

  // Begun first and looked at last: meanwhile the time passes that it takes.
  it("three tabs are open: one is left alone, in one somebody types, in one a terminal prints", async () => {
    [noa, ben] = [await person("noa"), await person("ben")];
    const printing = await tab(ben, await make(ben, "printing"));
    await printing.openTerminal();
    await printing.run("while true; do date; sleep 3; done");
    lastKey = performance.now();
    printingId = printing.workspaceId;
    const typed = await tab(noa, await make(noa, "typed in"));
    typedId = typed.workspaceId;
    await typed.newFile("diary.txt");
    const over = new AbortController();
    const typing = (async () => {
      while (!over.signal.aborted) {
        await typed.page.keyboard.type("still here ");
        await pause(5_000, undefined, { signal: over.signal }).catch(() => undefined);
      }
    })();
    stopTyping = async () => {
      over.abort();
      await typing;
    };
    left = await tab(noa, await make(noa, "left alone"));
  });

  it("over the limit the door lists what runs and makes room on request", async () => {
    const kim = await person("kim");
    const first = await make(kim, "runs first", { standby_ttl_seconds: 0 });
    const second = await make(kim, "runs second", { standby_ttl_seconds: 0 });
    const third = await make(kim, "wants in", { desired_state: "STANDBY", standby_ttl_seconds: 0 });
    for (const { id } of [first, second]) await kim.reaches(id, "RUNNING");
    await kim.reaches(third.id, "STANDBY");
    const { page } = await kim.open(third);
    await page.getByRole("heading", { name: "wants in cannot start yet" }).waitFor();
    expect(await page.locator("ul.list strong").allTextContents()).toEqual(["runs first", "runs second"]);
    expect((await page.reload())?.status()).toBe(502);
    await picture(page, `${kind}-limit`);
    await page.getByRole("button", { name: "Put runs first to standby and open this one" }).click();
    await arrives(page, third);
    await kim.reaches(first.id, "STANDBY");
    await kim.reaches(second.id, "RUNNING");
    await kim.context.close();
  });

  it("a workspace that cannot start shows why, and recovers when its owner says so", async () => {
    const lee = await person("lee");
    const workspace = await make(lee, "breaks", { desired_state: "STANDBY", standby_ttl_seconds: 0 });
    await lee.reaches(workspace.id, "STANDBY");
    const mend = await stage.site.spoil(workspace, lee.api);
    const { page } = await lee.open(workspace);
    await page.getByRole("heading", { name: "breaks needs attention" }).waitFor();
    await picture(page, `${kind}-error`);
    await mend();
    await page.getByRole("button", { name: "Recover" }).click();
    await arrives(page, workspace);
    await lee.reaches(workspace.id, "RUNNING");
    await lee.context.close();
  });

  it("signing out and deleting end the connections of open tabs", async () => {
    const may = await person("may");
    const [kept, dropped] = [await make(may, "kept"), await make(may, "dropped")];
    const [keptIde, droppedIde] = [await tab(may, kept), await tab(may, dropped)];
    const endAfter = async (ide: IdePage, act: () => Promise<unknown>): Promise<number> => {
      const open = [...ide.open];
      await act();
      const done = performance.now();
      await until("the end of every connection", () => open.every((socket) => socket.isClosed()));
      return performance.now() - done;
    };
    const deleteMs = await endAfter(droppedIde, () => may.api.deleteWorkspace({ params: { id: dropped.id } }));
    await droppedIde.away.getByText("dropped was deleted").waitFor();
    const logoutMs = await endAfter(keptIde, async () => {
      await may.page.getByRole("button", { name: "Account of may" }).click();
      const answered = may.page.waitForResponse((answer) => answer.url().endsWith("/api/v1/auth/logout"));
      await may.page.getByText("Sign out", { exact: true }).click();
      await answered;
    });
    await keptIde.away.getByText("You are signed out").waitFor();
    await picture(keptIde.page, `${kind}-tab-signed-out`);
    console.log(
      `${kind}: connections ended ${deleteMs.toFixed(0)} ms after a delete, ${logoutMs.toFixed(0)} ms after a logout`,
    );
    expect(deleteMs).toBeLessThan(CUT_LIMIT_MS);
    expect(logoutMs).toBeLessThan(CUT_LIMIT_MS);
    await may.context.close();
  });

  it("the tab left alone is in standby, says so and stays there; typing and printing have kept the others awake", async () => {
    const { workspaceId } = left;
    await noa.reaches(workspaceId, "STANDBY", PRESENCE_MS + 5 * TTL_MS);
    await left.away.getByText("left alone is in standby").waitFor();
    await picture(left.page, `${kind}-tab-standby`);
    // The IDE tries to reconnect by itself, again and again; that must not wake it.
    const tries = left.sockets.length;
    await until("two more tries to reconnect", () => left.sockets.length >= tries + 2);
    expect((await noa.api.getWorkspace({ params: { id: workspaceId } })).desired_state).toBe("STANDBY");

    await until("longer than presence and TTL", () => performance.now() - lastKey > PRESENCE_MS + 2 * TTL_MS, 200_000);
    await stopTyping();
    for (const [owner, id] of [
      [noa, typedId],
      [ben, printingId],
    ] as const) {
      const { items } = await owner.api.listHistory({ params: { id } });
      expect(items.filter((event) => event.actor.kind === "ttl").map((event) => event.summary)).toEqual([]);
      expect((await owner.api.getWorkspace({ params: { id } })).phase).toBe("RUNNING");
    }
    await left.away.getByRole("link", { name: "Resume" }).click();
    await noa.reaches(workspaceId, "RUNNING");
    await left.ready();
  });
}
