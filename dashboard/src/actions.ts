import {
  ApiError,
  type CreateWorkspace,
  type Listed,
  type SetRepository,
  type UpdateWorkspace,
  type Workspace,
} from "@codehub/contract";
import { api, problemText } from "./api.ts";
import { otherOwner } from "./format/list-view.ts";
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

/** What is asked of one of several; a desired state that a person can ask for. */
interface Asking {
  readonly id: string;
  readonly desired: State;
}
const isState = (state: string): state is State => state in asking;

/** One after the other, so that a limit stops the rest instead of failing each of them. True where all were asked. */
async function askAll([first, ...rest]: readonly Asking[], done: Set<string>): Promise<boolean> {
  if (first === undefined) return true;
  const { id, desired } = first;
  try {
    await ask(id, asking[desired], () => api.updateWorkspace({ params: { id }, body: { desired_state: desired } }));
    done.add(id);
  } catch (error) {
    if (error instanceof ApiError && error.code === "RUNNING_LIMIT_EXCEEDED") {
      report(error, async () => void (await askAll([first, ...rest], done)));
      return false;
    }
    report(error);
  }
  return askAll(rest, done);
}

const asked = { RUNNING: "be running", STANDBY: "be on standby", ARCHIVED: "be archived" } as const;

/** The same of several, and the message of it leads back to what was asked of each before, where this person may ask that. */
export async function requestAll(workspaces: readonly Listed[], desired: State, me: string): Promise<void> {
  const done = new Set<string>();
  await askAll(
    workspaces.map(({ id }) => ({ id, desired })),
    done,
  );
  const changed = workspaces.filter(({ id, desired_state: state }) => state !== desired && done.has(id));
  if (changed.length === 0) return;
  const back = changed.flatMap((workspace) => {
    const { id, desired_state: state } = workspace;
    return isState(state) && (state !== "RUNNING" || otherOwner(workspace, me) === null)
      ? [{ id, desired: state }]
      : [];
  });
  toast({
    tone: "done",
    text: `${changed.length === 1 ? "One workspace is" : `${changed.length} workspaces are`} to ${asked[desired]}.`,
    ...(back.length === changed.length ? { action: { label: "Undo", run: () => void askAll(back, new Set()) } } : {}),
  });
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
