import { picture } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { story } from "./story.ts";

const TITLE = "a project is open at the first visit, and later what its owner had open last";

/** Whoever creates a workspace from a repository wants to see it, and not to look for it. */
export function repositorySuite(kind: string, stage: Stage): void {
  story(kind, TITLE, stage, async ({ person, step }) => {
    const mio = await step("signing in", () => person("mio"));
    const workspace = await step("a workspace is made from a repository", async () => {
      const body = { name: "project", repository: stage.projects.address, standby_ttl_seconds: 0 };
      return await mio.api.createWorkspace({ body });
    });
    const ide = await step("its project is open", async () => {
      const opened = await mio.open(workspace);
      await opened.ready();
      await opened.lists("of-the-project.md");
      await picture(opened.page, `${kind}-project`);
      return opened;
    });
    await step("its owner opens the home", async () => {
      await ide.page.goto(new URL("/?folder=/home/coder", ide.page.url()).href);
      await ide.ready();
      await ide.lists("app");
    });
    await step("which is open at the next visit", async () => {
      await ide.page.close();
      const again = await mio.open(workspace);
      await again.ready();
      await again.lists("app");
    });
  });
}
