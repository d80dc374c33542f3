import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "@codehub/contract";
import { expect, it } from "vitest";
import { BIG_BYTES, bigSha256, forgetPeak, PORT, peakBytes, START_APP, upload } from "./big-file.ts";
import { type IdePage, picture } from "./ide-page.ts";
import { newPerson, type Person } from "./person.ts";
import type { Stage } from "./stage.ts";
import { until } from "./until.ts";

const MEBIBYTE = 1024 * 1024;
const TEXT = "typed by a person";

/** What one new user does on the first day, each test going on where the one before has ended. */
export function journeySuite(kind: string, stage: Stage): void {
  let sora: Person;
  let workspace: Workspace;
  let ide: IdePage;

  const onDisk = async (name: string): Promise<string> =>
    readFile(join(await stage.site.home(workspace.id), name), "utf8").catch(() => "");

  it("leads from the first page after signing in to typing in an IDE in three clicks", async () => {
    sora = await newPerson(stage.browser, stage.site.program.url, "sora");
    expect(sora.presses).toHaveLength(1);
    await sora.page.getByRole("button", { name: "Create my first workspace" }).click();
    ide = await sora.follow(sora.page.getByRole("link", { name: /^Open First workspace/ }));
    await picture(ide.page, `${kind}-wake-first`);
    await ide.ready();
    await ide.newFile("hello.txt");
    await ide.page.keyboard.type(TEXT);
    await ide.shows(TEXT);
    expect(sora.presses.length - 1).toBeLessThanOrEqual(3);
    await picture(ide.page, `${kind}-ide`);

    const { items } = await sora.api.listWorkspaces();
    expect(items.map(({ id }) => id)).toEqual([ide.workspaceId]);
    workspace = await sora.api.updateWorkspace({
      params: { id: ide.workspaceId },
      body: { standby_ttl_seconds: 0 },
    });
    expect(sora.steps.map((step) => step.split(":")[0])).toContain("Start the workspace");
    await ide.save();
    await until("the text in the home", async () => (await onDisk("hello.txt")) === TEXT);
  });

  it("has a terminal, whose commands work on the same home", async () => {
    await ide.openTerminal();
    await ide.run("cat hello.txt > copy.txt && echo $((40 + 2)) >> copy.txt && cat copy.txt");
    await ide.printed(/typed by a person\s*42/);
    await until("the copy in the home", async () => (await onDisk("copy.txt")) === `${TEXT}42\n`);
  });

  it("has an extension host: TypeScript finds a mistake in what is typed", async () => {
    await ide.newFile("main.ts");
    await ide.page.keyboard.type("const count: number = false;\n");
    await ide.page.locator(".squiggly-error").first().waitFor();
    await ide.save();
  });

  it("opens what listens on a port, and carries 500 MB up and down in little memory", async () => {
    await ide.run(`${START_APP} &`);
    await ide.printed(/app listens/);
    // As the IDE opens links: it knows from us where a port is served, and may ask before it leaves its own address.
    const opened = sora.context.waitForEvent("page");
    await ide.run(`$BROWSER http://localhost:${PORT}/`);
    const asked = ide.page.getByRole("button", { name: "Open", exact: true }).click();
    await Promise.race([opened, asked.catch(() => undefined)]);
    const app = await opened;
    await app.getByRole("heading", { name: "An app on a port" }).waitFor();
    expect(new URL(app.url()).hostname).toBe(`${PORT}--${workspace.id}.localhost`);
    await picture(app, `${kind}-port`);

    const { pid } = stage.site.program;
    await forgetPeak(pid);
    const before = await peakBytes(pid);
    const begun = performance.now();
    expect(await upload(app)).toBe(bigSha256());
    const uploaded = performance.now();
    expect((await stat(join(await stage.site.home(workspace.id), "big.bin"))).size).toBe(BIG_BYTES);
    const [download] = await Promise.all([
      app.waitForEvent("download"),
      app.getByRole("link", { name: "big" }).click(),
    ]);
    const hash = createHash("sha256");
    for await (const chunk of createReadStream(await download.path())) hash.update(chunk);
    expect(hash.digest("hex")).toBe(bigSha256());
    const grown = ((await peakBytes(pid)) - before) / MEBIBYTE;
    const seconds = [uploaded - begun, performance.now() - uploaded].map((ms) => (ms / 1000).toFixed(1));
    console.log(
      `${kind}: ${BIG_BYTES / 1e6} MB up in ${seconds[0]} s, down in ${seconds[1]} s; server grew by ${grown.toFixed(0)} MiB at most`,
    );
    expect(grown).toBeLessThan(150);
    await app.close();
  });

  it("is archived and comes back on a visit, with everything in it, showing the whole way", async () => {
    const { id } = workspace;
    await sora.api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
    await sora.reaches(id, "ARCHIVED");
    await ide.away.getByText("is archived").waitFor();
    await picture(ide.page, `${kind}-tab-archived`);
    await ide.page.close();

    sora.steps.length = 0;
    const begun = performance.now();
    ide = await sora.open(workspace);
    await until("the restore on the waiting page", () =>
      sora.steps.some((step) => /Restore.*: .*\d+ [kMG]B/.test(step)),
    );
    await picture(ide.page, `${kind}-wake-restoring`);
    await until("the start on the waiting page", () =>
      sora.steps.some((step) => step.startsWith("Start the workspace")),
    );
    await picture(ide.page, `${kind}-wake-starting`);
    await ide.ready();
    console.log(
      `${kind}: archived to IDE in ${((performance.now() - begun) / 1000).toFixed(1)} s, by way of\n  ${sora.steps.join("\n  ")}`,
    );
    const labels = sora.steps.map((step) => step.split(":")[0]);
    expect(labels.indexOf("Restore the home from its archive")).toBeGreaterThanOrEqual(0);
    expect(labels.indexOf("Restore the home from its archive")).toBeLessThan(labels.indexOf("Start the workspace"));
    await ide.openFile("hello.txt");
    await ide.shows(TEXT);
    expect(await onDisk("copy.txt")).toBe(`${TEXT}42\n`);
    expect((await stat(join(await stage.site.home(id), "big.bin"))).size).toBe(BIG_BYTES);
    await ide.page.close();
    await sora.api.updateWorkspace({ params: { id }, body: { desired_state: "STANDBY" } });
    await sora.reaches(id, "STANDBY");
  });
}
