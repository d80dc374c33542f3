import fs from "node:fs";
import path from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

/** What a run of vitest came to, for whoever counts several runs together. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed, each with what it said. */
  readonly broken: readonly string[];
  /** What passed only when it was tried again, each with what its first try said. */
  readonly unsteady: readonly string[];
}

/** Where the tally is to be written. */
export const TALLY_FILE = "CODEHUB_TEST_TALLY";

/** Enough of a message to act on; a page's whole scene is in the log above. */
const KEPT_LINES = 30;

type Errors = readonly Pick<SerializedError, "message" | "stack">[];

/** Vitest's own report in JSON knows nothing of errors outside tests, which fail a run just as well. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: Errors): void {
    const file = process.env[TALLY_FILE];
    if (file !== undefined) fs.writeFileSync(file, JSON.stringify(tally(modules, unhandled)));
  }
}

function tally(modules: readonly TestModule[], unhandled: Errors): Tally {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const inState = (state: string): readonly TestCase[] => tests.filter((test) => test.result().state === state);
  const outside = [
    ...modules.flatMap((module) => [
      ...outsideTests(placeOf(module), module.errors()),
      ...[...module.children.allSuites()].flatMap((suite) => outsideTests(placeOf(module), suite.errors())),
    ]),
    ...outsideTests("somewhere", unhandled),
  ];
  const failed = inState("failed");
  return {
    passed: inState("passed").length,
    failed: failed.length + outside.length,
    skipped: inState("skipped").length + inState("pending").length,
    broken: [...failed.map(describeTest), ...outside],
    unsteady: inState("passed")
      .filter((test) => test.diagnostic()?.flaky === true)
      .map(describeTest),
  };
}

const outsideTests = (place: string, errors: Errors): string[] =>
  errors.map(({ message, stack }) => `${place}, outside any test: ${kept([{ message: stack ?? message }])}`);

const describeTest = (test: TestCase): string =>
  `${placeOf(test.module)}: ${test.fullName}: ${kept(test.result().errors ?? [])}`;

const placeOf = (module: TestModule): string => path.relative("", module.moduleId);

function kept(errors: readonly { readonly message: string }[]): string {
  const lines = errors.map(({ message }) => message).flatMap((message) => message.split("\n"));
  return lines.slice(0, KEPT_LINES).join("\n    ");
}
