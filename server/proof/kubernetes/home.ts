import assert from "node:assert/strict";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describeTree } from "../../test/data/fingerprint.ts";
import { plant, plantedTree } from "../../test/data/home-tree.ts";
import { fillHome } from "../../test/data/process-harness.ts";
import { giveAll } from "../../test/data/zoo.ts";

const OWNER = 1000;
/** The one file that a workspace goes on writing to. */
const JOURNAL = "journal";
const SEED = 25;

/** A workspace and all that is known of its home. */
export class Home {
  readonly id: string;
  readonly #known: string;

  /** Fills what is empty: many files, one large one, and a tree of odd names, modes, links, holes and attributes. */
  constructor(id: string, path: string) {
    this.id = id;
    fillHome(path);
    writeFileSync(join(path, JOURNAL), "");
    giveAll(path, OWNER);
    const [things = []] = fc.sample(plantedTree, { seed: SEED, numRuns: 1 });
    plant(path, things, OWNER);
    utimesSync(path, 1_700_000_000.125, 1_700_000_000.125);
    this.#known = withoutJournal(describeTree(path));
  }

  requireSame(path: string, when: string): void {
    const found = withoutJournal(describeTree(path));
    if (found === this.#known) return;
    const known = new Set(this.#known.split("\n"));
    const changed = found.split("\n").filter((line) => !known.has(line));
    assert.fail(`${when} the home is another: ${changed.slice(0, 3).join(" | ") || "something is missing"}`);
  }
}

const withoutJournal = (tree: string): string =>
  tree
    .split("\n")
    .filter((line) => !line.startsWith(`"/${JOURNAL}"`))
    .join("\n");

/** A program that counts in the journal, ten times a second, until its pod ends; it begins where the journal ends. */
export const KEEP_WRITING = `(i=$(tail -n 1 ~/${JOURNAL}); while :; do i=$((i+1)); echo $i >> ~/${JOURNAL}; sleep 0.1; done) > /dev/null 2>&1 &`;

/** How far the journal counts. Every number is there once and in order, whoever wrote: nothing was lost, nobody wrote beside. */
export function journalOf(path: string): number {
  const numbers = readFileSync(join(path, JOURNAL), "utf8").split("\n").slice(0, -1).map(Number);
  const wrong = numbers.findIndex((number, index) => number !== index + 1);
  assert.equal(wrong, -1, `the journal says ${numbers[wrong]} in line ${wrong + 1}`);
  return numbers.length;
}
