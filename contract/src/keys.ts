import { type Static, Type } from "typebox";
import { Count, closed, line, nullable, Timestamp, Uuid } from "./schema.ts";
import { RepositoryAddress } from "./setup.ts";

/** What people keep for their workspaces. Values go in and never come out: answers have names and dates. */

const Email = Type.String({ maxLength: 200, pattern: "^[^\\s@<>\\u0000-\\u0020]+@[^\\s@<>\\u0000-\\u0020]+$" });
const DotfilesAddress = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "An address of a repository as people paste it, without a password in it.",
});

/** Not secret: who somebody is to git, and a repository of settings for shells and tools. */
export const KeySettings = closed(
  {
    git_name: nullable(line(100)),
    git_email: nullable(Email),
    dotfiles_address: nullable(DotfilesAddress),
    dotfiles_command: nullable(
      line(500, { description: "Run in the dotfiles once they are there; needs dotfiles_address." }),
    ),
  },
  { title: "KeySettings" },
);
export type KeySettings = Static<typeof KeySettings>;

const CanBeOpened = Type.Boolean({
  description: "False: the server has lost the key that sealed it. Workspaces start without it; save it again.",
});

export const SshKey = closed(
  {
    public_key: Type.String({ description: "To be copied to where you push." }),
    changed_at: Timestamp,
    can_be_opened: CanBeOpened,
  },
  { title: "SshKey" },
);
export type SshKey = Static<typeof SshKey>;

export const Credential = closed(
  {
    ...{ id: Uuid, host: Type.String(), username: Type.String(), changed_at: Timestamp },
    can_be_opened: CanBeOpened,
  },
  { title: "Credential" },
);
export type Credential = Static<typeof Credential>;

export const PutCredential = closed(
  {
    host: Type.String({
      maxLength: 260,
      pattern: "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$",
      description: "Exactly as in the address, with the port where there is one. Only https is ever answered.",
    }),
    username: line(200),
    password: Type.String({
      minLength: 1,
      maxLength: 10_000,
      pattern: "^[^\\u0000\\r\\n]*$",
      description: "A password or a token. Never answered.",
    }),
  },
  { title: "PutCredential" },
);
export type PutCredential = Static<typeof PutCredential>;

export const Variable = closed(
  {
    id: Uuid,
    name: Type.String(),
    is_secret: Type.Boolean(),
    repositories: nullable(Type.Array(Type.String())),
    size_bytes: Count,
    changed_at: Timestamp,
    can_be_opened: CanBeOpened,
  },
  { title: "Variable" },
);
export type Variable = Static<typeof Variable>;

const VariableName = Type.String({
  maxLength: 100,
  pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
  description: "Letters, digits and underscores. Names that workspaces themselves need are refused.",
});
const VariableValue = Type.String({
  maxLength: 49_152,
  pattern: "^[^\\u0000]*$",
  description: "At most 48 KB. Never answered.",
});

export const PutWorkspaceVariable = closed(
  {
    name: VariableName,
    value: VariableValue,
    is_secret: Type.Boolean({ description: "A secret stays away where the keys are left out." }),
  },
  { title: "PutWorkspaceVariable" },
);
export type PutWorkspaceVariable = Static<typeof PutWorkspaceVariable>;

export const PutVariable = closed(
  {
    name: VariableName,
    value: VariableValue,
    is_secret: Type.Boolean({ description: "A secret stays away where the keys are left out." }),
    repositories: Type.Optional(
      nullable(
        Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), {
          minItems: 1,
          maxItems: 50,
          description: "Only workspaces with one of these repositories get it; null: all do.",
        }),
      ),
    ),
  },
  { title: "PutVariable" },
);
export type PutVariable = Static<typeof PutVariable>;

export const VariableList = closed({ items: Type.Array(Variable) }, { title: "VariableList" });
export type VariableList = Static<typeof VariableList>;

export const KeyList = closed(
  {
    settings: KeySettings,
    ssh_key: nullable(SshKey),
    credentials: Type.Array(Credential),
    variables: Type.Array(Variable),
  },
  { title: "KeyList" },
);
export type KeyList = Static<typeof KeyList>;

export const TestKey = closed(
  {
    credential_id: nullable(Uuid),
    address: RepositoryAddress,
  },
  {
    title: "TestKey",
    description:
      "Without a credential the SSH key is tried. The address is of a repository that wants it: https on the credential's own host, or any with ssh.",
  },
);
export type TestKey = Static<typeof TestKey>;

export const KeyTest = closed(
  {
    id: Uuid,
    host: Type.String(),
    state: Type.Enum(["waiting", "running", "done"]),
    asked_at: Timestamp,
    finished_at: nullable(Timestamp),
    result: nullable(
      closed({
        works: Type.Boolean(),
        code: Type.String(),
        fields: Type.Record(Type.String(), Type.Unknown()),
        message: Type.String({ description: "The same for people." }),
      }),
    ),
  },
  { title: "KeyTest" },
);
export type KeyTest = Static<typeof KeyTest>;
