import type { Workspace } from "#core/rows/workspace.ts";
import type { Failure } from "#core/rules/errors.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

/** Makes the home's volume larger, if it has one now; the next one begins with that size. Done twice it is the same. */
export async function growHome(term: TermContext, row: Workspace, version: number, bytes: number): Promise<void> {
  const refused = await grown(term, row, bytes);
  await term.store.mutate(row.id, (facts) => term.deps.decisions.recordGrowth(facts, version, refused));
}

/** Why not, where that is certain. An engine that does not answer is asked again. */
async function grown({ world, ...term }: TermContext, row: Workspace, bytes: number): Promise<Failure | null> {
  const { grow } = world.volumes;
  if (grow === null) return failureOf("ActionFailed", "home_size_fixed");
  if (row.homeVolume === null) return null;
  try {
    await requireOurEngine({ world, ...term });
    await grow(row.homeVolume, bytes);
    return null;
  } catch (error) {
    if (error instanceof OperationFailure && error.reason === "ActionFailed") return error;
    throw error;
  }
}
