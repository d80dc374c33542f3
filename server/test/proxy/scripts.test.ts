import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { Script } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendPage } from "#proxy/pages/layout.ts";
import { listenOn } from "./harness.ts";
import { startVisitor } from "./visitor.ts";

const server = createServer((req, res) => {
  const live = req.url === "/live" ? { live: { status: "/status" } } : {};
  sendPage(res, { status: 200, title: "t", heading: "h", tone: "calm", body: "", ...live });
});
let port: number;

beforeAll(async () => {
  port = await listenOn(server);
});
afterAll(() => void server.close());

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

async function page(path: string): Promise<{ policy: string; scripts: string[]; styles: string[] }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const html = await answer.text();
  // As a browser reads them: up to the first end tag.
  const inside = (tag: string) =>
    [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}`, "gi"))].map(([, text = ""]) => text);
  return {
    policy: answer.headers.get("content-security-policy") ?? "",
    scripts: inside("script"),
    styles: inside("style"),
  };
}

test("a waiting page has one script, whole, and its policy allows that one and no other", async () => {
  const { policy, scripts, styles } = await page("/live");
  const [script = "", ...others] = scripts;
  expect(others).toEqual([]);
  expect(() => new Script(script)).not.toThrow();
  // Both would change where a browser sees it end.
  expect(script).not.toMatch(/<!--|<script/i);
  expect(policy).toContain(`script-src ${hashOf(script)};`);
  expect(policy).toContain(`style-src ${hashOf(styles[0] ?? "")};`);
});

test("any other page has none, and allows none", async () => {
  const { policy, scripts } = await page("/");
  expect(scripts).toEqual([]);
  expect(policy).toContain("script-src 'none';");
});

test("the script beside the IDE is served as it is written, and parses", async () => {
  const visitor = await startVisitor();
  const { status, headers, body } = await visitor.ask({ path: "/.codehub/tab.js" });
  await visitor.stop();
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(headers["content-length"]).toBe(String(Buffer.byteLength(body)));
  expect(() => new Script(body)).not.toThrow();
});
