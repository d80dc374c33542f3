import { describe, expect, it } from "vitest";
import { apiAs, makeUser } from "./accounts.ts";
import { browserIsHere, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

describe.skipIf(!browserIsHere())("live", () => {
  const stage = setStage();

  it("shows two people in two browsers their own workspaces only, as they change", async () => {
    const { browser, program, api, visitor } = stage;
    const jun = await makeUser(api, "jun");
    const junApi = await apiAs(program.url, jun);
    const other = await visit(browser, program.url);
    await visitor.signIn(admin);
    await other.signIn(jun);
    await visitor.page.getByRole("heading", { name: "Welcome, mina" }).waitFor();
    await other.page.getByRole("heading", { name: "Welcome, jun" }).waitFor();
    // That workspaces are plain processes is said to whoever decides who shares the server, and to nobody else.
    const trust = "For people who trust each other";
    await visitor.page.getByText(trust).waitFor();
    expect(await other.page.getByText(trust).count()).toBe(0);

    const mine = await api.createWorkspace({ body: { name: "of mina", desired_state: "STANDBY" } });
    const theirs = await junApi.createWorkspace({ body: { name: "of jun", desired_state: "STANDBY" } });
    await visitor.page.getByRole("row").filter({ hasText: "of mina" }).getByText("Standby", { exact: true }).waitFor();
    await other.page.getByRole("row").filter({ hasText: "of jun" }).getByText("Standby", { exact: true }).waitFor();
    expect(await visitor.page.getByText("of jun").count()).toBe(0);
    expect(await other.page.getByText("of mina").count()).toBe(0);

    await api.updateWorkspace({ params: { id: mine.id }, body: { name: "of mina, renamed" } });
    await visitor.page.getByRole("link", { name: "of mina, renamed", exact: true }).waitFor();
    await other.page.goto(`/workspaces/${mine.id}`);
    await other.page.getByText("There is nothing at this address").waitFor();
    expect(other.complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);

    // An administrator sees everybody's, may stop it, and gets no door to it.
    await visitor.page.goto(`/workspaces/${theirs.id}`);
    await visitor.page.getByText("owned by jun").waitFor();
    expect(await visitor.page.getByRole("link", { name: /^Open/ }).count()).toBe(0);
    await other.context.close();
    expect(other.complaints).toEqual([]);
  });

  it("says when the connection is lost, keeps what it knew, and is current again when the server is back", async () => {
    const { program, api, visitor } = stage;
    const { page } = visitor;
    const { id } = await api.createWorkspace({ body: { name: "steady", desired_state: "STANDBY" } });
    await visitor.signIn(admin);
    const row = page.getByRole("row").filter({ hasText: "steady" });
    await row.getByText("Standby", { exact: true }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();

    await program.crash();
    await page.getByText(/^Offline/).waitFor();
    expect(await row.getByText("Standby", { exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: "Start steady" }).click();
    await page.getByRole("alert").filter({ hasText: "could not be reached" }).waitFor();
    expect(await row.getByText("Standby", { exact: true }).count()).toBe(1);
    // Nobody is told to be signed out who is not.
    await page.getByRole("button", { name: "Close message" }).click();
    await page.getByRole("button", { name: `Account of ${admin.username}` }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("alert").filter({ hasText: "could not be reached" }).waitFor();

    await program.start();
    await page.getByText("Live", { exact: true }).waitFor();
    await api.updateWorkspace({ params: { id }, body: { name: "steady again" } });
    await page.getByRole("link", { name: "steady again", exact: true }).waitFor();
    // Nobody there, or the proxy alone, which says that the server is about to be.
    expect(visitor.complaints.splice(0).filter((text) => !/ERR_|503/.test(text))).toEqual([]);
  });

  it("shows the sign-in when the session was ended elsewhere", async () => {
    const { program, visitor, browser } = stage;
    const { page } = visitor;
    await visitor.signIn(admin);
    await page.getByText("Live", { exact: true }).waitFor();
    const elsewhere = await visit(browser, program.url);
    await elsewhere.signIn(admin);
    await elsewhere.page.goto("/account");
    await elsewhere.page.getByRole("button", { name: "Sign out everywhere" }).click();
    await elsewhere.page.getByRole("heading", { name: "Sign in to CodeHub" }).waitFor();
    await page.getByText("Your session has ended").waitFor();
    await elsewhere.context.close();
    visitor.complaints.splice(0);
  });
});
