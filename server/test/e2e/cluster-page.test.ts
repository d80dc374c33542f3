import type { Session, Workspace } from "@codehub/contract";
import type { Page, Route } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { browserIsHere, type Visitor } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

/** What only a cluster has, told by answers that are those of a server on one: the rest of the program is real. */
describe.skipIf(!browserIsHere())("the page of a workspace on a cluster", () => {
  const stage = setStage();
  let page: Page;
  let visitor: Visitor;
  let asked: { readonly path: string; readonly body: unknown }[] = [];
  beforeEach(() => {
    ({ visitor } = stage);
    ({ page } = visitor);
    asked = [];
  });

  const changed = async <T>(route: Route, change: (answer: T) => T): Promise<void> => {
    const response = await route.fetch();
    if (!response.ok()) return await route.fulfill({ response });
    await route.fulfill({ response, json: change((await response.json()) as T) });
  };
  const show = async (change: (workspace: Workspace) => Workspace): Promise<Workspace> => {
    const made = await stage.api.createWorkspace({ body: { name: "lab", desired_state: "ARCHIVED" } });
    await page.route("**/api/v1/auth/session", (route) =>
      changed<Session>(route, (session) => {
        const limits = { ...session.deployment.limits, home_sizes: { new_bytes: 2 ** 30, owner_max_bytes: 2 ** 33 } };
        return { ...session, deployment: { ...session.deployment, limits } };
      }),
    );
    await page.route(`**/api/v1/workspaces/${made.id}`, (route) => changed(route, change));
    for (const path of ["node-off", "home-size"]) {
      await page.route(`**/api/v1/workspaces/${made.id}/${path}`, async (route) => {
        asked.push({ path, body: route.request().postDataJSON() });
        await route.fulfill({ json: change(await stage.api.getWorkspace({ params: { id: made.id } })) });
      });
    }
    await visitor.signIn(admin);
    await page.goto(`/workspaces/${made.id}`);
    await page.getByRole("heading", { name: "lab" }).waitFor();
    return made;
  };

  it("says that a node is silent, and takes an administrator's word only with its name", async () => {
    await show((workspace) => ({
      ...workspace,
      conditions: {
        ...workspace.conditions,
        "infra.container_present": {
          status: true,
          reason: "NodeSilent",
          message: "",
          fields: { count: 1, node: "node-2", container: "ws-1/u" },
          detail: "",
          last_transition_time: new Date().toISOString(),
        },
      },
    }));
    await page.getByText("The node node-2 does not answer", { exact: true }).waitFor();
    await page.getByRole("button", { name: "The node is off for good…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("two containers may write to the same home").waitFor();
    const confirm = dialog.getByRole("button", { name: "The node is off" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("node-20");
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("node-2");
    await confirm.click();
    await page.getByText("is being given up.").waitFor();
    expect(asked).toEqual([{ path: "node-off", body: { confirm: "node-2" } }]);
  });

  it("makes a home larger, and never smaller", async () => {
    await show((workspace) => ({ ...workspace, home_size_bytes: 2 * 2 ** 30 }));
    const card = page.getByRole("region", { name: "Size of the home" });
    await card.getByText("2 GiB").waitFor();
    await card.getByLabel("New size in GiB").fill("1.5");
    expect(await card.getByRole("button", { name: "Make larger" }).isDisabled()).toBe(true);
    await card.getByLabel("New size in GiB").fill("3");
    await card.getByRole("button", { name: "Make larger" }).click();
    await page.getByText("Asked for a larger home.").waitFor();
    expect(asked).toEqual([{ path: "home-size", body: { size_bytes: 3 * 2 ** 30 } }]);
  });

  const full =
    (over: Partial<Workspace> = {}) =>
    (workspace: Workspace): Workspace => ({
      ...workspace,
      home_disk: {
        used_bytes: 1.92 * 2 ** 30,
        total_bytes: 2 ** 31,
        shared: false,
        measured_at: new Date().toISOString(),
      },
      ...over,
    });

  it("says that the disk of a home is nearly full, and makes it larger right there", async () => {
    await show(full({ home_size_bytes: 2 ** 31 }));
    // From 95 % on it is soon too late.
    const notice = page.getByRole("alert").filter({ hasText: "The disk of this home is nearly full" });
    await notice.getByText("1.92 of 2 GiB are used (96 %)").waitFor();
    await notice.getByRole("button", { name: "Find and free space" }).click();
    const space = page.getByRole("region", { name: "Space" });
    await space.getByText("Start the workspace to look into its home.").waitFor();
    await space.getByText("The same in a terminal of the workspace").click();
    await space.getByRole("button", { name: "Copy the command: Largest folders" }).waitFor();
    await notice.getByRole("button", { name: "Make it 4 GiB" }).click();
    await page.getByText("Asked for a larger home.").waitFor();
    expect(asked).toEqual([{ path: "home-size", body: { size_bytes: 2 ** 32 } }]);
  });

  it("offers a restart where it was made larger meanwhile, and words where nobody here can do anything", async () => {
    await show(full({ home_size_bytes: 2 ** 33, phase: "RUNNING" }));
    await page.getByText("The home was made larger.").waitFor();
    await page.getByRole("button", { name: "Restart now" }).waitFor();
    const [, made] = /workspaces\/(.*)$/.exec(page.url()) ?? [];
    const shared = full();
    await page.route(`**/api/v1/workspaces/${made}`, (route) =>
      changed<Workspace>(route, (workspace) => {
        const { home_disk, ...rest } = shared(workspace);
        return { ...rest, home_disk: home_disk && { ...home_disk, shared: true } };
      }),
    );
    await page.reload();
    await page.getByText("The disk of all homes is nearly full").waitFor();
    expect(await page.getByRole("button", { name: /^Make it/ }).count()).toBe(0);
  });
});
