import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { directories } from "./process-harness.ts";

const { dataDir, deploymentId, ide, spec } = JSON.parse(process.argv[2] ?? "");
const runtime = await createProcessRuntime({
  dataDir,
  deploymentId,
  volumes: directories(dataDir),
  ide: { command: ({ socket }) => [process.execPath, ide, socket] },
});
const { containerId } = await runtime.start(spec, new AbortController().signal);
process.send?.(containerId);
