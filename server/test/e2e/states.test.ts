import { describe, expect, it } from "vitest";
import { violations } from "./axe.ts";
import { browserIsHere, type Visitor, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const looks = [
  { name: "light", options: { colorScheme: "light" as const } },
  { name: "dark", options: { colorScheme: "dark" as const } },
  { name: "phone", options: { viewport: { width: 390, height: 800 }, hasTouch: true } },
] as const;

describe.skipIf(!browserIsHere())("a part that does not come, and an update under an open tab", () => {
  const stage = setStage();

  const failure = ({ page }: Visitor) => page.getByRole("alert").filter({ hasText: "Load again" });
  const bar = ({ page }: Visitor) => page.getByRole("status").filter({ hasText: "CodeHub was updated" });
  /** From now on the server names other files, as one of another build does. */
  const updated = ({ page }: Visitor) =>
    page.route("/", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace(/index-[^."]+\.js/, "index-next.js");
      await route.fulfill({ response: answer, body });
    });
  const adminFiles = "**/assets/admin-*.js";

  it("says that a page did not load, keeps the way to all others, and loads it again", async () => {
    const { visitor } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    await page.route(adminFiles, (route) => route.abort());
    await page.getByRole("link", { name: "Admin" }).click();
    await failure(visitor).getByRole("heading", { name: "This page could not be loaded" }).waitFor();
    expect(await page.title()).toBe("This page could not be loaded · CodeHub");

    await page.getByRole("link", { name: "Trash" }).click();
    await page.getByRole("heading", { name: "Trash" }).waitFor();
    expect(await failure(visitor).count()).toBe(0);
    await page.getByRole("link", { name: "Admin" }).click();
    await failure(visitor).waitFor();

    // Nobody is sent to the browser's own error page, from which there is no way back.
    await page.route("/", (route) => route.abort());
    await page.getByRole("button", { name: "Load again" }).click();
    await page.getByRole("alert").filter({ hasText: "The server could not be reached" }).waitFor();
    await page.unroute("/");
    await page.unroute(adminFiles);
    await page.getByRole("button", { name: "Load again" }).click();
    await page.getByRole("region", { name: "Health" }).waitFor();
    expect(visitor.complaints.splice(0).filter((text) => !/ERR_FAILED|did not load/.test(text))).toEqual([]);
  });

  it("says that a page is broken, with what is broken, and is left by going elsewhere", async () => {
    const { visitor } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    const users = "**/api/v1/users";
    await page.route(users, (route) => route.fulfill({ json: { items: null, total: 0 } }));
    await page.goto("/admin/users");
    await failure(visitor).getByRole("heading", { name: "This page could not be shown" }).waitFor();
    await failure(visitor).getByText(/null/).waitFor();
    await page.getByRole("link", { name: "Workspaces", exact: true }).click();
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    await page.unroute(users);
    await page.goBack();
    await page.getByRole("button", { name: "Create user" }).waitFor();
    expect(visitor.complaints.splice(0).filter((text) => !/null/.test(text))).toEqual([]);
  });

  it("says so where the frame around the pages is broken, and where a dialog is", async () => {
    const { visitor } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    const asked = "**/api/v1/auth/session";
    const answerWith = (change: (session: { deployment?: object }) => object) =>
      page.route(asked, async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: change(await answer.json()) });
      });
    await answerWith((session) => ({ ...session, deployment: { ...session.deployment, images: null } }));
    await page.reload();
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This dialog could not be shown").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();

    await page.unroute(asked);
    await answerWith((session) => ({ ...session, deployment: null }));
    await page.reload();
    await failure(visitor).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.unroute(asked);
    await page.getByRole("button", { name: "Load again" }).click();
    await page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    expect(visitor.complaints.splice(0).filter((text) => !/null/.test(text))).toEqual([]);
  });

  it("offers to load again when the server has another dashboard, and never does it by itself", async () => {
    const { visitor, program } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    await page.getByText("Live", { exact: true }).waitFor();
    const stays = () => page.evaluate("window.sameTab === true");
    await page.evaluate("window.sameTab = true");
    const again = async () => {
      const looked = page.waitForResponse((answer) => new URL(answer.url()).pathname === "/");
      await program.crashServer();
      await looked;
      await page.getByText("Live", { exact: true }).waitFor();
    };
    // The same program, started anew, is nothing new.
    await again();
    expect(await bar(visitor).count()).toBe(0);

    await updated(visitor);
    await again();
    await bar(visitor).waitFor();
    await bar(visitor).getByRole("button", { name: "Later" }).click();
    expect(await bar(visitor).count()).toBe(0);
    await again();
    await bar(visitor).waitFor();
    await page.getByRole("link", { name: "Trash" }).click();
    await bar(visitor).waitFor();
    expect(await stays()).toBe(true);
    await page.unroute("/");
    await bar(visitor).getByRole("button", { name: "Load again" }).click();
    await page.waitForFunction("window.sameTab === undefined");
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await bar(visitor).count()).toBe(0);
    expect(visitor.complaints.splice(0).filter((text) => !/ERR_|503/.test(text))).toEqual([]);
  });

  it.each(looks)("is accessible, $name", async ({ options }) => {
    const { browser, program } = stage;
    const person = await visit(browser, program.url, { ...options, reducedMotion: "reduce" });
    const { page } = person;
    await page.goto("/");
    await updated(person);
    await page.route(adminFiles, (route) => route.abort());
    await page.getByLabel("Username").fill(admin.username);
    await page.getByLabel("Password").fill(admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await bar(person).waitFor();
    await page.getByRole("link", { name: "Admin" }).click();
    await failure(person).waitFor();
    expect(await violations(page)).toEqual([]);
    await person.context.close();
  });
});
