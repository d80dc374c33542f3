import { runtimeSuite } from "../suites/runtime-suite.ts";
import { processHarness } from "./process-harness.ts";

runtimeSuite("process", processHarness);
