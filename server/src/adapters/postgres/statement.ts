import type pg from "pg";
import type { DatabaseRole } from "./roles.ts";

/** What PostgreSQL can be handed. Times travel as Date, structured values as JSON text (see json.ts). */
export type Value = string | number | boolean | Date | Uint8Array | null | readonly (string | number | Date)[];

/**
 * One hand-written SQL statement: its text with numbered parameters, the names of the parameters in that order, and the
 * types of what goes in and comes out. It is prepared under its name once per connection.
 */
export interface Statement<Params extends Record<keyof Params, Value>, Row extends object> {
  readonly name: string;
  /** Those that run it; a test prepares it as each of them. */
  readonly roles: readonly DatabaseRole[];
  readonly text: string;
  readonly parameters: readonly (keyof Params & string)[];
  /** Never set: it only carries the type of a row from the statement to whoever runs it. */
  readonly row?: Row;
}

/** SQL that several statements share, such as a list of columns. Never made from anything a person typed. */
export interface Fragment {
  readonly sql: string;
}

export const fragment = (sql: string): Fragment => ({ sql });

/** Columns of a table under the names that the core has for them: `w.owner_id AS "ownerId"`. */
export const columns = (table: string, names: readonly string[]): Fragment =>
  fragment(names.map((name) => `${table}.${name.replaceAll(/[A-Z]/g, "_$&").toLowerCase()} AS "${name}"`).join(", "));

/**
 * statement<{ id: string }, { name: string }>("name-of", API_ROLE)`SELECT name FROM workspaces WHERE id = ${"id"}`
 *
 * A string in a slot names a parameter, and the same name is the same parameter; a fragment becomes part of the text.
 */
export function statement<Params extends Record<keyof Params, Value>, Row extends object = Record<never, never>>(
  name: string,
  ...roles: DatabaseRole[]
): (strings: TemplateStringsArray, ...slots: ((keyof Params & string) | Fragment)[]) => Statement<Params, Row> {
  return (strings, ...slots) => {
    const parameters: (keyof Params & string)[] = [];
    let text = strings[0] ?? "";
    slots.forEach((slot, index) => {
      text += typeof slot === "object" ? slot.sql : `$${position(parameters, slot)}`;
      text += strings[index + 1] ?? "";
    });
    return { name, roles, text: text.trim(), parameters };
  };
}

function position<T>(parameters: T[], parameter: T): number {
  const index = parameters.indexOf(parameter);
  return index >= 0 ? index + 1 : parameters.push(parameter);
}

export type Queryable = Pick<pg.ClientBase, "query">;

export async function all<Params extends Record<keyof Params, Value>, Row extends object>(
  connection: Queryable,
  query: Statement<Params, Row>,
  params: Params,
): Promise<Row[]> {
  const values = query.parameters.map((name) => storable(params[name]));
  const answer = await connection.query<Row & pg.QueryResultRow>({ name: query.name, text: query.text, values });
  return answer.rows;
}

export async function first<Params extends Record<keyof Params, Value>, Row extends object>(
  connection: Queryable,
  query: Statement<Params, Row>,
  params: Params,
): Promise<Row | null> {
  return (await all(connection, query, params))[0] ?? null;
}

/** For statements that always answer with a row. */
export async function one<Params extends Record<keyof Params, Value>, Row extends object>(
  connection: Queryable,
  query: Statement<Params, Row>,
  params: Params,
): Promise<Row> {
  const row = await first(connection, query, params);
  if (row === null) {
    throw new Error(`The statement ${query.name} answered with no row.`);
  }
  return row;
}

/** How many rows were written. */
export async function count<Params extends Record<keyof Params, Value>, Row extends object>(
  connection: Queryable,
  query: Statement<Params, Row>,
  params: Params,
): Promise<number> {
  const values = query.parameters.map((name) => storable(params[name]));
  const answer = await connection.query({ name: query.name, text: query.text, values });
  return answer.rowCount ?? 0;
}

/** PostgreSQL stores every character but NUL, and no half of a surrogate pair. A container's last words may hold both. */
function storable(value: Value): unknown {
  if (typeof value === "string") {
    return storableText(value);
  }
  return Array.isArray(value) ? value.map((item) => (typeof item === "string" ? storableText(item) : item)) : value;
}

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}
