import { type Fields, failureFields } from "#core/rows/meaning.ts";
import { OperationFailure } from "#ports/failure.ts";
import type { ComponentSeen, Deployment } from "#ports/store.ts";
import type { TermContext } from "./term.ts";

/** What this deployment was bound to when it first started, and whether that is what answers. */
export interface Trust {
  /** Null when what answers is ours; else why nothing it says may be believed. */
  engine: Fields | null;
  store: Fields | null;
  bound: Deployment | null;
}

export const untried = (): Trust => ({
  engine: failureFields("engine_not_asked"),
  store: failureFields("store_not_asked"),
  bound: null,
});

/**
 * Asks both who they are, binds them at first start, and tells people when one of them is another. Resolves to whether the
 * engine has answered.
 */
export async function checkTrust(term: TermContext): Promise<boolean> {
  const { store, world, deps, trust } = term;
  const [engine, archives] = await Promise.allSettled([world.runtime.engineId(), world.archives.storeId()]);
  const engineId = engine.status === "fulfilled" ? engine.value : null;
  const storeId = archives.status === "fulfilled" ? archives.value : null;
  trust.bound = await store.bindDeployment({ runtimeKind: world.runtime.kind, engineId, storeId });
  trust.engine = engineId === null ? stillUntried(trust.engine, engine, "engine") : whyNotOurEngine(term, engineId);
  trust.store = storeId === null ? stillUntried(trust.store, archives, "store") : whyNotOurStore(term, storeId);
  const seen: ComponentSeen[] = [
    { name: "coordinator", status: "ok", detail: "Leads." },
    component("engine", engine, trust.engine),
    component("store", archives, trust.store),
  ];
  await store.saveComponents(seen);
  for (const { name, status, detail } of seen)
    if (status !== "ok") deps.logger.warn({ name, status, detail }, "component is not well");
  return engineId !== null;
}

/** One that never answered yet is told of with what it says instead; one that did is looked at by whoever needs it. */
function stillUntried(before: Fields | null, asked: PromiseSettledResult<string>, what: string): Fields | null {
  const isUntried = before?.["failure"] === `${what}_not_asked` || before?.["failure"] === `${what}_down`;
  if (!isUntried || asked.status !== "rejected") return before;
  const said = asked.reason instanceof Error ? asked.reason.message : String(asked.reason);
  return failureFields(`${what}_down`, { said });
}

/**
 * Rejects unless the engine that answers now is ours. Asked before an absence is believed and before something new is
 * looked at for the last time: another one may have taken the place of ours since the last sweep.
 */
export async function requireOurEngine(term: TermContext): Promise<void> {
  const { trust, world } = term;
  trust.engine = whyNotOurEngine(term, await world.runtime.engineId());
  if (trust.engine !== null) throw new OperationFailure("Unreachable", "", { fields: trust.engine });
}

/** The same of the archive store. */
export async function requireOurStore(term: TermContext): Promise<void> {
  const { trust, world } = term;
  trust.store = whyNotOurStore(term, await world.archives.storeId());
  if (trust.store !== null) throw new OperationFailure("Unreachable", "", { fields: trust.store });
}

function whyNotOurEngine({ trust: { bound, engine }, world: { runtime } }: TermContext, found: string): Fields | null {
  if (bound === null) return engine;
  if (bound.engineId === found && bound.runtimeKind === runtime.kind) return null;
  return other("foreign_engine", `${runtime.kind} ${found}`, `${bound.runtimeKind} ${bound.engineId}`);
}

function whyNotOurStore({ trust: { bound, store } }: TermContext, found: string): Fields | null {
  if (bound === null) return store;
  return bound.storeId === found ? null : other("foreign_store", found, String(bound.storeId));
}

const other = (failure: string, found: string, expected: string): Fields => failureFields(failure, { found, expected });

/** For administrators, who know the names. */
const told = (what: string, { found, expected }: Fields): string =>
  `Another ${what} answers (${found}) than the one this deployment was started with (${expected}). Nothing is planned until that one is back.`;

function component(name: string, asked: PromiseSettledResult<string>, distrust: Fields | null): ComponentSeen {
  if (asked.status === "rejected") return { name, status: "down", detail: String(asked.reason) };
  return distrust === null
    ? { name, status: "ok", detail: asked.value }
    : { name, status: "down", detail: told(name === "store" ? "archive store" : name, distrust) };
}
