import { type Static, Type } from "typebox";
import { closed, nullable, Timestamp, Uuid } from "./schema.ts";
import { DesiredState, Next, Operation, Phase, Safety } from "./workspace.ts";

/** One thing that keeps the workspace from going where it is asked to go. */
export const Blocker = closed(
  {
    code: Type.String(),
    message: Type.String(),
    since: nullable(Timestamp),
    what_to_do: Type.String(),
  },
  { title: "Blocker" },
);
export type Blocker = Static<typeof Blocker>;

/** The answer to "why is it like this, and what happens now?", computed by the code that also drives the workspace. */
export const Explain = closed(
  {
    workspace_id: Uuid,
    phase: Phase,
    desired_state: DesiredState,
    operation: Operation,
    why: Type.String({ description: "Why the workspace is in this phase." }),
    because: Type.Array(
      closed({ condition: Type.String(), holds: nullable(Type.Boolean()), message: Type.String(), since: Timestamp }),
      { description: "The conditions the phase was computed from; holds is null while unknown." },
    ),
    wish: Type.String({ description: "Who or what asked for the desired state." }),
    next: Next,
    path: Type.Array(closed({ operation: Operation, to: Phase }), {
      description: "The operations that lead from here to the wish, in order.",
    }),
    blockers: Type.Array(Blocker),
    safety: Safety,
    evaluated_at: Timestamp,
  },
  { title: "Explain" },
);
export type Explain = Static<typeof Explain>;
