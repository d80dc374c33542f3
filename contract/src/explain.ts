import { type Static, Type } from "typebox";
import { HistoryEvent } from "./history.ts";
import { closed, nullable, Timestamp, Uuid } from "./schema.ts";
import { blockerKinds } from "./values.ts";
import { DesiredState, Detail, MeaningFields, Next, Operation, Phase, Safety } from "./workspace.ts";

/** One thing that keeps the workspace from going where it is asked to go. */
export const Blocker = closed(
  {
    code: Type.String({ description: "The reason of the error, or of the condition that cannot be seen." }),
    kind: Type.Enum([...blockerKinds], {
      description: "error: a person has to look. retry: tried again at retry_at. unknown: condition cannot be seen.",
    }),
    condition: nullable(Type.String()),
    retry_at: nullable(Timestamp),
    fields: MeaningFields,
    detail: Detail,
    message: Type.String({ description: "For people." }),
    since: nullable(Timestamp),
    what_to_do: Type.String({ description: "For people." }),
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
    reason: closed(
      { code: Type.String(), fields: MeaningFields, detail: Detail, since: Timestamp },
      { description: "Why the workspace is in this phase: the phase itself, or in ERROR the reason of the error." },
    ),
    why: Type.String({ description: "The same for people." }),
    because: Type.Array(
      closed({
        condition: Type.String(),
        holds: nullable(Type.Boolean()),
        code: Type.String(),
        fields: MeaningFields,
        detail: Detail,
        message: Type.String({ description: "The same for people." }),
        since: Timestamp,
      }),
      { description: "The conditions the phase was computed from; holds is null while unknown." },
    ),
    requested: nullable(HistoryEvent),
    wish: Type.String({
      description: "Who or what requested the desired state, for people; the line itself is requested.",
    }),
    next: Next,
    path: Type.Array(closed({ operation: Operation, to: Phase }), {
      description: "The operations that lead from here to the requested level, in order.",
    }),
    blockers: Type.Array(Blocker),
    safety: Safety,
    evaluated_at: Timestamp,
  },
  { title: "Explain" },
);
export type Explain = Static<typeof Explain>;
