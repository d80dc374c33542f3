import { describe } from "vitest";
import { gitAvailable } from "../git/repositories.ts";
import { processSite } from "../ide/site.ts";
import { browserIsHere } from "./browser.ts";
import { repositoryJourneys } from "./repository-journeys.ts";

describe.skipIf(!browserIsHere() || !gitAvailable())("as processes", () => {
  repositoryJourneys("process", {
    address: "127.0.0.1",
    // Processes reach whatever this machine does, and its loopback is nothing that an operator may list.
    start: ({ WORKSPACE_ALLOWED_NETWORKS: _, ...environment }) => processSite(environment),
  });
});
