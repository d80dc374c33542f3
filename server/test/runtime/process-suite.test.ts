import { runtimeSuite } from "../suites/runtime-suite.ts";
import { processHarness } from "./process-harness.ts";

runtimeSuite("process", processHarness);
runtimeSuite("process, where no rooms can be made", () => processHarness({ rooms: false }));
