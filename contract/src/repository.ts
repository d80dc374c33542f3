import { type Static, Type } from "typebox";
import { closed, nullable, Uuid } from "./schema.ts";

export const InspectRepository = closed(
  {
    address: Type.String({
      maxLength: 4096,
      description:
        "As people paste it: an https or ssh address, a link to a branch, commit or pull request, a git clone line.",
    }),
  },
  { title: "InspectRepository" },
);
export type InspectRepository = Static<typeof InspectRepository>;

export const RepositoryRef = Type.Union(
  [
    closed({ kind: Type.Literal("branch_or_tag"), name: Type.String() }),
    closed({ kind: Type.Literal("commit"), id: Type.String() }),
    closed({ kind: Type.Literal("path"), path: Type.String() }),
    closed({ kind: Type.Literal("pull"), ref: Type.String(), branch: Type.String() }),
  ],
  {
    title: "RepositoryRef",
    description:
      "What is checked out. path: a branch or tag and a folder in it, which only the repository can tell apart. pull: " +
      "the ref of a pull or merge request, and the name of the local branch.",
  },
);
export type RepositoryRef = Static<typeof RepositoryRef>;

export const Repository = closed(
  {
    clone_url: Type.String({ description: "What git is given." }),
    host: Type.String({ description: "With the port where it is not the usual one." }),
    key: Type.String({ description: "The same for every address of one repository at one host." }),
    ref: nullable(RepositoryRef),
    folder: Type.String({ description: "Below the home." }),
    already_open: Type.Array(closed({ id: Uuid, name: Type.String() }), {
      description: "Workspaces of the caller that have this repository already.",
    }),
  },
  { title: "Repository" },
);
export type Repository = Static<typeof Repository>;
