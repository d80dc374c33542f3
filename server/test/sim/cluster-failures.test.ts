import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { proof as onCluster } from "../../proof/kubernetes.ts";
import { docsTable } from "../fixtures/docs-table.ts";
import { FAULT_KINDS } from "./faults.ts";
import { INVARIANTS, PLANTS } from "./plants.ts";
import { ON_KUBERNETES } from "./plants-kubernetes.ts";

const ROOT = new URL("../../../", import.meta.url);
const PAGE = "architecture/cluster-failures.md";
const ROWS = docsTable(PAGE, "cluster-failures");

/** What is named as a proof and is not there. */
function missing(proof: string): string | null {
  const [, kind = "", name = "", title = ""] = /^(\w+) `([^`]+)`(?:: (.+))?$/.exec(proof) ?? [];
  switch (kind) {
    case "planted":
      return PLANTS.some((plant) => plant.name === name) ? null : `no planted bug ${name}`;
    case "fault":
      return (FAULT_KINDS as readonly string[]).includes(name) ? null : `no fault ${name}`;
    case "check":
      return (INVARIANTS as readonly string[]).includes(name) ? null : `no invariant ${name}`;
    case "test":
      return title !== "" && readFileSync(new URL(name, ROOT), "utf8").includes(title) ? null : `no test: ${title}`;
    case "proof":
      return name in onCluster.scenarios ? null : `no scenario ${name}`;
    default:
      return `not understood: ${proof}`;
  }
}

describe("the table of what went wrong elsewhere", () => {
  it("has all twenty-five, in order", () => {
    expect(ROWS.map((row) => Number(row["number"]))).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  });

  it.each(ROWS.map((row) => [row["number"], row["way"], row["shown by"] ?? ""]))(
    "%s %s: names what is there",
    (...row) => {
      const proofs = row[2]?.split("; ") ?? [];
      expect(proofs.length).toBeGreaterThan(0);
      expect(proofs.map(missing).filter((one) => one !== null)).toEqual([]);
      // A fault without a check proves nothing; planted bugs and tests have theirs.
      expect(proofs.some((proof) => !proof.startsWith("fault"))).toBe(true);
    },
  );

  it("leaves no planted bug of the cluster unmentioned", () => {
    const page = readFileSync(new URL(`docs/${PAGE}`, ROOT), "utf8");
    expect(ON_KUBERNETES.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
