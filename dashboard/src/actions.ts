import {
  ApiError,
  type CreateWorkspace,
  type Listed,
  type SetRepository,
  type UpdateWorkspace,
  type Workspace,
} from "@codehub/contract";
import { api, problemText } from "./api.ts";
import { dispatch, takeAnswer } from "./live/store.ts";
import { showOverlay } from "./ui/overlay.ts";
import { toast } from "./ui/toasts.tsx";

/**
 * What a user can do to workspaces. Each is shown as asked at once, and as done only when the server says so: the answer
 * goes into the live state under its version, so it can neither overtake nor be undone by an event.
 */
async function ask(id: string, label: string, call: () => Promise<Workspace>): Promise<Workspace> {
  dispatch({ type: "asked", id, label });
  try {
    return await takeAnswer(call());
  } finally {
    dispatch({ type: "settled", id });
  }
}

/** Tells the user about a failure; a full house gets a dialog with a way out instead of a message. */
export function report(error: unknown, retry?: () => Promise<void>): void {
  if (error instanceof ApiError && error.code === "RUNNING_LIMIT_EXCEEDED" && retry !== undefined) {
    showOverlay({ kind: "limit", error, retry });
    return;
  }
  if (!(error instanceof ApiError)) throw error;
  toast({ tone: "problem", text: problemText(error) });
}

type State = "RUNNING" | "STANDBY" | "ARCHIVED";
const asking = { RUNNING: "Asking to start", STANDBY: "Asking to stop", ARCHIVED: "Asking to archive" } as const;

export async function request(id: string, desired: State): Promise<void> {
  try {
    await ask(id, asking[desired], () => api.updateWorkspace({ params: { id }, body: { desired_state: desired } }));
  } catch (error) {
    report(error, () => request(id, desired));
  }
}

/** One after the other, so that a limit stops the rest instead of failing each of them. */
export async function requestAll(ids: readonly string[], desired: State): Promise<void> {
  const [first, ...rest] = ids;
  if (first === undefined) return;
  try {
    await ask(first, asking[desired], () =>
      api.updateWorkspace({ params: { id: first }, body: { desired_state: desired } }),
    );
  } catch (error) {
    if (error instanceof ApiError && error.code === "RUNNING_LIMIT_EXCEEDED") {
      report(error, () => requestAll(ids, desired));
      return;
    }
    report(error);
  }
  await requestAll(rest, desired);
}

export async function restart(id: string): Promise<void> {
  try {
    await ask(id, "Asking to restart", () => api.restartWorkspace({ params: { id } }));
    toast({ tone: "done", text: "Restarting. Open tabs reconnect when it is back." });
  } catch (error) {
    report(error);
  }
}

/** Gets a repository into the home; without an address, the one that it has. Throws what a form shows. */
export async function getRepository(id: string, body: SetRepository): Promise<void> {
  await ask(id, "Asking for the repository", () => api.setRepository({ params: { id }, body }));
}

/** Serves it elsewhere. Throws what a form shows. */
export async function changeAddress(id: string, address: "words" | "id"): Promise<void> {
  await ask(id, "Asking for another address", () => api.changeAddress({ params: { id }, body: { address } }));
}

export async function skipSetup(id: string): Promise<void> {
  try {
    await ask(id, "Asking not to wait", () => api.skipSetup({ params: { id } }));
  } catch (error) {
    report(error);
  }
}

/** Agrees to the commands of its project; a workspace that runs is started again for them. */
export async function allowCommands(id: string, digest: string): Promise<void> {
  try {
    await ask(id, "Asking for its commands", () => api.allowCommands({ params: { id }, body: { digest } }));
  } catch (error) {
    report(error);
  }
}

export const create = (body: CreateWorkspace): Promise<Workspace> => takeAnswer(api.createWorkspace({ body }));

export const update = async (id: string, body: UpdateWorkspace): Promise<Workspace> =>
  ask(id, "Saving", () => api.updateWorkspace({ params: { id }, body }));

export async function undelete(id: string): Promise<void> {
  try {
    const { name } = await ask(id, "Restoring from the trash", () => api.undeleteWorkspace({ params: { id } }));
    toast({ tone: "done", text: `“${name}” is restored. Its home stays archived until you start it.` });
  } catch (error) {
    report(error);
  }
}

/** Deleting can be undone, and the message that says so is where people look first. */
export async function remove(workspaces: readonly Listed[], ownerId: string): Promise<void> {
  const removed: Workspace[] = [];
  for (const { id } of workspaces) {
    try {
      removed.push(await ask(id, "Moving to the trash", () => api.deleteWorkspace({ params: { id } })));
    } catch (error) {
      report(error);
    }
  }
  const [first] = removed;
  if (first === undefined) return;
  const undoable = removed.every((workspace) => workspace.owner.id === ownerId);
  toast({
    tone: "done",
    text: removed.length === 1 ? `“${first.name}” is in the trash.` : `${removed.length} workspaces are in the trash.`,
    ...(undoable
      ? { action: { label: "Undo", run: () => void Promise.all(removed.map(({ id }) => undelete(id))) } }
      : {}),
  });
}

export async function purge(workspace: Pick<Workspace, "id" | "name">): Promise<void> {
  const { id, name } = workspace;
  await ask(id, "Deleting for good", () =>
    api.deleteWorkspace({ params: { id }, query: { purge: true, confirm: name } }),
  );
  toast({ tone: "done", text: `“${name}” is deleted for good.` });
}
