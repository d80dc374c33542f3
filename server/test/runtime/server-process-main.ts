import { reachableNode } from "#adapters/process/ide-install.ts";
import { createProcessRuntime } from "#adapters/process/runtime.ts";
import { directories } from "./process-harness.ts";

const { dataDir, deploymentId, ide, spec } = JSON.parse(process.argv[2] ?? "");
// The workspace's own account may not be able to read this clone and the Node in it.
const node = await reachableNode(dataDir);
const runtime = await createProcessRuntime({
  dataDir,
  deploymentId,
  volumes: directories(dataDir),
  ide: { command: ({ socket }) => [node, ide, socket] },
});
const { containerId } = await runtime.start(spec, new AbortController().signal);
process.send?.(containerId);
