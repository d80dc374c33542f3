import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { apiAs } from "../e2e/accounts.ts";
import { type Program, startProgram } from "../e2e/program.ts";
import { runInside } from "../runtime/ask.ts";
import { containerOf } from "./container-of.ts";
import { FAKE_IMAGE, JOB_IMAGE } from "./docker-harness.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("the program on Docker", () => {
  let program: Program;
  let api: Client;
  beforeAll(async () => {
    const engine = { RUNTIME: "docker", DOCKER_HOST: host ?? "", DEFAULT_IMAGE: FAKE_IMAGE, JOB_IMAGE };
    // A range of its own: other tests publish ports on this engine's host too.
    program = await startProgram({ ...engine, HOST_PORTS_FROM: "52001", HOST_PORTS_TO: "52999" });
    api = await apiAs(program.url);
  });
  afterAll(async () => {
    await program?.stop();
  });

  const reaches = (id: string, phase: string): Promise<void> =>
    vi.waitFor(
      async () => {
        const workspace = await api.getWorkspace({ params: { id } });
        expect([workspace.phase, workspace.operation]).toEqual([phase, "NONE"]);
      },
      { timeout: 90_000, interval: 200 },
    );

  it("takes a home down to an archive and back, also over a crash of the server", async () => {
    const { id } = await api.createWorkspace({ body: { name: "round trip" } });
    await reaches(id, "RUNNING");
    const written = await runInside(
      await containerOf(host ?? "", id),
      "cd && echo hello > kept && mkdir -m 0500 locked && stat -c '%a %u' kept locked",
    );
    expect(written).toMatchObject({ code: 0 });
    await program.crash();
    await program.start();
    api = await apiAs(program.url);
    await reaches(id, "RUNNING");
    await api.updateWorkspace({ params: { id }, body: { desired_state: "ARCHIVED" } });
    await reaches(id, "ARCHIVED");
    await api.updateWorkspace({ params: { id }, body: { desired_state: "RUNNING" } });
    await reaches(id, "RUNNING");
    const read = await runInside(await containerOf(host ?? "", id), "cd && cat kept && stat -c '%a %u' kept locked");
    expect(read).toEqual({ code: 0, text: `hello\n${written.text}` });
  });
});
