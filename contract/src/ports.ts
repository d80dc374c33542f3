import { type Static, Type } from "typebox";
import { closed, nullable } from "./schema.ts";

/** One port of a workspace. */
export const WorkspacePort = closed(
  {
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    listening: Type.Boolean({ description: "Whether a program of the workspace listens on it now." }),
    program: nullable(
      Type.String({ description: "What it is called, as it says itself; null: nothing listens, or it is not seen." }),
    ),
    label: nullable(Type.String({ description: "From the repository's devcontainer.json." })),
    url: nullable(Type.String({ description: "Its own address; null where ports have none (single origin)." })),
  },
  { title: "WorkspacePort" },
);
export type WorkspacePort = Static<typeof WorkspacePort>;

export const PortList = closed(
  {
    state: Type.Enum(["listed", "not_running", "unknown"], {
      description: "Whether what listens now is in the list: nothing does without a container, and it may not be seen.",
    }),
    items: Type.Array(WorkspacePort, { description: "In order. Ports that have a label are there in any case." }),
  },
  { title: "PortList" },
);
export type PortList = Static<typeof PortList>;
