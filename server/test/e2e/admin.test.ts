import { readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createClient } from "@codehub/contract";
import { describe, expect, it } from "vitest";
import { apiAs, makeUser } from "./accounts.ts";
import { violations } from "./axe.ts";
import { browserIsHere, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

describe.skipIf(!browserIsHere())("admin and account", () => {
  const stage = setStage();

  it("shows the fleet: figures, leader, health and how long operations take", async () => {
    const { api, visitor } = stage;
    const { page } = visitor;
    const { id } = await api.createWorkspace({ body: { name: "counted", desired_state: "STANDBY" } });
    await expect
      .poll(async () => (await api.getWorkspace({ params: { id } })).phase, { timeout: 30_000 })
      .toBe("STANDBY");
    await visitor.signIn(admin);
    await page.getByRole("link", { name: "Admin" }).click();
    await page.getByText(hostname(), { exact: true }).first().waitFor();
    expect(await page.getByText(/epoch/i).count()).toBe(0);
    await page.getByText("0 of 100").waitFor();
    const health = page.getByRole("region", { name: "Health" });
    for (const part of ["Database", "Message bus", "Engine", "Archive store"]) {
      const light = health.getByRole("listitem").filter({ hasText: part });
      await light.getByText("OK", { exact: true }).waitFor();
    }
    const doctor = page.getByRole("region", { name: "Doctor" });
    await doctor.getByText(/checks are fine$/).click();
    await doctor.getByText(/^A small object was written to .*, read and removed\.$/).waitFor();
    await page.getByRole("row", { name: /Prepare a home/ }).waitFor();
    await page.getByRole("link", { name: "All workspaces" }).click();
    await page.getByRole("row").filter({ hasText: "counted" }).getByText("Standby", { exact: true }).waitFor();
    await page.getByLabel("Search all workspaces").fill("nobody has this");
    await page.getByText("Nothing found").waitFor();
  });

  it("groups everybody's workspaces by owner, and has what it shows in its address", async () => {
    const { api, visitor, program } = stage;
    const { page } = visitor;
    const kai = await apiAs(program.url, await makeUser(api, "kai"));
    for (const name of ["zebra", "ant"]) await kai.createWorkspace({ body: { name, desired_state: "ARCHIVED" } });
    await api.createWorkspace({ body: { name: "mine", desired_state: "ARCHIVED" } });
    await visitor.signIn(admin);
    await page.goto("/admin/workspaces?sort=name");
    const names = () => page.locator("[data-name-link]").allTextContents();
    await expect.poll(names).toEqual(["ant", "mine", "zebra"]);
    await page.getByRole("button", { name: "By owner" }).click();
    await expect.poll(names).toEqual(["ant", "zebra", "mine"]);
    const heading = (name: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    await heading("kai").getByText("2 workspaces").waitFor();
    await heading(admin.username).getByText("1 workspace").waitFor();
    expect(await violations(page)).toEqual([]);
    // Nobody opens or starts what is another's; it can be put to sleep.
    expect(await page.getByRole("link", { name: /^Open ant/ }).count()).toBe(0);
    await page.getByLabel("Owner").selectOption({ label: "kai (2)" });
    await expect.poll(names).toEqual(["ant", "zebra"]);
    await page.reload();
    await expect.poll(names).toEqual(["ant", "zebra"]);
    await page.keyboard.press("j");
    await page.keyboard.press("Shift+ArrowDown");
    const bar = page.getByRole("region", { name: "Selected workspaces" });
    await bar.getByText("2 selected").waitFor();
    expect(await bar.getByRole("button", { name: "Start" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.goBack();
    await expect.poll(names).toEqual(["ant", "zebra", "mine"]);
  });

  it("finds others' workspaces in the palette, with whose they are, and leaves alone what is no administrator's", async () => {
    const { api, visitor, program } = stage;
    const { page } = visitor;
    const rui = await apiAs(program.url, await makeUser(api, "rui"));
    const { id } = await rui.createWorkspace({ body: { name: "lighthouse", desired_state: "STANDBY" } });
    const field = page.getByRole("combobox", { name: "Workspace, page or action" });
    const options = () =>
      page.getByRole("option").evaluateAll((all) => all.map(({ textContent }) => textContent ?? ""));
    await visitor.signIn(admin);
    await page.keyboard.press("Control+k");
    await field.fill("lighthouse");
    const shown = page.getByRole("option", { name: /^Show lighthouse of rui/ });
    await shown.waitFor();
    expect(await violations(page)).toEqual([]);
    expect((await options()).filter((text) => /^(Open|Start) /.test(text))).toEqual([]);
    await field.fill("archive rui lighthouse");
    await expect.poll(options).toEqual(["Archive lighthouse of rui"]);
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await rui.getWorkspace({ params: { id } })).desired_state).toBe("ARCHIVED");
    await page.keyboard.press("Control+k");
    await field.fill("show lighthouse");
    await shown.waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("owned by rui").waitFor();

    // Where they cannot be asked for, one's own are still there, and why is said.
    await page.route("**/api/v1/workspaces?*", (route) => route.fulfill({ status: 500, body: "{}" }));
    await page.keyboard.press("Control+k");
    await field.fill("lighthouse");
    await page.getByText(/^Others' workspaces are not here\. /).waitFor();
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining("500")]);
  });

  it("lists what needs attention and leads to where it is seen to", async () => {
    const { api, visitor, program } = stage;
    const { page } = visitor;
    const { id } = await api.createWorkspace({ body: { name: "lost", desired_state: "ARCHIVED" } });
    const phase = async (): Promise<string> => (await api.getWorkspace({ params: { id } })).phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe("ARCHIVED");
    await rm(join(program.dataDir, "archives", id), { recursive: true });
    await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await expect.poll(phase, { timeout: 30_000 }).toBe("ERROR");
    await visitor.signIn(admin);
    await page.goto("/admin");
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByRole("link", { name: `lost of ${admin.username} is in ERROR` }).click();
    await page.getByRole("heading", { name: "lost" }).waitFor();
  });

  it("makes a user who signs in with the shown password, and disabling ends their session", async () => {
    const { visitor, browser, program } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    await page.goto("/admin/users");
    await page.getByLabel("Username").fill("hana");
    await page.getByRole("button", { name: "Create user" }).click();
    await page.getByText("The password of hana is shown only now").waitFor();
    const password = await page.locator("code.select-all").textContent();
    const hana = await visit(browser, program.url);
    await hana.page.goto("/trash");
    await hana.page.getByLabel("Username").fill("hana");
    await hana.page.getByLabel("Password").fill(password ?? "");
    await hana.page.getByRole("button", { name: "Sign in" }).click();
    await hana.page.getByRole("heading", { name: "Choose your own password" }).waitFor();
    await hana.page.goto("/trash");
    await hana.page.getByLabel("Current password").fill(password ?? "");
    await hana.page.getByLabel("New password").fill("a sentence of my own");
    await hana.page.getByRole("button", { name: "Change password" }).click();
    await hana.page.getByRole("heading", { name: "Trash" }).waitFor();
    expect(await hana.page.getByRole("link", { name: "Admin" }).count()).toBe(0);
    await hana.page.goto("/admin");
    await hana.page.getByText("There is nothing at this address").waitFor();

    await page.getByRole("button", { name: "More for hana" }).click();
    await page.getByRole("menuitem", { name: "Disable" }).click();
    const question = page.getByRole("dialog", { name: "Disable hana?" });
    await question.getByText(/secrets are deleted for good/).waitFor();
    expect(await violations(page)).toEqual([]);
    await question.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("main").getByRole("listitem").filter({ hasText: "hana" }).getByText("disabled").waitFor();
    await hana.page.getByText("Your session has ended").waitFor();
    await hana.context.close();

    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("row").filter({ hasText: "hana" }).first().waitFor();
    await page.getByLabel("Kind of event").selectOption("login");
    await expect.poll(() => page.getByRole("row").filter({ hasText: "created" }).count()).toBe(0);
    expect(new URL(page.url()).search).toBe("?kind=login");
    await page.getByLabel("Who", { exact: true }).selectOption({ label: "hana (2)" });
    await page.getByText("2 found").waitFor();
    await page.reload();
    const signedIn = page.getByRole("row").filter({ hasText: "Signed in" }).first();
    await signedIn.filter({ hasText: "hana" }).waitFor();
    await signedIn.getByText(/^(127\.0\.0\.1|::1)$/).waitFor();
    expect(await violations(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as CSV" }).click(),
    ]);
    expect(await readFile(await file.path(), "utf8")).toMatch(
      /^"id","at",.*\r\n"\d+",".*","login","user",".*","hana",/,
    );
    await page.getByLabel("From").fill("2001-01-01");
    await page.getByLabel("to", { exact: true }).fill("2001-01-02");
    await page.getByText("Nothing was recorded").waitFor();
    hana.complaints.splice(0);
  });

  it("asks before it takes a password or an account away, and does nothing until it is answered", async () => {
    const { visitor, api, program } = stage;
    const { page } = visitor;
    const user = await makeUser(api, "yuki");
    await visitor.signIn(admin);
    await page.goto("/admin/users");
    const choose = async (entry: string, title: string) => {
      await page.getByRole("button", { name: "More for yuki" }).click();
      await page.getByRole("menuitem", { name: entry }).click();
      return page.getByRole("dialog", { name: title });
    };
    const disable = await choose("Disable", "Disable yuki?");
    await disable.getByRole("button", { name: "Cancel" }).click();
    const reset = await choose("Reset password", "Reset the password of yuki?");
    await page.keyboard.press("Escape");
    await reset.waitFor({ state: "detached" });
    const signedIn = await apiAs(program.url, user);
    const access = await choose("Sessions and tokens", "Sessions and tokens of yuki");
    await access
      .getByRole("list", { name: "Sessions" })
      .getByText(/signed in/)
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await access.getByRole("button", { name: "End all" }).click();
    await access.getByText("Nobody is signed in, and there is no token.").waitFor();
    await expect(signedIn.getSession()).rejects.toMatchObject({ status: 401 });
    await access.getByRole("button", { name: "Close" }).last().click();
    await page.getByLabel("Search users").fill("YUK");
    await expect.poll(() => page.getByRole("list", { name: "Users" }).getByRole("listitem").count()).toBe(1);

    await choose("Reset password", "Reset the password of yuki?");
    await reset.getByRole("button", { name: "Reset password" }).click();
    await page.getByText("The password of yuki is shown only now").waitFor();
    await expect(apiAs(program.url, user)).rejects.toThrow("sign-in failed");
  });

  it("deletes a user by name and gives what they have to somebody else", async () => {
    const { visitor, api, program } = stage;
    const { page } = visitor;
    const [kei, mio] = [await makeUser(api, "kei"), await makeUser(api, "mio")];
    const theirs = await apiAs(program.url, kei);
    const { id } = await theirs.createWorkspace({ body: { name: "handed-on", desired_state: "RUNNING" } });
    const phase = async (): Promise<string> => (await api.getWorkspace({ params: { id } })).phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe("RUNNING");
    await visitor.signIn(admin);
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "More for kei" }).click();
    await page.getByRole("menuitem", { name: "Limit" }).click();
    await page.getByLabel("Workspaces that may run at once").fill("5");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("1 of 5 running").waitFor();
    await page.getByRole("button", { name: "More for kei" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete kei?" });
    await dialog.getByLabel(/^All to somebody else/).check();
    await dialog.getByLabel("Who gets them").selectOption("mio");
    expect(await violations(page)).toEqual([]);
    const remove = dialog.getByRole("button", { name: "Delete user" });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("kei");
    const answers: number[] = [];
    page.on("response", (response) => {
      if (response.request().method() === "DELETE") answers.push(response.status());
    });
    await remove.click();
    await dialog.getByText("Waiting until these have stopped: handed-on. kei is disabled").waitFor();
    await page.getByText("kei is deleted, 1 workspace given on.").waitFor();
    // It was asked for when it could be had, and not again and again until then.
    expect(answers).toEqual([200]);
    await expect(apiAs(program.url, kei)).rejects.toThrow("sign-in failed");
    const heir = await apiAs(program.url, mio);
    const given = await heir.getWorkspace({ params: { id } });
    expect([given.phase, given.keys_allowed]).toEqual(["STANDBY", false]);
    await heir.deleteWorkspace({ params: { id }, query: { purge: true, confirm: "handed-on" } });
  });

  it("draws what everybody used, by week", async () => {
    const { api, visitor } = stage;
    const { page } = visitor;
    const { id } = await api.createWorkspace({ body: { name: "used", desired_state: "ARCHIVED" } });
    const phase = async (): Promise<string> => (await api.getWorkspace({ params: { id } })).phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe("ARCHIVED");
    await visitor.signIn(admin);
    await page.goto("/admin/usage");
    await page.getByRole("row", { name: new RegExp(`^${admin.username} `) }).waitFor();
    await page.getByRole("img", { name: /^Running by week since/ }).waitFor();
    await page.getByLabel("How far back").selectOption("4");
    await page.getByRole("img", { name: /^Homes by week since/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const others = { audit: page.getByRole("table"), users: page.getByRole("list", { name: "Users" }) };
    for (const [tab, content] of Object.entries(others)) {
      await page.goto(`/admin/${tab}`);
      await content.waitFor();
      expect(await violations(page), tab).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab).toBe(true);
    }
  });

  it("changes the password and signs other sessions out", async () => {
    const { visitor, api, program } = stage;
    const { page } = visitor;
    const user = await makeUser(api, "sora");
    await visitor.signIn(user);
    await page.getByRole("button", { name: "Account of sora" }).click();
    await page.getByRole("menuitem", { name: "Account" }).click();
    await page.getByLabel("Current password").fill("wrong one here");
    await page.getByLabel("New password").fill("another long sentence");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("The password was not changed").waitFor();
    await page.getByLabel("Current password").fill(user.password);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByText("The password is changed.").waitFor();
    await apiAs(program.url, { username: "sora", password: "another long sentence" });
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "Sign in to CodeHub" }).waitFor();
    visitor.complaints.splice(0);
  });

  it("makes a token that works, shows it once, and revokes it", async () => {
    const { visitor, program } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    await page.goto("/account");
    await page.getByLabel("Name").fill("my script");
    await page.getByRole("button", { name: "Create token" }).click();
    const token = (await page.locator("code.select-all").textContent()) ?? "";
    const script = createClient({ baseUrl: program.url, fetch, token });
    expect((await script.getSession()).via).toBe("token");
    await page.getByRole("button", { name: "I have it" }).click();
    expect(await page.getByText(token).count()).toBe(0);
    await page.getByRole("button", { name: "Revoke my script" }).click();
    await page.getByText("no longer works").waitFor();
    await expect(script.getSession()).rejects.toMatchObject({ status: 401 });
  });

  it("serves the API reference without anything from elsewhere", async () => {
    const { visitor } = stage;
    await visitor.signIn(admin);
    const [reference] = await Promise.all([
      visitor.context.waitForEvent("page"),
      visitor.page.getByRole("link", { name: /^API reference/ }).click(),
    ]);
    await reference.getByRole("heading", { name: /CodeHub API/ }).waitFor();
  });
});
