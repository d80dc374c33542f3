import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@codehub/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { apiAs } from "../e2e/accounts.ts";
import type { Program } from "../e2e/program.ts";
import { type Reachable, runInside } from "../runtime/ask.ts";

/** How the program is started on a runtime, and where it has the fake IDE of a workspace. */
export interface LostKeyRuntime {
  readonly start: () => Promise<Program>;
  readonly ideOf: (program: Program, workspaceId: string) => Promise<Reachable>;
}

/** The whole program over starts with another key file than the one that sealed. */
export function lostKeyFileStory(name: string, { start, ideOf }: LostKeyRuntime): void {
  describe(`a key file that is lost: ${name}`, () => {
    let program: Program;
    let api: Client;
    let id: string;
    beforeAll(async () => {
      program = await start();
      api = await apiAs(program.url);
      await save("first");
      ({ id } = await api.createWorkspace({ body: { name: "keeps on" } }));
      await become("RUNNING");
    });
    afterAll(async () => {
      await program?.stop();
    });

    const file = (): string => join(program.dataDir, "secrets.key");
    const save = (value: string) => api.putVariable({ body: { name: "TOKEN", value, is_secret: true } });
    const become = async (phase: "RUNNING" | "STANDBY"): Promise<void> => {
      await api.updateWorkspace({ params: { id }, body: { desired_state: phase } });
      const now = () => api.getWorkspace({ params: { id } });
      await vi.waitFor(async () => expect(await now()).toMatchObject({ phase, operation: "NONE", error: null }), {
        timeout: 60_000,
        interval: 100,
      });
    };
    const token = async (): Promise<string> => (await runInside(await ideOf(program, id), 'printf %s "$TOKEN"')).text;
    const startedAgain = async (): Promise<string> => {
      await become("STANDBY");
      await become("RUNNING");
      return await token();
    };
    const withFile = async (change: () => Promise<void>): Promise<void> => {
      await program.crash();
      await change();
      await program.start();
      api = await apiAs(program.url);
    };
    const log = async (): Promise<string> => (await api.getLogs({ params: { id } })).lines.join("\n");
    const isOpen = async () => (await api.getKeys()).variables[0]?.can_be_opened;
    const CLOSED = "cannot be opened, so it is not here: TOKEN.";

    it("closes what it sealed and nothing else, which is said; entered again it is there", async () => {
      expect(await token()).toBe("first");
      const former = join(program.dataDir, "former.key");
      await withFile(() => rename(file(), former));
      expect(program.said()).toContain("what these keys sealed cannot be opened");
      expect(await token(), "what runs goes on with what it has").toBe("first");
      expect(await startedAgain()).toBe("");
      expect(await log()).toContain(CLOSED);
      expect(await isOpen()).toBe(false);
      await save("second");
      expect(await isOpen()).toBe(true);
      expect(await startedAgain()).toBe("second");
      expect(await log()).not.toContain(CLOSED);

      const lines = await readFile(file(), "utf8");
      await withFile(() => rename(former, file()));
      expect(await startedAgain(), "a wrong one is like none").toBe("");
      const wrong = await readFile(file(), "utf8");
      await withFile(async () => {
        await writeFile(file(), "no key\n");
        await expect(program.start(), "one that is none is a mistake").rejects.toThrow(/line 1: a line is a name/);
        await writeFile(file(), wrong + lines);
      });
      expect(await startedAgain(), "both together open all").toBe("second");
      expect(program.said()).not.toContain("cannot be opened");
    });
  });
}
