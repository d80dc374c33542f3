import { chmod, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@codehub/contract";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { reachableNode } from "#adapters/process/ide-install.ts";
import { createLogger } from "#adapters/system/logger.ts";
import { readConfig } from "#config/config.ts";
import { type RunningApp, startApp } from "../../src/compose/app.ts";
import { apiAs } from "./accounts.ts";
import { browserIsHere, launchBrowser, type Visitor, visit } from "./browser.ts";
import { admin } from "./program.ts";

describe.skipIf(!browserIsHere())("a hostile workspace", () => {
  let app: RunningApp;
  let browser: Browser;
  let api: Client;
  let visitor: Visitor;
  let dataDir: string;
  /** Two workspaces of one person: the bad one, and the one it is after. */
  let bad: string;
  let good: string;
  const origins = new Map<string, string>();

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "codehub-hostile-"));
    await chmod(dataDir, 0o711);
    const program = join(dataDir, "hostile-ide.mjs");
    await copyFile(join(import.meta.dirname, "hostile-ide.mjs"), program);
    await chmod(program, 0o644);
    const node = await reachableNode(dataDir);
    const environment = {
      PORT: "0",
      DATA_DIR: dataDir,
      RUNTIME: "process",
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
    };
    const config = readConfig(environment, { isRoot: process.getuid?.() === 0, homeDir: dataDir });
    app = await startApp(config, createLogger({ level: "error", destination: process.stderr }), {
      command: ({ socket }) => [node, program, socket],
    });
    browser = await launchBrowser();
    api = await apiAs(app.url);
    // One of each form.
    for (const body of [
      { name: "bad", address: "words" },
      { name: "good", address: "id" },
    ] as const) {
      const { id, address } = await api.createWorkspace({ body });
      origins.set(id, new URL(address?.url ?? "").origin);
    }
    [bad = "", good = ""] = origins.keys();
  });
  afterAll(async () => {
    await browser?.close();
    for (const [id, confirm] of [
      [bad, "bad"],
      [good, "good"],
    ] as const)
      await api.deleteWorkspace({ params: { id }, query: { purge: true, confirm } });
    await vi.waitUntil(async () => (await api.listWorkspaces({ query: { trash: "include" } })).items.every(isOver), {
      timeout: 60_000,
      interval: 500,
    });
    await app?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const isOver = ({ phase }: { phase: string }) => phase === "DELETED";

  let page: Page;
  beforeEach(async () => {
    visitor = await visit(browser, app.url);
    await visitor.signIn(admin);
    // The victim has been opened before: its session cookie is there to be ridden on.
    await open(visitor.page, good);
    await open(visitor.page, bad);
    page = visitor.page;
  });
  afterEach(async () => {
    await visitor.context.close();
  });

  const originOf = (id: string) => origins.get(id) ?? "";
  const open = async (tab: Page, id: string) => {
    await tab.goto(`/w/${id}/`);
    await tab.waitForURL(`${originOf(id)}/**`, { timeout: 20_000 });
  };
  /** What the victim's container has been sent, apart from the visits that this test made itself. */
  const reachedVictim = async (): Promise<string[]> => {
    const tab = await visitor.context.newPage();
    await tab.goto(`${originOf(good)}/log`);
    const requests: { url: string; headers: string[] }[] = JSON.parse((await tab.textContent("body")) ?? "[]");
    await tab.close();
    return requests.map(({ url }) => url).filter((url) => url.includes("steal"));
  };
  const session = async () => {
    const tab = await visitor.context.newPage();
    const answer = await tab.goto("/api/v1/auth/session");
    await tab.close();
    return answer?.status();
  };
  const run = <T>(script: string): Promise<T> =>
    page.evaluate(
      `(async () => { const D = ${JSON.stringify(app.url)}, V = ${JSON.stringify(originOf(good))}, G = ${JSON.stringify(good)}; ${script} })()`,
    ) as Promise<T>;

  it("reads nothing of the dashboard or of another workspace, by any way a page has", async () => {
    const stolen = await run<Record<string, string>>(`
      const out = {};
      const attempt = async (name, what) => { try { out[name] = String(await what()); } catch (error) { out[name] = 'blocked'; } };
      for (const [name, base, path] of [['dashboard', D, '/api/v1/workspaces'], ['victim', V, '/steal']]) {
        await attempt(name + ' fetch', async () => (await fetch(base + path, { credentials: 'include' })).text());
        await attempt(name + ' no-cors', async () => (await (await fetch(base + path, { mode: 'no-cors', credentials: 'include' })).text()) || 'blocked');
        await attempt(name + ' xhr', () => new Promise((done, fail) => { const x = new XMLHttpRequest(); x.withCredentials = true; x.onload = () => done(x.responseText); x.onerror = fail; x.open('GET', base + path); x.send(); }));
        await attempt(name + ' script', () => new Promise((done, fail) => { const s = document.createElement('script'); s.onload = () => done('loaded'); s.onerror = fail; s.src = base + path; document.head.append(s); }));
        await attempt(name + ' events', () => new Promise((done, fail) => { const e = new EventSource(base + (base === D ? '/api/v1/events' : path), { withCredentials: true }); e.onopen = () => done('open'); e.onerror = () => { e.close(); fail(); }; }));
        await attempt(name + ' socket', () => new Promise((done, fail) => { const w = new WebSocket(base.replace('http', 'ws') + path); w.onopen = () => done('open'); w.onerror = fail; }));
        await attempt(name + ' frame', () => new Promise((done, fail) => { const f = document.createElement('iframe'); f.onload = () => { try { done(f.contentDocument.body.textContent || 'blocked'); } catch { fail(); } }; f.src = base + path; document.body.append(f); setTimeout(fail, 3000); }));
        await attempt(name + ' window', async () => { const w = open(base + path); try { while (!w.closed && w.location.href === 'about:blank') await new Promise((d) => setTimeout(d, 20)); return w.closed ? 'blocked' : w.document.body.textContent; } finally { w.close(); } });
        await attempt(name + ' worker', async () => { await navigator.serviceWorker.register(base + '/sw.js'); return 'registered'; });
        await attempt(name + ' shared worker', () => new Promise((done, fail) => { const w = new SharedWorker(base + path); w.onerror = fail; setTimeout(() => done('started'), 1000); }));
      }
      return out;`);
    expect(
      Object.values(stolen).every((result) => result === "blocked"),
      JSON.stringify(stolen),
    ).toBe(true);
    // A window that is opened is a plain visit, which a link may make; nothing that scripts fetch has arrived.
    expect((await reachedVictim()).length).toBeLessThanOrEqual(1);
  });

  it("changes nothing: no form, no fetch and no beacon is taken for the owner's", async () => {
    await run(`
      const sent = [];
      for (const [url, type, body] of [
        [D + '/api/v1/auth/logout', 'text/plain', '{}'],
        [D + '/api/v1/workspaces', 'text/plain', '{"name":"planted"}'],
        [D + '/w/' + G + '/.codehub/wake', 'application/x-www-form-urlencoded', ''],
        [V + '/steal/by-post', 'text/plain', 'x'],
      ]) {
        await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': type }, body }).catch(() => {});
        navigator.sendBeacon(url, new Blob([body], { type: 'text/plain' }));
        const frame = document.createElement('iframe'); frame.name = 'f' + Math.random(); document.body.append(frame);
        const form = document.createElement('form'); form.method = 'post'; form.enctype = 'text/plain'; form.action = url; form.target = frame.name; document.body.append(form);
        sent.push(new Promise((done) => frame.addEventListener('load', done)));
        form.submit();
      }
      for (const method of ['PATCH', 'DELETE', 'PUT'])
        await fetch(D + '/api/v1/workspaces/' + G, { method, credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{"desired_state":"STANDBY"}' }).catch(() => {});
      await Promise.all(sent);`);
    expect(await session()).toBe(200);
    expect((await api.listWorkspaces({ query: {} })).items.map(({ name }) => name).sort()).toEqual(["bad", "good"]);
    expect((await api.getWorkspace({ params: { id: good } })).desired_state).toBe("RUNNING");
    expect(await reachedVictim()).not.toContain("/steal/by-post");
  });

  it("can neither set nor evict cookies of the dashboard or of another workspace", async () => {
    const before = await visitor.context.cookies([app.url, originOf(good)]);
    await run(`
      for (const name of ['codehub', '__Host-Http-codehub', '__Host-codehub_ws', 'codehub_ws'])
        for (const attributes of ['', '; Domain=localhost', '; Path=/', '; Secure; Path=/', '; Domain=.localhost; Path=/w']) document.cookie = name + '=evil' + attributes;
      for (let i = 0; i < 400; i++) document.cookie = 'filler' + i + '=' + 'x'.repeat(200) + '; Domain=localhost';
      for (let i = 0; i < 400; i++) document.cookie = 'own' + i + '=1';`);
    const after = await visitor.context.cookies([app.url, originOf(good)]);
    const values = (cookies: typeof before) =>
      cookies.map(({ name, domain, value }) => `${domain} ${name} ${value}`).sort();
    expect(values(after)).toEqual(values(before));
    expect(await session()).toBe(200);
    // Its own origin may be spoilt by its own page, and recovers: the answer clears what does not fit.
    await page.goto(`${originOf(bad)}/`);
    await open(page, bad);
  });

  it("plants no state and no worker in the way of its own hand-over, which still works", async () => {
    const states = async () =>
      (await visitor.context.cookies(originOf(bad))).filter(({ name }) => name.includes("codehub_state"));
    expect(await states()).toEqual([]);
    const workers = await run<Record<string, string>>(`
      for (const name of ['__Host-Http-codehub_state_AAAAAAAA', '__Host-Http-codehub_state'])
        document.cookie = name + '=' + 'A'.repeat(43) + '; Secure; Path=/';
      const out = {};
      for (const [script, scope] of [['/sw.js', '/'], ['/sw.js', '/.codehub/'], ['/folder/sw.js', '/'], ['/folder/sw.js', '/.codehub/']])
        try { await navigator.serviceWorker.register(script, { scope }); out[script + scope] = 'registered'; } catch (error) { out[script + scope] = error.name; }
      await navigator.serviceWorker.register('/folder/sw.js');
      out.own = (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname).join();
      return out;`);
    expect(await states()).toEqual([]);
    const { own, ...wide } = workers;
    expect(own).toBe("/folder/");
    expect(Object.values(wide), JSON.stringify(wide)).not.toContain("registered");
    await visitor.context.clearCookies({ name: /codehub_ws/ });
    await open(page, bad);
    expect(await states()).toEqual([]);
  });

  it("sees none of our cookies, on requests and on upgrades", async () => {
    await run(`await fetch('/mine', { method: 'POST', body: 'x' }); await fetch('/events');
      await new Promise((done) => { const w = new WebSocket(location.origin.replace('http', 'ws') + '/socket'); w.onopen = w.onerror = w.onclose = done; });`);
    await page.goto(`${originOf(bad)}/log`);
    const requests: { method: string; headers: string[] }[] = JSON.parse((await page.textContent("body")) ?? "[]");
    expect(requests.map(({ method }) => method)).toEqual(expect.arrayContaining(["GET", "POST", "UPGRADE"]));
    expect(JSON.stringify(requests.map(({ headers }) => headers)).toLowerCase()).not.toContain("codehub_");
    expect(JSON.stringify(requests)).not.toContain("__Host-");
  });

  it("cannot wake another workspace, by navigating or by redirecting a click", async () => {
    await api.updateWorkspace({ params: { id: good }, body: { desired_state: "STANDBY" } });
    await expect
      .poll(async () => (await api.getWorkspace({ params: { id: good } })).phase, { timeout: 60_000 })
      .toBe("STANDBY");
    await page.goto(`${originOf(bad)}/navigate?url=${encodeURIComponent(`${app.url}/w/${good}/`)}`);
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await page.goto(`${originOf(bad)}/to?url=${encodeURIComponent(`${app.url}/w/${good}/`)}`);
    await page.getByText("A redirect was blocked").waitFor();
    expect((await api.getWorkspace({ params: { id: good } })).desired_state).toBe("STANDBY");
    // The person's own press does.
    await page.goto(`/w/${good}/.codehub/wait`);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.waitForURL(`${originOf(good)}/**`, { timeout: 60_000 });
    expect((await api.getWorkspace({ params: { id: good } })).desired_state).toBe("RUNNING");
  });
});
