import { type Static, Type } from "typebox";
import { closed, nullable, Timestamp, Uuid } from "./schema.ts";
import { portAudiences } from "./values.ts";

const Audience = Type.Enum([...portAudiences], {
  description: "users: whoever is signed in. public: everybody who has the address.",
});
const DAY = 86_400;

/** With whom a port is shared beside its owner. */
export const PortShare = closed(
  { audience: Audience, created_at: Timestamp, expires_at: nullable(Timestamp) },
  { title: "PortShare", description: "expires_at null: until it is closed." },
);
export type PortShare = Static<typeof PortShare>;

export const SharePort = closed(
  {
    audience: Audience,
    for_seconds: nullable(
      Type.Integer({ minimum: 60, maximum: 7 * DAY, description: "Null: until it is closed. One hour is 3600." }),
    ),
  },
  { title: "SharePort" },
);
export type SharePort = Static<typeof SharePort>;

export const ByPort = closed({
  id: Uuid,
  port: Type.String({ pattern: "^[1-9][0-9]{0,4}$", description: "From 1 to 65535." }),
});

/** One port of a workspace. */
export const WorkspacePort = closed(
  {
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    listening: Type.Boolean({ description: "Whether a program of the workspace listens on it now." }),
    program: nullable(
      Type.String({ description: "What it is called, as it says itself; null: nothing listens, or it is not seen." }),
    ),
    label: nullable(Type.String({ description: "From the repository's devcontainer.json." })),
    share: nullable(PortShare),
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
    sharing: Type.Enum(["off", ...portAudiences], { description: "With whom owners may share ports here, at most." }),
    items: Type.Array(WorkspacePort, {
      description:
        "In order. Ports that have a label or are shared are there in any case; to an administrator, only those that are shared.",
    }),
  },
  { title: "PortList" },
);
export type PortList = Static<typeof PortList>;
