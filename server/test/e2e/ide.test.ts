import { describe, expect, it } from "vitest";
import { browserIsHere } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

describe.skipIf(!browserIsHere())("from signing in to typing", () => {
  const stage = setStage();

  it("takes three clicks: sign in, create, open", async () => {
    const { visitor, api } = stage;
    const { page, context } = visitor;
    await page.goto("/");
    await page.getByLabel("Username").fill(admin.username);
    await page.getByLabel("Password").fill(admin.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Create my first workspace" }).click();
    // The door may be taken at once: it waits until the IDE is there.
    const [ide] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: /^Open First workspace/ }).click(),
    ]);
    await ide.locator(".monaco-workbench").waitFor({ timeout: 90_000 });
    const [workspace] = (await api.listWorkspaces()).items;
    const { address } = await api.getWorkspace({ params: { id: workspace?.id ?? "" } });
    expect(address?.url).toMatch(/\/\/first-workspace-\w{6}\.localhost:/);
    expect(new URL(ide.url()).origin).toBe(new URL(address?.url ?? "").origin);

    // A new file from the palette, and what is typed is in the editor.
    await ide.locator(".monaco-workbench .part.editor").click();
    await ide.keyboard.press("F1");
    await ide.locator(".quick-input-widget input").fill(">File: New Untitled Text File");
    await ide.locator(".quick-input-list .monaco-list-row").first().click();
    await ide.locator(".monaco-editor .view-lines").first().waitFor();
    await ide.keyboard.type("typed by a person");
    await ide
      .locator(".monaco-editor .view-lines")
      .getByText(/typed.by.a.person/)
      .waitFor();
    // What the IDE itself writes to the console is its own; the dashboard's page must have stayed quiet.
    await page.bringToFront();
    await page.getByText("as requested").waitFor();
  });
});
