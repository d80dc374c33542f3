import {
  type ApiError,
  type Client,
  createClient,
  type WorkspaceListQuery,
  type WorkspaceSummary,
} from "@codehub/contract";

/** The one client of the page. It speaks to the server that served it, with the browser's cookie. */
export const api: Client = createClient({ baseUrl: "", fetch: (url, init) => fetch(url, init) });

/** What a person reads when a call fails: what happened and what to do, in one breath. An action that speaks of the request's id has it. */
export const problemText = ({ code, message, action, requestId }: ApiError): string =>
  `${message} ${action}${code === "INTERNAL" && requestId !== null ? ` Request id: ${requestId}.` : ""}`;

/** Whether the same may be answered in a moment, without anybody doing anything. */
export const isPassing = ({ status }: ApiError): boolean => status === 0 || status === 429 || status >= 500;

/** Every page of a list, one after the other. */
export async function everyWorkspace(which: Omit<WorkspaceListQuery, "limit" | "cursor">): Promise<WorkspaceSummary[]> {
  const items: WorkspaceSummary[] = [];
  let cursor: string | null = null;
  do {
    const query = { ...which, limit: 100, ...(cursor === null ? {} : { cursor }) };
    const page: Awaited<ReturnType<typeof api.listWorkspaces>> = await api.listWorkspaces({ query });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}
