import type { Phase, WorkspaceListQuery } from "@codehub/contract";
import type { ListCursor, ListFilter } from "#ports/views.ts";
import { ApiError, invalidField } from "./api-error.ts";
import { isAdmin, type Principal } from "./handler.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function listFilter(query: WorkspaceListQuery, principal: Principal): ListFilter {
  const sort = query.sort ?? "created_at";
  const order = query.order ?? "desc";
  return {
    ownerId: ownerOf(query.owner ?? "me", principal),
    text: query.q === undefined || query.q === "" ? null : query.q,
    phases: query.phase === undefined ? null : (query.phase.split(",") as Phase[]),
    trash: query.trash ?? "exclude",
    sort,
    order,
    limit: query.limit ?? 50,
    after: query.cursor === undefined ? null : readCursor(query.cursor, sort, order),
  };
}

function ownerOf(owner: string, principal: Principal): string | null {
  if (owner === "me" || owner === principal.account.id) return principal.account.id;
  if (!isAdmin(principal)) throw new ApiError("FORBIDDEN", { problem: "only administrators list others' workspaces" });
  if (owner === "all") return null;
  if (!UUID.test(owner)) throw invalidField("owner", "must be me, all or a user's id");
  return owner;
}

/** A cursor belongs to one order: with another one it would skip rows without anybody noticing. */
export const nextCursor = (
  next: ListCursor | null,
  { sort, order }: Pick<ListFilter, "sort" | "order">,
): string | null =>
  next === null ? null : Buffer.from(JSON.stringify([sort, order, next.value, next.id])).toString("base64url");

function readCursor(cursor: string, sort: ListFilter["sort"], order: ListFilter["order"]): ListCursor {
  const [cursorSort, cursorOrder, value, id] = parse(cursor);
  const timed = sort !== "name" && sort !== "phase" && sort !== "owner";
  const fits =
    cursorSort === sort &&
    cursorOrder === order &&
    typeof value === "string" &&
    typeof id === "string" &&
    UUID.test(id) &&
    !value.includes("\0") &&
    (!timed || isTime(value));
  if (!fits) throw invalidField("cursor", "is not a next_cursor of a list in this order");
  return { value, id };
}

/** A time as the database writes it. One that it could not read back would be an error of ours instead of the caller's. */
function isTime(value: string): boolean {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?)\+00$/.exec(value) ?? [];
  const at = Date.parse(`${day}T${time}Z`);
  // PostgreSQL has no year 0.
  return !Number.isNaN(at) && !value.startsWith("0000") && new Date(at).toISOString().startsWith(`${day}T`);
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
