import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { placeFakeIde } from "../stories/fake-ide-install.ts";
import { violations } from "./axe.ts";
import { browserIsHere, visit } from "./browser.ts";
import { admin, startProgram } from "./program.ts";
import { setStage } from "./suite.ts";

const SOON = { timeout: 20_000 };
const LOOKS = [
  { name: "light", options: { colorScheme: "light" as const } },
  { name: "dark", options: { colorScheme: "dark" as const } },
  { name: "phone", options: { viewport: { width: 375, height: 700 }, hasTouch: true, isMobile: true } },
] as const;

describe.skipIf(!browserIsHere())("the room in a home", () => {
  const stage = setStage(
    () => ({}),
    (environment) => startProgram(environment, placeFakeIde),
  );
  const card = (page: Page) => page.getByRole("region", { name: "Space" });
  const look = (page: Page) => card(page).getByRole("button", { name: "Find and free space" });

  /** A workspace of mina's that runs, with her at its page, and what a command says in it. */
  async function running() {
    const { api, visitor } = stage;
    await visitor.signIn(admin);
    const { id } = await api.createWorkspace({ body: { name: "full", desired_state: "RUNNING" } });
    await expect.poll(async () => (await api.getWorkspace({ params: { id } })).phase, SOON).toBe("RUNNING");
    const inside = async (command: string): Promise<string> => {
      const ide = await visitor.context.newPage();
      await ide.goto(`/w/${id}/?next=${encodeURIComponent(`/run?command=${encodeURIComponent(command)}`)}`);
      await expect.poll(() => ide.textContent("body"), SOON).toMatch(/^\{"code":0,/);
      const { text } = JSON.parse((await ide.textContent("body")) ?? "{}") as { text: string };
      await ide.close();
      return text;
    };
    await visitor.page.goto(`/workspaces/${id}`);
    return { id, inside };
  }

  it("is shown, a cache of it is emptied, and what was freed is said", async () => {
    const { page } = stage.visitor;
    const { inside } = await running();
    await inside(
      [
        "cd; mkdir -p .npm/_cacache go/pkg/mod/m projects/app/node_modules '<b>bold<b>'",
        "head -c 9000000 /dev/urandom > .npm/_cacache/index",
        "head -c 4000000 /dev/urandom > go/pkg/mod/m/file; chmod 555 go/pkg/mod/m",
        "head -c 6000000 /dev/urandom > projects/app/node_modules/file; head -c 2000000 /dev/urandom > '<b>bold<b>/file'",
      ].join("\n"),
    );
    await look(page).click();
    await card(page)
      .getByText(/^The home takes 2\d MB\./)
      .waitFor();
    const row = (name: string) => card(page).getByRole("listitem").filter({ hasText: name });
    await row("~/projects/app/node_modules").getByText("6 MB").waitFor();
    await row("~/<b>bold<b>").getByText("2 MB").waitFor();
    expect(await violations(page)).toEqual([]);

    await card(page).getByRole("button", { name: "Empty the cache of npm" }).click();
    const dialog = page.getByRole("dialog", { name: "Empty the cache of npm?" });
    await dialog.getByText("Packages that npm has fetched.").waitFor();
    await dialog.getByText("9 MB are deleted for good").waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await inside("ls ~/.npm/_cacache")).toBe("index\n");
    await card(page).getByRole("button", { name: "Empty the cache of npm" }).click();
    await dialog.getByRole("button", { name: "Empty", exact: true }).click();
    await card(page).getByText("9 MB freed. The cache of npm is empty.").waitFor();
    await card(page).getByRole("button", { name: "Empty the cache of npm" }).waitFor({ state: "detached" });
    await card(page)
      .getByText(/^The home takes 1\d MB\./)
      .waitFor();
    await page.getByText(/^The cache of npm was emptied: 9\d{6} bytes freed/).waitFor();
    expect(await inside("ls -A ~/.npm/_cacache")).toBe("");

    await card(page).getByRole("button", { name: "Empty the cache of Go modules" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Empty", exact: true }).click();
    await card(page).getByText("4 MB freed. The cache of Go modules is empty.").waitFor();
    expect(await inside("ls -A ~/go/pkg/mod; ls ~/projects/app/node_modules")).toBe("file\n");
  });

  it("is looked for again after a look that failed, and not while nothing runs", async () => {
    const { api } = stage;
    const { page, complaints } = stage.visitor;
    const { id } = await running();
    await page.route("**/space", (route) => route.abort());
    await look(page).click();
    await card(page).getByText("The server could not be reached.").waitFor();
    complaints.splice(0);
    await page.unroute("**/space");
    await look(page).click();
    await card(page).getByText("Nothing in it is larger than a megabyte.").waitFor();
    await api.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
    await card(page).getByText("Start the workspace to look into its home.").waitFor();
    expect(
      await card(page)
        .getByRole("button", { name: /Find|Look/ })
        .count(),
    ).toBe(0);
  });

  it.each(LOOKS)("fits and can be read, $name", async ({ options }) => {
    const { browser, program } = stage;
    const { id, inside } = await running();
    const deep = "a-folder-with-a-name-that-is-rather-long/and-another-one-in-it-that-is-no-shorter/and-a-third";
    await inside(
      [
        `cd; mkdir -p .npm/_cacache .cache/pip .cargo/registry/src .cargo/registry/cache .cargo/git/checkouts ${deep}`,
        `for at in .npm/_cacache .cache/pip .cargo/registry/src .cargo/registry/cache .cargo/git/checkouts ${deep}; do`,
        "  size=$((size + 2000000)); head -c $size /dev/urandom > $at/file",
        "done",
      ].join("\n"),
    );
    const person = await visit(browser, program.url, { ...options, reducedMotion: "reduce" });
    await person.signIn(admin);
    const { page } = person;
    await page.goto(`/workspaces/${id}`);
    await look(page).click();
    await card(page).getByText(`~/${deep}`).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await person.context.close();
    expect(person.complaints).toEqual([]);
  });
});
