import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { certificateFor } from "../git/certificate.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { gitAvailable, makeRepository } from "../git/repositories.ts";
import { type GitSshServer, sshdAvailable, startGitSsh } from "../git/ssh-server.ts";
import { apiAs, makeUser } from "./accounts.ts";
import { violations } from "./axe.ts";
import { browserIsHere, type Visitor } from "./browser.ts";
import { admin } from "./program.ts";
import { setStage } from "./suite.ts";

const ADDRESS = "127.0.0.1";
const TOKEN = "right-token-71c2";

/** Whether a key works, asked on its page, with real hosts and the real job. */
describe.skipIf(!browserIsHere() || !gitAvailable() || !sshdAvailable())("what a person keeps is tested", () => {
  // Made at once: the program is told of it before it starts.
  const root = mkdtempSync(join(tmpdir(), "codehub-e2e-keys-"));
  const certificate = certificateFor(root, ADDRESS);
  let git: GitHttpServer;
  let ssh: GitSshServer;
  beforeAll(async () => {
    makeRepository(root, "private/app.git", {});
    makeRepository(root, "team/open.git", {});
    git = await startGitHttp({ root, address: ADDRESS, password: TOKEN, tls: certificate });
    ssh = await startGitSsh(root, ADDRESS);
  });
  afterAll(async () => {
    await git?.[Symbol.asyncDispose]();
    await ssh?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });
  const stage = setStage(() => ({ WORKSPACE_CA_FILE: join(root, "host.crt") }));
  let page: Page;
  let visitor: Visitor;
  beforeEach(() => {
    git.trouble(null);
    ({ visitor } = stage);
    ({ page } = visitor);
  });

  const accessible = async (screen: string) => expect(await violations(page), screen).toEqual([]);
  const form = () => page.getByRole("form", { name: /^Test / });
  const result = (text: string | RegExp) => form().getByRole("status").getByText(text).waitFor();
  const tryOn = async (address: string) => {
    await form().getByLabel("Address of a repository").fill(address);
    await form().getByRole("button", { name: "Run the test" }).click();
  };
  const save = (password: string) => stage.api.putCredential({ body: { host: git.host, username: "ann", password } });

  it("a credential: refused, for everybody, another host, and right", async () => {
    await save("wrong-token-9d0e");
    await visitor.signIn(admin);
    await page.goto("/keys");
    await page.getByRole("button", { name: `Test the credential for ${git.host}` }).click();
    await tryOn(`${git.url}/private/app`);
    await result(`${git.host} refused the saved credential. Save a new token for it, then try again.`);
    await accessible("a credential that was refused");
    await tryOn(`${git.url}/team/open`);
    await result(/did not ask for the credential/);
    await tryOn("https://example.com/team/open");
    await form().getByText(`must begin with https://${git.host}/`).waitFor();
    await accessible("an address of another host");
    expect(visitor.complaints.splice(0)).toEqual([expect.stringContaining("400")]);
    await save(TOKEN);
    await page.reload();
    await page.getByRole("button", { name: `Test the credential for ${git.host}` }).click();
    await page.keyboard.insertText(`${git.url}/private/app`);
    await page.keyboard.press("Enter");
    await result(`It works: ${git.host} lets you read this repository. Its default branch is main.`);
    await accessible("a credential that works");
    expect(stage.program.said()).not.toMatch(/right-token|wrong-token/);
  });

  it("the SSH key: unknown to the host, and known", async () => {
    await visitor.signIn(admin);
    await page.goto("/keys");
    await page.getByRole("button", { name: "Create SSH key" }).click();
    await page.getByRole("button", { name: "Test the SSH key" }).click();
    await tryOn(`${ssh.url}/private/app.git`);
    await result(`${ssh.host} does not know your key. Copy your public key to your account there, then try again.`);
    ssh.authorize((await stage.api.getKeys()).ssh_key?.public_key ?? "");
    await tryOn(`${ssh.url}/private/app.git`);
    await result(/^It works: /);
  });

  it("a server that is killed meanwhile leaves no question without an answer, and no job", async () => {
    const person = await makeUser(stage.api, "bo");
    const api = await apiAs(stage.program.url, person);
    const body = { host: git.host, username: "ann", password: TOKEN };
    const { id } = await api.putCredential({ body });
    git.trouble({ kind: "hang" });
    const asked = await api.testKey({ body: { credential_id: id, address: `${git.url}/private/app` } });
    const now = () => api.getKeyTest({ params: { id: asked.id } });
    await expect.poll(async () => (await now()).state, { timeout: 20_000 }).toBe("running");
    await visitor.signIn(person);
    await page.goto("/keys");
    await page.getByRole("button", { name: `Test the credential for ${git.host}` }).click();
    await tryOn(`${git.url}/private/app`);
    await form().getByText("Another test of yours is under way.").waitFor();
    await stage.program.crashServer();
    const answered = () =>
      now().then(
        ({ result }) => result?.code ?? "none",
        () => "away",
      );
    await expect.poll(answered, { timeout: 30_000 }).toBe("interrupted");
    expect(await readdir(join(stage.program.dataDir, "run/.jobs"))).toEqual([]);
    git.trouble(null);
    await tryOn(`${git.url}/private/app`);
    await result(/^It works: /);
    expect(visitor.complaints.splice(0).filter((text) => !/409|ERR_|503/.test(text))).toEqual([]);
  });
});
