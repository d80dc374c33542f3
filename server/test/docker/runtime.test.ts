import { describe, inject } from "vitest";
import { runtimeSuite } from "../suites/runtime-suite.ts";
import { dockerHarness } from "./docker-harness.ts";

const host = inject("dockerHost");

describe.skipIf(host === null)("on Docker", () => {
  runtimeSuite("docker", () => dockerHarness(host ?? ""));
});
