import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "#supervise/free-port.ts";
import { BIG_BYTES, bigSha256, forgetPeak, peakBytes, startApp, upload } from "./big-file.ts";
import { picture } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { story } from "./story.ts";
import { until } from "./until.ts";

const MEBIBYTE = 1024 * 1024;
const TEXT = "typed by a person";
const TITLE = "the first day: three clicks to typing, a terminal, extensions, a port with 300 MB, archived and back";

const seconds = (since: number, until = performance.now()): string => ((until - since) / 1000).toFixed(1);

/** What one new user does on the first day. */
export function journeySuite(kind: string, stage: Stage): void {
  story(kind, TITLE, stage, async ({ person, step }) => {
    const sora = await step("signing in", () => person("sora"));

    const ide = await step("three clicks to typing in an IDE", async () => {
      expect(sora.presses).toHaveLength(1);
      await sora.page.getByRole("button", { name: "Create my first workspace" }).click();
      const opened = await sora.follow(sora.page.getByRole("link", { name: /^Open First workspace/ }));
      await picture(opened.page, `${kind}-wake-first`);
      await opened.ready();
      await opened.newFile("hello.txt");
      await opened.write(TEXT);
      expect(sora.presses.length - 1 - opened.clicksAgain).toBeLessThanOrEqual(3);
      await picture(opened.page, `${kind}-ide`);
      return opened;
    });

    const { items } = await sora.api.listWorkspaces();
    expect(items.map(({ id }) => id)).toEqual([ide.workspaceId]);
    const params = { id: ide.workspaceId };
    const workspace = await sora.api.updateWorkspace({ params, body: { standby_ttl_seconds: 0 } });
    const home = (name: string): Promise<string> => stage.site.home(workspace.id).then((path) => join(path, name));
    const onDisk = async (name: string): Promise<string> => readFile(await home(name), "utf8").catch(() => "");

    await step("saving", async () => {
      await ide.save();
      await until("the text in the home", async () => (await onDisk("hello.txt")) === TEXT);
    });

    await step("a terminal, whose commands work on the same home", async () => {
      await ide.openTerminal();
      await ide.run("cat hello.txt > copy.txt && echo $((40 + 2)) >> copy.txt && cat copy.txt");
      await ide.printed(/typed by a person\s*42/);
      await until("the copy in the home", async () => (await onDisk("copy.txt")) === `${TEXT}42\n`);
    });

    await step("an extension host: TypeScript finds a mistake in what is typed", async () => {
      await ide.newFile("main.ts");
      await ide.write("const count: number = false;\n");
      await ide.page.locator(".squiggly-error").first().waitFor();
      await ide.save();
    });

    const app = await step("what listens on a port is opened", async () => {
      // Another one for each try: on processes, what the first has left still listens.
      const port = await freePort();
      await ide.run(`${startApp(port)} &`);
      await ide.printed(/app listens/);
      // As the IDE opens links: it knows from us where a port is served, and may ask before it leaves its own address.
      const asked = ide.page.getByRole("button", { name: "Open", exact: true });
      const [page] = await Promise.all([
        sora.context.waitForEvent("page"),
        ide.run(`$BROWSER http://localhost:${port}/`).then(() => void asked.click().catch(() => undefined)),
      ]);
      await page.getByRole("heading", { name: "An app on a port" }).waitFor();
      expect(new URL(page.url()).hostname).toBe(`${port}--${new URL(workspace.address?.url ?? "").hostname}`);
      await picture(page, `${kind}-port`);
      return page;
    });

    await step("300 MB go up and down in little memory", async () => {
      const pid = await stage.site.program.pidOf("proxy");
      const sha256 = bigSha256();
      await forgetPeak(pid);
      const before = await peakBytes(pid);
      const begun = performance.now();
      expect(await upload(app)).toBe(sha256);
      const uploaded = performance.now();
      expect((await stat(await home("big.bin"))).size).toBe(BIG_BYTES);
      const [download] = await Promise.all([
        app.waitForEvent("download"),
        app.getByRole("link", { name: "big" }).click(),
      ]);
      const hash = createHash("sha256");
      for await (const chunk of createReadStream(await download.path())) hash.update(chunk);
      expect(hash.digest("hex")).toBe(sha256);
      const grown = ((await peakBytes(pid)) - before) / MEBIBYTE;
      console.log(
        `${kind}: ${BIG_BYTES / 1e6} MB up in ${seconds(begun, uploaded)} s, down in ${seconds(uploaded)} s; server grew by ${grown.toFixed(0)} MiB at most`,
      );
      expect(grown).toBeLessThan(150);
      await app.close();
    });

    await step("archived", async () => {
      await sora.api.updateWorkspace({ params, body: { desired_state: "ARCHIVED" } });
      await sora.reaches(workspace.id, "ARCHIVED");
      await ide.away.getByText("is archived").waitFor();
      await picture(ide.page, `${kind}-tab-archived`);
      await ide.page.close();
    });

    await step("back on a visit, with everything in it, showing the whole way", async () => {
      sora.steps.length = 0;
      const begun = performance.now();
      const back = await sora.open(workspace);
      await until("the restore on the waiting page", () =>
        sora.steps.some((line) => /^active: Restore.*: .*\d+ [kMG]B/.test(line)),
      );
      await picture(back.page, `${kind}-wake-restoring`);
      await back.ready();
      console.log(
        `${kind}: archived to IDE in ${seconds(begun)} s, by way of\n  ${sora.steps.filter((line) => line.startsWith("active")).join("\n  ")}`,
      );
      const listed = [...new Set(sora.steps.map((line) => line.split(": ")[1]))].slice(0, 3);
      expect(listed).toEqual([
        "Restore the home from its archive",
        "Start the workspace",
        "Wait for the IDE to answer",
      ]);
      await back.openFile("hello.txt");
      await back.shows(TEXT);
      expect(await onDisk("copy.txt")).toBe(`${TEXT}42\n`);
      expect((await stat(await home("big.bin"))).size).toBe(BIG_BYTES);
    });
  });
}
