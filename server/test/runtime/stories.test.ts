import { join } from "node:path";
import { describe } from "vitest";
import { startProgram } from "../e2e/program.ts";
import { gitAvailable } from "../git/repositories.ts";
import { sshdAvailable } from "../git/ssh-server.ts";
import { mayActAsRoot } from "../root.ts";
import { placeFakeIde } from "../stories/fake-ide-install.ts";
import { machineAddress } from "../stories/git-hosts.ts";
import { archiveFolder } from "../stories/places.ts";
import { repositoryStories } from "../stories/repository-stories.ts";

// Without root there are no rooms: no names, and nowhere to put a key that only memory has.
describe.runIf(gitAvailable() && sshdAvailable() && mayActAsRoot("stories of a repository"))("as processes", () => {
  repositoryStories("process", machineAddress(), {
    start: (environment) => startProgram(environment, placeFakeIde),
    places: (story) => [archiveFolder(join(story.program.dataDir, "archives"), story)],
  });
});
