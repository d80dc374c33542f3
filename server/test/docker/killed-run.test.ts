import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Engine } from "#adapters/docker/engine.ts";
import { identify, isAlive } from "#adapters/process/proc.ts";
import { dockerAvailable, startEngine } from "./private-engine.ts";

interface KilledRun {
  readonly engine: number;
  readonly container: number;
  readonly dataRoot: string;
}

test.skipIf(!dockerAvailable())("a killed run's engine does not stand in the way of the next run", async () => {
  const child = fork(join(import.meta.dirname, "engine-program.ts"));
  const [killed] = (await once(child, "message")) as [KilledRun];
  const [engine, container] = [await identify(killed.engine), await identify(killed.container)];
  if (engine === null || container === null) throw new Error("the engine or its container is not running");
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;

  await using next = await startEngine();

  const answer = await new Engine({ host: next.host, timeoutMs: 10_000 }).call("GET", "/info");
  expect(JSON.stringify(answer)).toContain(`"DockerRootDir":"${killed.dataRoot}"`);
  expect({ engine: await isAlive(engine), container: await isAlive(container) }).toEqual({
    engine: false,
    container: false,
  });
});
