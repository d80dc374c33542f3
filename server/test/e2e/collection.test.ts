import pg from "pg";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cloneTemplate, startTestServer, type TestDatabase, type TestServer } from "../postgres/test-server.ts";
import { violations } from "./axe.ts";
import { browserIsHere, type Visitor, visit } from "./browser.ts";
import { admin } from "./program.ts";
import { seedCollection } from "./seed.ts";
import { setStage } from "./suite.ts";

const REASON =
  "The archive store is at generation 9, the database at 4: the database was restored from an older backup.";

/** A zone that is neither UTC nor this machine's. */
const ZONE = "Asia/Kathmandu";
function local(at: string | null | undefined): string {
  const moment = new Date(at ?? "");
  const day = moment.toLocaleDateString("en-US", { timeZone: ZONE, month: "short", day: "numeric" });
  const time = moment.toLocaleTimeString("en-US", { timeZone: ZONE, hour: "2-digit", minute: "2-digit" });
  return `${day}, ${time.replaceAll(/\s/g, " ")}`;
}

/**
 * What pages show of what the leader writes down, from rows to screen. This test holds the lock that leaders hold, so the
 * program never leads and the rows stay as they were put there.
 */
describe.skipIf(!browserIsHere())("garbage collection on the admin page, and usage on a workspace's", () => {
  let server: TestServer;
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    server = await startTestServer();
    database = await cloneTemplate(server.url);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("SELECT pg_advisory_lock(7201948)");
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
    await server?.stop();
  });
  const stage = setStage(() => ({ DATABASE_URL: database.url }));

  const lead = () =>
    client.query("UPDATE leader SET holder = 'another-server', epoch = 7, acquired_at = now() - interval '5 hours'");

  const look = async (person: Visitor): Promise<Locator> => {
    await person.signIn(admin);
    await person.page.goto("/admin");
    const card = person.page.getByRole("region", { name: "Garbage collection" });
    await card.waitFor();
    return card;
  };
  /** The lines of each figure: its label, its value and what is said about it. */
  const figures = async (card: Locator): Promise<string[][]> =>
    (await card.locator("dl > div").allInnerTexts()).map((text) =>
      text.split(/\n+/).map((line) => line.replaceAll(/\s/g, " ")),
    );
  const sentences = async (card: Locator): Promise<string[]> =>
    (await card.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll(/\s/g, " "));

  it("says that it has not run yet and that nobody leads", async () => {
    const card = await look(stage.visitor);
    expect(await figures(card)).toEqual([
      ["Last run", "not run yet"],
      ["Next run", "no leader", "nothing is removed until one leads"],
      ["Marked", "0", "for less than two hours"],
      ["Due", "0", "marked for longer, not removed for now"],
      ["Removed", "0", "in the last 24 hours"],
    ]);
    await card.getByText("Known after the first run.").waitFor();
    expect(await violations(stage.visitor.page)).toEqual([]);
  });

  it("shows the last run and the next, what waits, what went and why the rest stays", async () => {
    const { browser, program, api } = stage;
    await seedCollection(client);
    await lead();
    const { gc } = await api.getSystem();
    const person = await visit(browser, program.url, { timezoneId: ZONE, locale: "en-US" });
    const card = await look(person);
    expect(await figures(card)).toEqual([
      ["Last run", "1 h ago", local(gc.last_run_at)],
      ["Next run", "in 3 h", local(gc.next_run_at)],
      ["Marked", "7", "for less than two hours"],
      ["Due", "4", "marked for longer, removed every minute"],
      ["Removed", "26", "in the last 24 hours"],
    ]);
    await card.getByText("Why archives are kept (1,242 at the last run)").waitFor();
    const until = local(gc.kept.find(({ reason }) => reason === "trash")?.until);
    expect(await sentences(card)).toEqual([
      "1,214 archives kept because they are the newest copies of workspaces' homes",
      "11 archives kept because they are older versions of homes, to go back to",
      `3 archives kept because they are in the trash and can be restored, the first of them until ${until}`,
      "1 archive kept because an operation is writing it",
      "2 archives kept because their workspaces are in error: somebody has to look at them first",
    ]);
    expect(await violations(person.page)).toEqual([]);
    await person.context.close();
    expect(person.complaints).toEqual([]);
  });

  it("shows what a workspace uses and used, and says why where it is not known", async () => {
    const { visitor, api } = stage;
    const { page } = visitor;
    const { id } = await api.createWorkspace({ body: { name: "lab", desired_state: "ARCHIVED" } });
    await client.query("UPDATE workspaces SET desired_state = 'RUNNING', phase = 'RUNNING' WHERE id = $1", [id]);
    await visitor.signIn(admin);
    await page.getByText("1 of 2 running").waitFor();
    await page.goto(`/workspaces/${id}`);
    const usage = page.getByRole("region", { name: "Usage" });
    await usage.getByText("Measured once a minute while it runs.").waitFor();
    await client.query(
      `INSERT INTO usage_minutes
       SELECT $1, now() - n * interval '1 minute', 0.1 + n / 50.0, 4e8 + n * 1e7, CASE WHEN n < 20 THEN 3.5e8 END, 6e10, 1e11, true
       FROM generate_series(1, 40) AS n WHERE n NOT BETWEEN 12 AND 17`,
      [id],
    );
    await client.query(
      `INSERT INTO usage_minutes VALUES ($1, now(), 1.26, NULL, NULL, 6e10, 1e11, true, '{"memory": "not_counted"}')`,
      [id],
    );
    await page.reload();
    await usage.getByText("1.3 cores", { exact: true }).waitFor();
    expect(await figures(usage)).toEqual([
      ["Processor", "1.3 cores"],
      ["Memory", "–", "This machine does not count it."],
      ["Home", "350 MB"],
      ["Disk of all homes", "60 GB of 100 GB"],
    ]);
    const pictures = await usage
      .getByRole("img")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(pictures).toEqual([
      "Processor over the last hour: 1.3 cores at most",
      "Memory over the last hour: 800 MB at most",
      "Home over the last hour: 350 MB at most",
      "Disk of all homes over the last hour: 60 GB at most",
    ]);
    // A time in which nobody looked is a gap.
    expect(await usage.getByRole("img", { name: "Processor" }).locator("path").count()).toBe(4);
    await usage.getByRole("button", { name: "30 days" }).click();
    await usage.getByRole("img", { name: "Processor over the last 30 days" }).waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    const box = await usage.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    // Nothing runs any more: what was used then is not what is used now.
    await client.query("UPDATE workspaces SET desired_state = 'STANDBY', phase = 'STANDBY' WHERE id = $1", [id]);
    await page.reload();
    await usage.getByText("last measured").waitFor();
    expect((await figures(usage)).map(([, now]) => now)).toEqual(["–", "–", "350 MB", "60 GB of 100 GB"]);
  });

  it("says why it is paused and what to do, and goes on when an administrator resumes it", async () => {
    const { page } = stage.visitor;
    await lead();
    await client.query(
      "UPDATE deployment SET gc_last_run_at = now(), gc_quarantined_at = now(), gc_quarantine_reason = $1",
      [REASON],
    );
    const card = await look(stage.visitor);
    const notice = page.getByRole("note").filter({ hasText: "Garbage collection is paused" });
    await notice.getByText(REASON).waitFor();
    await notice.getByText("What to do: look whether every home is there.").waitFor();
    const next = card.locator("dl > div").filter({ hasText: "Next run" });
    await next.getByText("paused", { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);

    await notice.getByRole("button", { name: "Resume" }).click();
    await notice.waitFor({ state: "detached" });
    await next.getByText("in 4 h").waitFor();
    expect((await stage.api.getSystem()).gc).toMatchObject({ quarantined: false, reason: null });
  });
});
