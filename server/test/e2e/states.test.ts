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

describe.skipIf(!browserIsHere())("a part that does not come", () => {
  const stage = setStage();

  const failure = ({ page }: Visitor) => page.getByRole("alert").filter({ hasText: "Load again" });
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

  it.each(looks)("is accessible, $name", async ({ options }) => {
    const { browser, program } = stage;
    const person = await visit(browser, program.url, { ...options, reducedMotion: "reduce" });
    const { page } = person;
    await page.goto("/");
    await page.route(adminFiles, (route) => route.abort());
    await page.getByLabel("Username").fill(admin.username);
    await page.getByLabel("Password").fill(admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Admin" }).click();
    await failure(person).waitFor();
    expect(await violations(page)).toEqual([]);
    await person.context.close();
  });
});
