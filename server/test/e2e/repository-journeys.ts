import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError } from "@codehub/contract";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { refusedAddresses } from "../fixtures/refused-addresses.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { type MadeRepository, makeRepository } from "../git/repositories.ts";
import type { Site } from "../ide/site.ts";
import { mayActAsRoot } from "../root.ts";
import { type FakeGallery, fakeGallery } from "../setup/fake-gallery.ts";
import { signIn } from "./accounts.ts";
import { violations } from "./axe.ts";
import { type Visitor, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { type SlowLink, slowLink } from "./slow-link.ts";
import { setStage } from "./suite.ts";

/** Enough objects for a percent, and enough bytes for somebody to see it. */
const many = () =>
  Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`data/${index}.bin`, randomBytes(16_000)]));

/** What only a person may let run. */
const OWN_SETUP = {
  // Long enough for somebody to see the first word before there is a second one.
  postCreateCommand: "echo begun; sleep 8; echo made >> made.txt; echo ended",
  postStartCommand: "echo started >> started.txt",
  mounts: ["somewhere"],
  customizations: { vscode: { extensions: ["team.tool", "team.missing"], settings: { "editor.tabSize": 3 } } },
};

/** One that floods and draws on its reader's screen, and one that fails: what comes after it is left out. */
const NOISY_SETUP = {
  onCreateCommand: "yes flooding | head -c 30000000; printf '\\033]0;owned\\007\\033[2J\\033[31mred\\n'",
  postCreateCommand: "echo it fails; exit 3",
  postStartCommand: "echo never",
};
const ENDLESS_SETUP = { postStartCommand: "echo begun; while :; do sleep 1; done" };

/** What wants more than a workspace is given, each on a line of its own. */
const HOSTILE_SETUP = `{
  "initializeCommand": "touch /tmp/pwned",
  "runArgs": ["--privileged"],
  "mounts": ["source=/,target=/host,type=bind"],
  "containerUser": "root",
  "containerEnv": { "LD_PRELOAD": "/tmp/x.so" },
  "workspaceFolder": "/etc"
}
`;

/** Where nothing listens: of this machine, so that nothing is kept from getting there. */
const DEAD_PORT = 1;

export interface JourneyRuntime {
  /** Where workspaces reach servers of this machine. */
  readonly address: string;
  readonly start: (environment: Readonly<Record<string, string>>) => Promise<Site>;
  /** Pages are the same on every runtime; of another one, what it has a part in. */
  readonly everyCase?: boolean;
}

/** From pasting an address to an open project, with a real Git server and the real job. */
export function repositoryJourneys(name: string, { address: at, start, everyCase = true }: JourneyRuntime): void {
  describe(`a workspace from a repository: ${name}`, () => {
    let site: Site;
    let root: string;
    let git: GitHttpServer;
    let gallery: FakeGallery;
    let slow: SlowLink;
    let app: MadeRepository;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "codehub-e2e-git-"));
      git = await startGitHttp({ root, address: at });
      gallery = await fakeGallery(["tool"], at);
      slow = await slowLink(git.url, 200_000, at);
      app = makeRepository(root, "team/app.git", { branches: ["feature/x"] });
      makeRepository(root, "team/large.git", { files: many() });
      makeRepository(root, "team/other.git");
      makeRepository(root, "team/noisy.git", { files: { ".devcontainer.json": JSON.stringify(NOISY_SETUP) } });
      makeRepository(root, "team/endless.git", { files: { ".devcontainer.json": JSON.stringify(ENDLESS_SETUP) } });
      makeRepository(root, "team/hostile.git", { files: { ".devcontainer.json": HOSTILE_SETUP } });
      makeRepository(root, "team/called.git");
      makeRepository(root, "team/calling.git", { files: { ".devcontainer.json": callingSetup() } });
      makeRepository(root, "team/unlucky.git", {
        files: {
          "big.bin": randomBytes(3_000_000),
          ".devcontainer.json": JSON.stringify({
            postCreateCommand: "echo made > made.txt",
            customizations: { vscode: { extensions: ["team.tool"] } },
          }),
        },
      });
      makeRepository(root, "team/project.git", { files: { ".devcontainer.json": JSON.stringify(OWN_SETUP) } });
    });
    afterAll(async () => {
      await slow?.[Symbol.asyncDispose]();
      await git?.[Symbol.asyncDispose]();
      await gallery?.[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    });
    const stage = setStage(
      () => ({
        GIT_HTTP_HOSTS: `${git.host},${slow.host},${at}:${DEAD_PORT}`,
        WORKSPACE_ALLOWED_NETWORKS: [git.host, slow.host, gallery.host, `${at}:${DEAD_PORT}`].join(","),
        WORKSPACE_EXTENSIONS_GALLERY: gallery.settings,
      }),
      async (environment) => {
        site = await start(environment);
        return site.program;
      },
    );
    let page: Page;
    let visitor: Visitor;
    beforeEach(() => {
      git.trouble(null);
      gallery.fail(false);
      ({ visitor } = stage);
      ({ page } = visitor);
    });

    const address = (name: string, rest = "") => `${git.url}/team/${name}.git${rest}`;
    const card = () => page.getByRole("region", { name: "Repository" });
    const dialog = () => page.getByRole("dialog");
    const accessible = async (screen: string) => expect(await violations(page), screen).toEqual([]);
    const only = async () => (await stage.api.listWorkspaces({ query: { limit: 10 } })).items;
    const whole = async () => stage.api.getWorkspace({ params: { id: (await only())[0]?.id ?? "" } });
    /** What the project's own command does can be seen from here. */
    const callingSetup = () => JSON.stringify({ postCreateCommand: `git ls-remote ${git.url}/team/called.git` });
    const calls = () => git.requests.filter(({ path }) => path.includes("called.git")).length;
    const settled = (id: string, phase: string) =>
      expect
        .poll(
          async () => {
            const now = await stage.api.getWorkspace({ params: { id } });
            return [now.phase, now.operation];
          },
          { timeout: 60_000 },
        )
        .toEqual([phase, "NONE"]);
    const running = () => page.getByRole("banner").or(page.locator("header")).getByText("Running", { exact: true });

    it.runIf(everyCase)(
      "is made by pasting an address, without touching the mouse, and its project is there",
      async () => {
        await visitor.signIn(admin);
        await page.keyboard.press("n");
        await page.getByRole("dialog", { name: "New workspace" }).waitFor();
        await page.keyboard.insertText(address("app", "#feature/x"));
        await dialog().getByText("team/app").waitFor();
        expect(await dialog().getByRole("status").first().textContent()).toBe(
          `team/app from ${git.host}: the branch or tag feature/x, into ~/app.`,
        );
        expect(await dialog().getByLabel("Name", { exact: true }).inputValue()).toBe("app");
        await accessible("the dialog, filled in");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "app", exact: true }).waitFor();
        await card().getByText("~/app").waitFor();
        await card().getByText("feature/x", { exact: true }).waitFor();
        await running().waitFor();
        await accessible("a repository that is there");
        const { setup, repository, keys_allowed: keys } = await whole();
        expect([setup?.state, repository?.folder, keys]).toEqual(["ready", "app", true]);
        await card().getByRole("button", { name: "What git said, in full" }).click();
        await dialog()
          .getByText(/Cloning into/)
          .waitFor();
        await accessible("what git said");
      },
    );

    it("shows how far it is on its page, in the list and at its door, and all agree", async () => {
      await stage.api.createWorkspace({ body: { name: "large", repository: `http://${slow.host}/team/large.git` } });
      await visitor.signIn(admin);
      const row = page.getByRole("row").filter({ hasText: "large" });
      await row.getByText(/^\d+ %/).waitFor();
      await row.getByRole("link", { name: "large", exact: true }).click();
      const bar = card().getByRole("progressbar");
      const share = async () => Number(await bar.getAttribute("aria-valuenow"));
      await expect.poll(share, { timeout: 20_000 }).toBeGreaterThan(0);
      const first = await share();
      await accessible("a repository that is being got");
      const door = await visitor.context.newPage();
      await door.goto(`/w/${(await only())[0]?.id}/`);
      await door.getByRole("heading", { name: "Preparing large" }).waitFor();
      await door.getByText(/^Cloning .*: \d+ %/).waitFor();
      expect(await violations(door), "the waiting page").toEqual([]);
      expect(Number(await door.getByRole("progressbar").getAttribute("value"))).toBeGreaterThanOrEqual(first);
      await expect.poll(share, { timeout: 20_000 }).toBeGreaterThan(first);
      slow.widen();
      await card().getByText("~/large").waitFor();
      await door.waitForURL(/^http:\/\/[^/]*\.localhost/);
      await door.close();
    });

    it.runIf(everyCase)("that cannot be had opens all the same, says why, and another address works", async () => {
      await visitor.signIn(admin);
      await page.goto(`/new?repo=${encodeURIComponent(address("missing"))}&name=second%20try`);
      await dialog().getByText("team/missing").waitFor();
      await dialog().getByRole("button", { name: "Create workspace" }).click();
      await card().getByText(`${git.host} has no such repository, or your account may not see it.`).waitFor();
      await running().waitFor();
      await card().getByText("What git said", { exact: true }).click();
      await card()
        .getByText(/not found/)
        .first()
        .waitFor();
      await accessible("a repository that could not be got");
      await card().getByRole("button", { name: "Use another address" }).click();
      await dialog().getByText("programs that run in it end").waitFor();
      await dialog().getByLabel("Repository", { exact: true }).fill("ext::sh -c whoami");
      await dialog()
        .getByText(/^There is|^Addresses that begin/)
        .waitFor();
      await dialog().getByRole("button", { name: "Stop, get it and start" }).click();
      expect(await dialog().getByLabel("Repository", { exact: true }).getAttribute("aria-invalid")).toBe("true");
      await accessible("an address that is refused");
      await dialog().getByLabel("Repository", { exact: true }).fill(address("other"));
      await dialog().getByText("team/other").waitFor();
      await dialog().getByRole("button", { name: "Stop, get it and start" }).click();
      await card().getByText("~/other").waitFor();
      await running().waitFor();
      expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining("400")]);
    });

    it.runIf(everyCase)("that was refused a moment ago is tried again at the press of a button", async () => {
      git.trouble({ kind: "status", status: 404 });
      await stage.api.createWorkspace({
        body: { name: "later", repository: address("app"), desired_state: "RUNNING" },
      });
      await visitor.signIn(admin);
      await page.getByRole("link", { name: "later", exact: true }).click();
      await card().getByRole("button", { name: "Try again" }).waitFor();
      await running().waitFor();
      git.trouble(null);
      await card().getByRole("button", { name: "Try again" }).click();
      await dialog().getByText("programs that run in it end").waitFor();
      await accessible("before another try");
      await dialog().getByRole("button", { name: "Stop, get it and start" }).click();
      await card().getByText("~/app").waitFor();
      await card().getByText(app.commit.slice(0, 10)).waitFor();
    });

    it.runIf(everyCase)("need not be waited for, on its page or at its door", async () => {
      git.trouble({ kind: "hang" });
      const { id } = await stage.api.createWorkspace({ body: { name: "hurry", repository: address("app") } });
      await visitor.signIn(admin);
      await page.goto(`/workspaces/${id}`);
      await card().getByRole("button", { name: "Open without waiting" }).click();
      await card().getByText("It was not waited for").waitFor();
      await running().waitFor();
      await accessible("a repository that was not waited for");
      await card().getByRole("button", { name: "Get it now" }).click();
      await dialog().getByRole("button", { name: "Stop, get it and start" }).click();
      await card().getByRole("button", { name: "Open without waiting" }).waitFor();
      const door = await visitor.context.newPage();
      await door.goto(`/w/${id}/`);
      await door.getByRole("button", { name: "Open without waiting" }).click();
      await door.waitForURL(/^http:\/\/[^/]*\.localhost/);
      await door.close();
      await card().getByText("It was not waited for").waitFor();
    });

    it.runIf(everyCase)("that is open already is offered instead of a second copy", async () => {
      const { id } = await stage.api.createWorkspace({
        body: { name: "first copy", repository: address("app"), desired_state: "STANDBY" },
      });
      await visitor.signIn(admin);
      await page.goto(`/new?repo=${encodeURIComponent(address("app"))}`);
      const offer = dialog().getByRole("link", { name: "Open it instead: first copy (in a new tab)" });
      expect(await offer.getAttribute("href")).toBe(`/w/${id}/`);
      expect(await offer.getAttribute("rel")).toBe("noopener");
      await accessible("one that is open already");
      const [opened] = await Promise.all([visitor.context.waitForEvent("page"), offer.click()]);
      await page.getByRole("heading", { name: "first copy" }).waitFor();
      await opened.close();
      expect(await only()).toHaveLength(1);
    });

    it.runIf(everyCase)("is asked for by a link that survives the sign-in, and made by a click only", async () => {
      await page.goto(`/new?repo=${encodeURIComponent(address("app"))}&name=linked`);
      await page.getByLabel("Username").fill(admin.username);
      await page.getByLabel("Password").fill(admin.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await dialog().getByText("team/app").waitFor();
      expect(await dialog().getByLabel("Name", { exact: true }).inputValue()).toBe("linked");
      expect(await only()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.waitForURL("/");
      expect(await only()).toEqual([]);
      await page.goto(`/new?repo=${encodeURIComponent(address("app"))}&name=linked`);
      await dialog().getByLabel("Give it my keys and secrets").uncheck();
      await dialog().getByLabel("Start it at once").uncheck();
      await dialog().getByRole("button", { name: "Create workspace" }).click();
      await card().getByText("It is got when the workspace is started.").waitFor();
      expect(await whole()).toMatchObject({ name: "linked", keys_allowed: false, setup: { state: "waiting" } });
    });

    it.runIf(everyCase)("can be got later by a workspace that has none", async () => {
      const { id } = await stage.api.createWorkspace({ body: { name: "bare", desired_state: "STANDBY" } });
      await visitor.signIn(admin);
      await page.goto(`/workspaces/${id}`);
      await page.getByRole("button", { name: "Get a repository" }).click();
      await dialog().getByLabel("Repository", { exact: true }).fill(address("other"));
      await dialog().getByText("team/other").waitFor();
      await dialog().getByRole("button", { name: "Get it" }).click();
      await card().getByText("It is got when the workspace is started.").waitFor();
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await card().getByText("~/other").waitFor();
    });

    it("has commands of its own, which run when somebody has read them and agreed, and once where they say so", async () => {
      const { id } = await stage.api.createWorkspace({ body: { name: "project", repository: address("project") } });
      await visitor.signIn(admin);
      await page.goto(`/workspaces/${id}`);
      const setup = page.getByRole("region", { name: "Its own set-up" });
      await setup.getByText("Run the commands of this repository?").waitFor();
      await setup.getByText("echo made >> made.txt").waitFor();
      await setup.getByText('"editor.tabSize": 3').waitFor();
      await setup.getByText("team.tool", { exact: true }).waitFor();
      await setup.getByText(/^mounts \(line 1\) has no effect here/).waitFor();
      await accessible("commands that nobody has agreed to");
      const states = async () => (await stage.api.getProject({ params: { id } })).steps.map(({ state }) => state);
      expect(await states()).toEqual([null, null, null, null]);
      await setup.getByRole("button", { name: "Run", exact: true }).click();
      await setup.getByRole("button", { name: "Show output of postCreate" }).click({ timeout: 30_000 });
      await setup.getByText(/^begun\s*$/).waitFor();
      await setup.getByText(/^begun\s+ended\s*$/).waitFor();
      await expect.poll(states, { timeout: 30_000 }).toEqual(["done", "partly", "done", "done"]);
      await setup.getByText("partly failed, tried again at the next start").waitFor();
      await setup.getByRole("button", { name: "Show output of Extensions of the IDE" }).click();
      await setup.getByText("Not installed, tried again at the next start: team.missing").waitFor();
      await setup.getByText("Run the commands of this repository?").waitFor({ state: "detached" });
      await accessible("commands that have run");
      await stage.api.restartWorkspace({ params: { id } });
      await expect.poll(states, { timeout: 30_000 }).toEqual(["already", "partly", "already", "done"]);
      await page.reload();
      await setup.getByRole("button", { name: "Show output of postCreate" }).click();
      await setup.getByText(/^begun\s+ended\s*$/).waitFor();
    });

    it("runs nothing of a repository's own when somebody says not now", async () => {
      const params = {
        id: (await stage.api.createWorkspace({ body: { name: "calling", repository: address("calling") } })).id,
      };
      const states = async () => (await stage.api.getProject({ params })).steps.map(({ state }) => state);
      await visitor.signIn(admin);
      await page.goto(`/workspaces/${params.id}`);
      const question = page.getByText("Run the commands of this repository?");
      await question.waitFor();
      await running().waitFor();
      await page.getByRole("button", { name: "Not now" }).click();
      await question.waitFor({ state: "detached" });
      for (const level of ["STANDBY", "RUNNING"] as const) {
        await stage.api.updateWorkspace({ params, body: { desired_state: level } });
        await settled(params.id, level);
      }
      await page.reload();
      await question.waitFor();
      expect([await states(), calls()]).toEqual([[null], 0]);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await expect.poll(states, { timeout: 60_000 }).toEqual(["done"]);
      expect(calls()).toBeGreaterThan(0);
    });

    it("opens also where its commands flood, draw, fail or never end", async () => {
      await visitor.signIn(admin);
      const agree = async (name: string) => {
        const { id } = await stage.api.createWorkspace({ body: { name, repository: address(name) } });
        await page.goto(`/workspaces/${id}`);
        await page.getByRole("button", { name: "Run", exact: true }).click();
        return { id, params: { id } };
      };
      const states = async (params: { id: string }) =>
        (await stage.api.getProject({ params })).steps.map(({ name: step, state }) => `${step} ${state}`);
      const noisy = await agree("noisy");
      await expect
        .poll(() => states(noisy.params), { timeout: 60_000 })
        .toEqual(["onCreate done", "postCreate failed", "postStart skipped"]);
      await running().waitFor();
      await page.getByText("failed with code 3").waitFor();
      await page.getByRole("button", { name: "Show output of onCreate" }).click();
      const shown = page.locator("pre", { hasText: "red" });
      await shown.waitFor();
      expect(await shown.textContent()).not.toContain("\u001b");
      await accessible("commands that failed");
      const endless = await agree("endless");
      await expect.poll(() => states(endless.params), { timeout: 60_000 }).toEqual(["postStart running"]);
      await running().waitFor();
      const door = await visitor.context.newPage();
      await door.goto(`/w/${endless.id}/`);
      await door.waitForURL(/^http:\/\/[^/]*\.localhost/);
      await door.close();
      await stage.api.updateWorkspace({ params: endless.params, body: { desired_state: "STANDBY" } });
      await settled(endless.id, "STANDBY");
    });

    it("is told line by line what of a hostile file has no effect", async () => {
      const { id } = await stage.api.createWorkspace({ body: { name: "hostile", repository: address("hostile") } });
      await visitor.signIn(admin);
      await page.goto(`/workspaces/${id}`);
      await running().waitFor();
      const setup = page.getByRole("region", { name: "Its own set-up" });
      for (const told of [
        "initializeCommand (line 2) was not run: it is for the machine of the server, where nothing of a repository runs.",
        "runArgs (line 3) has no effect here: a repository cannot change what its container may do.",
        "mounts (line 4) has no effect here: a repository cannot change what its container may do.",
        "containerUser (line 5) has no effect here: everything runs as the user coder.",
        "containerEnv.LD_PRELOAD (line 6) cannot be set by a repository, and was left out.",
        "workspaceFolder (line 7) leads out of the home or the project, and was left out.",
      ])
        await setup.getByText(told, { exact: true }).waitFor();
      const { notices, digest, variables } = await stage.api.getProject({ params: { id } });
      expect([notices.length, digest, variables]).toEqual([6, null, []]);
      await accessible("a hostile file");
    });

    it("is never made from an address that git must not see, by the API or by a link", async () => {
      const refused = Object.entries(refusedAddresses).filter(([, code]) => code !== "empty");
      for (const [repository, code] of refused) {
        const problem = await stage.api
          .createWorkspace({ body: { name: "hostile", repository } })
          .catch((error: unknown) => error);
        if (!(problem instanceof ApiError)) throw new Error(`It was taken: ${repository}`);
        // What is far too long is refused before it is read.
        const reason = problem.code === "VALIDATION_FAILED" ? "too_long" : problem.details["reason"];
        expect([repository, reason]).toEqual([repository, code]);
      }
      await visitor.signIn(admin);
      const oneOfEach = new Map(refused.map(([text, code]) => [code, text]));
      for (const [code, text] of oneOfEach) {
        await page.goto(`/new?repo=${encodeURIComponent(text)}&name=hostile`);
        const field = dialog().getByLabel("Repository (optional)");
        await field.waitFor();
        await dialog().getByText("Reading the address…").waitFor({ state: "detached" });
        await dialog().getByRole("button", { name: "Create workspace" }).click();
        await expect.poll(() => field.getAttribute("aria-invalid"), { message: code }).toBe("true");
      }
      await accessible("an address that is refused");
      expect(await only()).toEqual([]);
      for (const complaint of visitor.complaints.splice(0)) expect(complaint).toContain("400");
    });

    it.runIf(mayActAsRoot("a disk that is full"))(
      "opens when disk, Git host and gallery fail together, and is whole once there is room",
      async () => {
        const me = await signIn(stage.program.url, admin);
        const own = { git_name: null, git_email: null, dotfiles_command: null };
        const { id } = await stage.api.createWorkspace({ body: { name: "unlucky", desired_state: "STANDBY" } });
        await settled(id, "STANDBY");
        await me.putKeySettings({ body: { ...own, dotfiles_address: `http://${at}:${DEAD_PORT}/me/dotfiles.git` } });
        gallery.fail(true);
        const home = await site.home(id);
        const { uid } = await stat(home);
        execFileSync("mount", ["-t", "tmpfs", "-o", `size=1m,mode=0700,uid=${uid},gid=${uid}`, "tmpfs", home]);
        try {
          await visitor.signIn(admin);
          await page.goto(`/workspaces/${id}`);
          await page.getByRole("button", { name: "Get a repository" }).click();
          await dialog().getByLabel("Repository", { exact: true }).fill(address("unlucky"));
          await dialog().getByText("team/unlucky").waitFor();
          await dialog().getByRole("button", { name: "Get it" }).click();
          await page.getByRole("button", { name: "Start", exact: true }).click();
          await card().getByText("The disk is full.").waitFor();
          await running().waitFor();
          await accessible("a disk that is full");
          await stage.api.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
          await settled(id, "STANDBY");
        } finally {
          execFileSync("umount", ["--lazy", home]);
        }
        await card().getByRole("button", { name: "Try again" }).click();
        await card().getByText("It is got when the workspace is started.").waitFor();
        await page.getByRole("button", { name: "Start", exact: true }).click();
        await card().getByText("~/unlucky").waitFor();
        await running().waitFor();
        await page.getByRole("button", { name: "Run", exact: true }).click();
        const states = async () =>
          (await stage.api.getProject({ params: { id } })).steps.map(({ name: step, state }) => `${step} ${state}`);
        await expect.poll(states, { timeout: 60_000 }).toEqual(["extensions failed", "postCreate done"]);
        const { setup } = await whole();
        expect(setup?.notices.map(({ code }) => code)).toEqual(["dotfiles_failed"]);
        await me.putKeySettings({ body: { ...own, dotfiles_address: null } });
      },
    );

    it.runIf(everyCase)("has a badge whose picture every site may show", async () => {
      const body = { name: "badged", repository: address("app"), desired_state: "STANDBY" } as const;
      const { id } = await stage.api.createWorkspace({ body });
      const { url } = stage.program;
      const person = await visit(stage.browser, url, { permissions: ["clipboard-read", "clipboard-write"] });
      await person.signIn(admin);
      await person.page.goto(`/workspaces/${id}`);
      await person.page.getByText("Badge for a README").click();
      await person.page.getByRole("button", { name: "Copy the Markdown of the badge" }).click();
      await person.page.getByText("Copied").first().waitFor();
      const markdown = `[![Open in CodeHub](${url}/badge.svg)](${url}/new?repo=${encodeURIComponent(address("app"))})`;
      expect(await person.page.evaluate("navigator.clipboard.readText()")).toBe(markdown);
      const shown = await person.page.evaluate("document.querySelector('img[src=\"/badge.svg\"]').naturalWidth");
      expect(shown).toBeGreaterThan(0);
      expect(await violations(person.page)).toEqual([]);
      await person.context.close();
      expect(person.complaints).toEqual([]);
      const picture = await fetch(`${url}/badge.svg`);
      expect(picture.headers.get("content-type")).toBe("image/svg+xml");
      expect(picture.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
      expect(await picture.text()).toBe(await readFile("dashboard/public/badge.svg", "utf8"));
      expect((await fetch(`${url}/favicon.svg`)).headers.get("cross-origin-resource-policy")).toBe("same-origin");
    });
  });
}
