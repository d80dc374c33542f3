import type { Listed } from "@codehub/contract";

type Resting = Pick<Listed, "id" | "version" | "phase" | "operation" | "desired_state" | "deleted_at">;

/** Those that are seen not to be at rest. That the others are is the server's to say: this is when it is worth asking. */
export const notAtRest = <T extends Resting>(rows: readonly T[]): readonly T[] =>
  rows.filter(
    (row) =>
      row.operation !== "NONE" ||
      row.phase === "RUNNING" ||
      (row.desired_state === "RUNNING" && row.deleted_at === null),
  );

/** The same text while nothing has happened to any of them. */
export const stateOf = (rows: readonly Resting[]): string =>
  rows
    .map(({ id, version }) => `${id} ${version}`)
    .sort()
    .join("\n");
