import { join } from "node:path";
import { describe, inject } from "vitest";
import { DEPLOYMENT, labelFilter, ROLE, WORKSPACE } from "#adapters/docker/labels.ts";
import { DockerSetupLauncher } from "#adapters/docker/setup-jobs.ts";
import { WORKSPACE_UID } from "#adapters/docker/workspace-container.ts";
import { parseAllowedNetworks } from "#config/allowed-networks.ts";
import { SetupJobRunner } from "#jobs/setup-jobs.ts";
import { gitAvailable } from "../git/repositories.ts";
import { sshdAvailable } from "../git/ssh-server.ts";
import { machineAddress } from "../stories/git-hosts.ts";
import { type SetupJobsHarness, setupJobsSuite } from "../suites/setup-jobs-suite.ts";
import { setupKillSuite } from "../suites/setup-kill-suite.ts";
import { setupTroubleSuite } from "../suites/setup-trouble-suite.ts";
import { volumesPath } from "./docker-data-plane.ts";
import { dockerHarness, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");

const ADDRESS = machineAddress();

async function make(ports: readonly number[]): Promise<SetupJobsHarness> {
  const { networks } = parseAllowedNetworks(ports.map((port) => `${ADDRESS}:${port}`).join(","));
  const reach = { allowed: networks, controlPlane: async () => [] };
  const harness = await dockerHarness(host ?? "", { reach });
  const { engine, deploymentId, runtime, launcher, volumes } = harness;
  const root = await volumesPath(harness);
  return {
    setup: new SetupJobRunner(new DockerSetupLauncher({ engine, deploymentId, jobImage: JOB_IMAGE, runtime })),
    jobs: launcher,
    volumes,
    homePath: (volume) => join(root, volume, "_data", "home"),
    hostPort: harness.hostPort,
    uid: async () => WORKSPACE_UID,
    left: async () => {
      const filters = labelFilter({ [DEPLOYMENT]: deploymentId, [ROLE]: "job" });
      const query = { all: "true", filters };
      const found = await engine.need<{ Labels: Record<string, string> }[]>("GET", "/containers/json", { query });
      return found.map(({ Labels }) => Labels[WORKSPACE] ?? "");
    },
    close: harness.close,
  };
}

describe.skipIf(host === null || !gitAvailable() || !sshdAvailable())("on Docker", () => {
  setupJobsSuite("docker", ADDRESS, make);
  setupTroubleSuite("docker", ADDRESS, make);
  setupKillSuite("docker", ADDRESS, make);
});
