import { setTimeout as pause } from "node:timers/promises";
import type { Workspace } from "@codehub/contract";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { IdePage } from "./ide-page.ts";
import type { Person } from "./person.ts";
import { picture } from "./scene.ts";
import { type Stage, TTL_SECONDS } from "./stage.ts";
import { story } from "./story.ts";
import { PATIENCE_MS, until } from "./until.ts";

/** The IDE takes a person for present up to 100 s after the last key; then the TTL begins. */
const PRESENCE_MS = 100_000;
const TTL_MS = 1_000 * TTL_SECONDS;
const CUT_LIMIT_MS = 10_000;

/** At the IDE's own address; the page may still be loading. */
const arrives = (page: Page, { address }: Workspace): Promise<void> =>
  page.waitForURL((url) => url.origin === new URL(address?.url ?? "").origin, { waitUntil: "commit" });

const make = (owner: Person, name: string, more: object = {}): Promise<Workspace> =>
  owner.api.createWorkspace({ body: { name, standby_ttl_seconds: 0, ...more } });

async function tab(owner: Person, workspace: Workspace): Promise<IdePage> {
  const ide = await owner.open(workspace);
  await ide.ready();
  return ide;
}

/** From here on the program's own TTL holds. Not before: a machine that is busy may take longer than that to load an IDE. */
const mayBeDemoted = (owner: Person, { workspaceId: id }: IdePage): Promise<Workspace> =>
  owner.api.updateWorkspace({ params: { id }, body: { standby_ttl_seconds: null } });

const mayNotBeDemoted = (owner: Person, { workspaceId: id }: IdePage): Promise<Workspace> =>
  owner.api.updateWorkspace({ params: { id }, body: { standby_ttl_seconds: 0 } });

/** Types now and then until it is disposed of, or the page does not take it any more; `stop` says which. */
function keepTyping({ page }: IdePage): AsyncDisposable & { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const typing = (async () => {
    while (!over.signal.aborted) {
      await page.keyboard.type("still here ");
      await pause(5_000, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  const ended = typing.then(
    () => null,
    (error: unknown) => error,
  );
  const stop = async (): Promise<void> => {
    over.abort();
    const error = await ended;
    if (error !== null) throw new Error("Typing was not possible any more", { cause: error });
  };
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await ended;
    },
  };
}

/** Longest first: it waits most of its time, while the others are told. */
export function idleSuite(kind: string, stage: Stage): void {
  const title = "a tab left alone goes to standby and stays there; typing and printing keep others awake";
  story(kind, title, stage, async ({ person, step }) => {
    const [noa, ben] = await step("signing in", async () => [await person("noa"), await person("ben")]);

    const printing = await step("a terminal prints", async () => {
      const ide = await tab(ben, await make(ben, "printing"));
      await ide.openTerminal();
      await ide.run("while true; do date; sleep 3; done");
      await ide.printed(/:\d\d:/);
      await mayBeDemoted(ben, ide);
      return ide;
    });
    const lastKey = performance.now();

    const typed = await step("somebody types", async () => {
      const ide = await tab(noa, await make(noa, "typed in"));
      await ide.newFile("diary.txt");
      return ide;
    });
    await using typing = keepTyping(typed);
    await step("it is to be seen", async () => {
      await typed.shows("still here");
      await mayBeDemoted(noa, typed);
    });

    const left = await step("a tab is left alone", async () => {
      const ide = await tab(noa, await make(noa, "left alone"));
      await mayBeDemoted(noa, ide);
      return ide;
    });
    const { workspaceId } = left;

    await step("it goes to standby and says so", async () => {
      await noa.reaches(workspaceId, "STANDBY", PRESENCE_MS + TTL_MS + PATIENCE_MS);
      await left.away.getByText("left alone is in standby").waitFor();
      await picture(left.page, `${kind}-tab-standby`);
    });

    await step("the IDE's own tries to reconnect do not wake it", async () => {
      const tries = left.sockets.length;
      await until("two more tries to reconnect", () => left.sockets.length >= tries + 2);
      expect((await noa.api.getWorkspace({ params: { id: workspaceId } })).desired_state).toBe("STANDBY");
    });

    await step("the others are awake for longer than presence and TTL", async () => {
      const enough = PRESENCE_MS + 2 * TTL_MS;
      await until("that much time", () => performance.now() - lastKey > enough, enough);
      await typing.stop();
      for (const [owner, ide] of [
        [noa, typed],
        [ben, printing],
      ] as const) {
        const params = { id: ide.workspaceId };
        const { items } = await owner.api.listHistory({ params });
        const { name, phase } = await owner.api.getWorkspace({ params });
        const demotions = items.filter((event) => event.actor.kind === "ttl").map((event) => event.summary);
        expect({ name, demotions, phase }).toEqual({ name, demotions: [], phase: "RUNNING" });
      }
    });

    await step("it comes back when somebody wants it", async () => {
      await mayNotBeDemoted(noa, left);
      await left.away.getByRole("link", { name: "Resume" }).click();
      await noa.reaches(workspaceId, "RUNNING");
      await left.ready();
    });
  });
}

/** What happens to workspaces that are too many, that break, and whose owner goes. */
export function lifeSuite(kind: string, stage: Stage): void {
  story(kind, "over the limit the door lists what runs and makes room on request", stage, async ({ person, step }) => {
    const kim = await step("signing in", () => person("kim"));
    const [first, second, third] = await step("two run, a third one sleeps", async () => {
      const made = [
        await make(kim, "runs first"),
        await make(kim, "runs second"),
        await make(kim, "wants in", { desired_state: "STANDBY" }),
      ] as const;
      for (const { id } of made.slice(0, 2)) await kim.reaches(id, "RUNNING");
      await kim.reaches(made[2].id, "STANDBY");
      return made;
    });
    const page = await step("the door says so", async () => {
      const opened = (await kim.open(third)).page;
      await opened.getByRole("heading", { name: "wants in cannot start yet" }).waitFor();
      expect(await opened.locator("ul.list strong").allTextContents()).toEqual(["runs first", "runs second"]);
      expect((await opened.reload())?.status()).toBe(502);
      await picture(opened, `${kind}-limit`);
      return opened;
    });
    await step("it makes room", async () => {
      await page.getByRole("button", { name: "Put runs first to standby and open this one" }).click();
      await arrives(page, third);
      await kim.reaches(first.id, "STANDBY");
      await kim.reaches(second.id, "RUNNING");
    });
  });

  story(
    kind,
    "a workspace that cannot start shows why, and recovers when its owner says so",
    stage,
    async ({ person, step }) => {
      const lee = await step("signing in", () => person("lee"));
      const workspace = await step("a workspace sleeps", async () => {
        const made = await make(lee, "breaks", { desired_state: "STANDBY" });
        await lee.reaches(made.id, "STANDBY");
        return made;
      });
      const mend = await stage.site.spoil(workspace, lee.api);
      const page = await step("the door shows why it does not start", async () => {
        const opened = (await lee.open(workspace)).page;
        await opened.getByRole("heading", { name: "breaks needs attention" }).waitFor();
        await picture(opened, `${kind}-error`);
        return opened;
      });
      await mend();
      await step("it recovers", async () => {
        await page.getByRole("button", { name: "Recover" }).click();
        await arrives(page, workspace);
        await lee.reaches(workspace.id, "RUNNING");
      });
    },
  );

  story(kind, "signing out and deleting end the connections of open tabs", stage, async ({ person, step }) => {
    const may = await step("signing in", () => person("may"));
    const [kept, dropped] = await step("two tabs are open", async () => [
      await tab(may, await make(may, "kept")),
      await tab(may, await make(may, "dropped")),
    ]);
    const endAfter = async (ide: IdePage, act: () => Promise<unknown>): Promise<number> => {
      const open = [...ide.open];
      await act();
      const done = performance.now();
      await until("the end of every connection", () => open.every((socket) => socket.isClosed()));
      return performance.now() - done;
    };
    const deleteMs = await step("one is deleted", async () => {
      const ms = await endAfter(dropped, () => may.api.deleteWorkspace({ params: { id: dropped.workspaceId } }));
      await dropped.away.getByText("dropped was deleted").waitFor();
      return ms;
    });
    const logoutMs = await step("their owner signs out", async () => {
      await may.toDashboard();
      const ms = await endAfter(kept, async () => {
        await may.page.getByRole("button", { name: `Account of ${may.username}` }).click();
        await Promise.all([
          may.page.waitForResponse((answer) => answer.url().endsWith("/api/v1/auth/logout")),
          may.page.getByText("Sign out", { exact: true }).click(),
        ]);
      });
      await kept.away.getByText("You are signed out here").waitFor();
      await picture(kept.page, `${kind}-tab-signed-out`);
      return ms;
    });
    console.log(
      `${kind}: connections ended ${deleteMs.toFixed(0)} ms after a delete, ${logoutMs.toFixed(0)} ms after a logout`,
    );
    expect(deleteMs).toBeLessThan(CUT_LIMIT_MS);
    expect(logoutMs).toBeLessThan(CUT_LIMIT_MS);
  });
}
