import { type Static, Type } from "typebox";
import { Count, closed, nullable, Timestamp, text } from "./schema.ts";

export const RepositoryAddress = text(2_000, {
  description:
    "A repository as people paste it: an https or ssh address, or a link to a branch, tag, commit or pull request.",
});
export const KeysAllowed = Type.Boolean({
  default: true,
  description: "False: the workspace gets none of its owner's keys and secrets.",
});

/** What was read from the address. */
export const WorkspaceRepository = closed(
  {
    address: Type.String(),
    clone_url: Type.String(),
    host: Type.String(),
    key: Type.String({ description: "host/path: the same repository has the same key." }),
    ref: nullable(Type.String({ description: "Branch, tag, commit or pull request; null: the default branch." })),
    folder: Type.String(),
  },
  { title: "WorkspaceRepository" },
);
export type WorkspaceRepository = Static<typeof WorkspaceRepository>;

const Told = {
  code: Type.String(),
  fields: Type.Record(Type.String(), Type.Unknown()),
  message: Type.String({ description: "The same for people." }),
};

/** What became of the repository. */
export const Setup = closed(
  {
    state: Type.Enum(["waiting", "preparing", "ready", "failed", "skipped"]),
    /** Below the home. */
    folder: nullable(Type.String()),
    commit: nullable(Type.String()),
    branch: nullable(Type.String()),
    failure: nullable(
      closed({ ...Told, step: Type.String(), detail: Type.String({ description: "What git said about it." }) }),
    ),
    notices: Type.Array(closed(Told)),
    finished_at: nullable(Timestamp),
    took_seconds: nullable(Type.Number({ minimum: 0 })),
  },
  { title: "Setup" },
);
export type Setup = Static<typeof Setup>;

export const SetRepository = closed(
  {
    address: Type.Optional(RepositoryAddress),
    keys_allowed: Type.Optional(KeysAllowed),
  },
  { title: "SetRepository", description: "Without an address, the one it has is tried again." },
);
export type SetRepository = Static<typeof SetRepository>;

export const SetupLog = closed(
  { log: Type.String({ description: "What git said, its beginning and its end." }), version: Count },
  { title: "SetupLog" },
);

const Steps = Type.Array(
  closed({
    name: Type.String(),
    runs: Type.Enum(["once", "each_start"]),
    commands: Type.Array(closed({ name: nullable(Type.String()), text: Type.String() })),
    state: nullable(Type.Enum(["running", "done", "failed", "already", "skipped", "partly", "unable"])),
    exit_code: nullable(Type.Integer()),
    started_at: nullable(Timestamp),
    ended_at: nullable(Timestamp),
  }),
  {
    description:
      "Settings and extensions of the IDE first, as far as it asks for any, beside the commands; then these, in this order. The state is what this start's log says; null: not begun. partly: some of it was done, and it is tried again at the next start. unable: the image's IDE has no way to do it.",
  },
);

/** What the repository's own devcontainer.json means for the workspace. */
export const ProjectSetup = closed(
  {
    found: Type.Boolean({ description: "Whether the repository has such a file, and it could be read." }),
    digest: nullable(
      Type.String({ description: "Of all by which it can run something, to agree to it; null: there is nothing." }),
    ),
    allowed: Type.Boolean({ description: "Whether their owner has agreed to this." }),
    steps: Steps,
    image: nullable(Type.String()),
    ports: Type.Array(closed({ port: Type.Integer(), label: nullable(Type.String()) })),
    variables: Type.Array(Type.String()),
    secrets: Type.Array(closed({ name: Type.String(), description: nullable(Type.String()) })),
    without_effect: Type.Array(Type.String(), { description: "What is understood, and not followed." }),
    notices: Type.Array(closed(Told), { description: "What of the file has no effect, or is not valid." }),
  },
  { title: "ProjectSetup" },
);
export type ProjectSetup = Static<typeof ProjectSetup>;

export const StepOutputQuery = closed({
  step: Type.String({ pattern: "^\\w{1,40}$", description: "Its name, as the project has it." }),
});

export const StepOutput = closed(
  {
    beginning: Type.String({ description: "Without colours and other signs for terminals." }),
    end: nullable(Type.String({ description: "Where something between the two is left out; null: nothing is." })),
  },
  { title: "StepOutput", description: "What a step of a project has written, as far as this start's log has it." },
);
export type StepOutput = Static<typeof StepOutput>;

export const AllowCommands = closed(
  { digest: Type.String({ maxLength: 100, description: "Of the commands that were read." }) },
  { title: "AllowCommands" },
);
