import { type Stranded, wordGiven } from "#core/requests/node-off.ts";
import type { Workspace } from "#core/rows/workspace.ts";
import type { Failure } from "#core/rules/errors.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import type { TermContext } from "./term.ts";
import { requireOurEngine } from "./trust.ts";

/**
 * Carries out an operator's word about a machine that is off, at most once: it is used up first, in a transaction of
 * this leader. The engine looks once more whether the machine is silent, and gives up that one container by its own id.
 * False: there was none.
 */
export async function heedWord(term: TermContext, row: Workspace): Promise<boolean> {
  const stranded = wordGiven(row);
  if (stranded === null) return false;
  const { decisions } = term.deps;
  const used = await term.store.mutate(row.id, (facts) => decisions.useWord(facts));
  if (used === null) return true;
  const refused = await giveUp(term, stranded);
  term.logger.warn(
    { workspace: row.id, ...stranded, refused: refused?.message ?? null },
    "an operator's word was used",
  );
  await term.store.mutate(row.id, (facts) => decisions.recordWord(facts, stranded, refused));
  return true;
}

async function giveUp(term: TermContext, stranded: Stranded): Promise<Failure | null> {
  const { giveUp: act } = term.world.runtime;
  if (act === null) return failureOf("ActionFailed", "no_other_machines");
  try {
    await requireOurEngine(term);
    await act(stranded);
    return null;
  } catch (error) {
    if (error instanceof OperationFailure) return error;
    return { reason: "Unreachable", message: error instanceof Error ? error.message : String(error) };
  }
}
