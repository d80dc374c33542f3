import { describe, inject } from "vitest";
import { browserIsHere } from "../e2e/browser.ts";
import { repositoryJourneys } from "../e2e/repository-journeys.ts";
import { gitAvailable } from "../git/repositories.ts";
import { machineAddress } from "../stories/git-hosts.ts";
import { dockerSite } from "./site.ts";

const engine = inject("ideEngine");

describe.skipIf(engine === null || !browserIsHere() || !gitAvailable())("on Docker", () => {
  repositoryJourneys("docker", {
    address: machineAddress(),
    start: (environment) => {
      if (engine === null) throw new Error("there is no engine");
      // A range of its own: the other files publish ports on this engine's host too.
      return dockerSite(engine, { HOST_PORTS_FROM: "56001", HOST_PORTS_TO: "56999", ...environment });
    },
    everyCase: false,
  });
});
