import { describe } from "vitest";
import { gitAvailable } from "../git/repositories.ts";
import { sshdAvailable } from "../git/ssh-server.ts";
import { setupJobsSuite } from "../suites/setup-jobs-suite.ts";
import { processSetupHarness } from "./setup-harness.ts";

describe.skipIf(!gitAvailable() || !sshdAvailable())("with git and sshd", () => {
  setupJobsSuite("process", "127.0.0.1", () => processSetupHarness());
});
