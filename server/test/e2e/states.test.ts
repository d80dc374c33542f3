import { describe, expect, it } from "vitest";
import { apiAs, makeUser, signIn } from "./accounts.ts";
import { violations } from "./axe.ts";
import { browserIsHere, type Visitor, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const looks = [
  { name: "light", options: { colorScheme: "light" as const } },
  { name: "dark", options: { colorScheme: "dark" as const } },
  { name: "phone", options: { viewport: { width: 390, height: 800 }, hasTouch: true } },
] as const;

describe.skipIf(!browserIsHere())("what an open tab outlives", () => {
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
    const users = /\/api\/v1\/users(\?|$)/;
    await page.route(users, (route) => route.fulfill({ json: { items: [null], total: 1 } }));
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
    // Asked from here: a page's own policy keeps it from being told to ask itself. While it loads there is nothing to ask.
    await expect.poll(() => stays().catch(() => true)).toBe(false);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await bar(visitor).count()).toBe(0);
    expect(visitor.complaints.splice(0).filter((text) => !/ERR_|503/.test(text))).toEqual([]);
  });

  it("keeps what was typed over the end of a session, for whoever typed it and nobody else", async () => {
    const { visitor, program, api } = stage;
    const { page } = visitor;
    const user = await makeUser(api, "rin");
    const rin = await apiAs(program.url, user);
    const { id } = await rin.createWorkspace({ body: { name: "lab", desired_state: "STANDBY" } });
    const enter = async ({ username, password }: typeof user) => {
      await page.getByLabel("Username").fill(username);
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: `Account of ${username}` }).waitFor();
    };
    const endSession = async () => {
      await page.getByText("Live", { exact: true }).waitFor();
      await (await signIn(program.url, user)).logout({ body: { everywhere: true } });
      await page.getByText("Your session has ended").waitFor();
    };
    const kept = () => page.evaluate("JSON.stringify(sessionStorage)") as Promise<string>;
    const settings = page.getByRole("region", { name: "Settings" });

    await page.goto(`/workspaces/${id}`);
    await enter(user);
    await settings.getByLabel("Description").fill("half a sentence");
    await settings.getByLabel("To the archive after standby of").selectOption("0");
    const variables = page.getByRole("region", { name: "Variables and secrets" });
    await variables.getByLabel("Value").fill("value-of-a-secret");
    await endSession();
    expect(await kept()).toContain("half a sentence");
    expect(await kept()).not.toContain("value-of-a-secret");
    await enter(user);
    await settings.getByText("Not saved yet").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await settings.getByLabel("Description").inputValue()).toBe("half a sentence");
    expect(await settings.getByLabel("To the archive after standby of").inputValue()).toBe("0");
    await settings.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Saved.").waitFor();
    await settings.getByText("Not saved yet").waitFor({ state: "detached" });
    expect(await rin.getWorkspace({ params: { id } })).toMatchObject({ description: "half a sentence" });
    expect(await kept()).not.toContain("half a sentence");

    await settings.getByLabel("Description").fill("another thought");
    await page.reload();
    await settings.getByRole("button", { name: "Discard" }).click();
    expect(await settings.getByLabel("Description").inputValue()).toBe("half a sentence");
    expect(await kept()).not.toContain("another thought");

    await page.getByRole("link", { name: "Workspaces", exact: true }).click();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Repository (optional)").fill("https://rin:a-token@git.example.org/lab.git");
    await dialog.getByLabel("Name", { exact: true }).fill("second lab");
    await endSession();
    expect(await kept()).not.toContain("a-token");
    await enter(user);
    await page.keyboard.press("n");
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("second lab");
    await page.reload();

    await endSession();
    expect(await kept()).toContain("second lab");
    await enter(admin);
    expect(await kept()).not.toContain("second lab");
    await page.keyboard.press("n");
    expect(await dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("");
    await dialog.getByLabel("Name", { exact: true }).fill("of mina");
    await page.reload();
    await page.getByRole("button", { name: `Account of ${admin.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to CodeHub" }).waitFor();
    expect(await kept()).not.toContain("of mina");
    visitor.complaints.splice(0);
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
