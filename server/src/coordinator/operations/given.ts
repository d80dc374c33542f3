import { keepsNothing, NO_KEYS, PRELUDE, type ProjectSetup, setupFiles } from "#coordinator/setup-files.ts";
import type { PlannedSize } from "#core/setup/plan.ts";
import type { StartSpec } from "#ports/runtime.ts";
import type { StartSize } from "#ports/start-extras.ts";
import type { AttemptContext } from "./context.ts";

/** What a start is given beyond its home: its image, its owner's keys, and what its project asks for. */
export type Given = Pick<StartSpec, "imageRef" | "files" | "prelude" | "size" | "folder">;

export async function givenTo(context: AttemptContext): Promise<Given> {
  const { world, row } = context;
  const { takes } = world.runtime;
  const project = await projectOf(context);
  const size = takes.size && project !== null ? sizeOf(project.plan.size, context) : null;
  const folder = project?.plan.folder ?? row.homeCtx.setup?.folder ?? null;
  return {
    imageRef: project === null ? row.imageRef : imageOf(project, context),
    ...(folder === null ? {} : { folder }),
    ...(size === null ? {} : { size }),
    // What cannot be given in memory only is not given.
    ...(takes.files && takes.prelude ? await filesFor(context, project) : {}),
  };
}

/** What was read of the repository that this home has; another one's is none of its business. */
async function projectOf({ term, row }: AttemptContext): Promise<ProjectSetup | null> {
  const { setup } = row.homeCtx;
  if (setup?.state !== "ready") return null;
  const kept = await term.store.readSetup(row.id);
  if (kept === null || kept.version !== setup.version || kept.plan?.ok !== true) return null;
  return { plan: kept.plan.plan, allowed: kept.allowed };
}

async function filesFor(
  { term, row, attempt }: AttemptContext,
  project: ProjectSetup | null,
): Promise<Pick<StartSpec, "files" | "prelude">> {
  const whose = { ownerId: row.ownerId, workspaceId: row.id, repository: row.source?.key ?? null };
  const keys = (await term.deps.keyring?.open({ ...whose, withKeys: row.keysAllowed })) ?? NO_KEYS;
  if (keys.locked.length > 0)
    term.logger.warn({ workspace: row.id, locked: keys.locked.length }, "started without what cannot be opened");
  // An image then needs no program to unpack them.
  if (keepsNothing(keys) && project === null) return {};
  const { setupPolicy: policy } = term.deps;
  const running = policy === undefined ? null : { run: attempt, hash: policy.hash };
  return { files: setupFiles(keys, project, running), prelude: PRELUDE };
}

/** The project's own where its owner agreed to it and nobody chose another: what is in an image runs with the owner's keys. */
function imageOf({ plan: { image }, allowed }: ProjectSetup, { term, row }: AttemptContext): string {
  const { setupPolicy: policy } = term.deps;
  return image !== null && allowed && policy !== undefined && row.imageRef === policy.defaultImage
    ? image
    : row.imageRef;
}

/** As much as it asks for, which was bounded when it was read; of the rest as much as everybody has. */
function sizeOf({ cpus, memoryBytes }: PlannedSize, { term }: AttemptContext): StartSize | null {
  const { setupPolicy: policy } = term.deps;
  if (policy === undefined || (cpus === null && memoryBytes === null)) return null;
  return { cpus: cpus ?? policy.largest.cpus, memoryBytes: memoryBytes ?? policy.largest.memoryBytes };
}
