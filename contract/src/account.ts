import { type Static, Type } from "typebox";
import { Count, closed, line, nullable, Timestamp, Uuid } from "./schema.ts";
import { roles } from "./values.ts";
import { AddressForm } from "./workspace.ts";

export const Role = Type.Enum([...roles], { title: "Role" });
export type Role = (typeof roles)[number];

export const User = closed(
  {
    id: Uuid,
    username: Type.String(),
    role: Role,
    disabled_at: nullable(Timestamp),
    created_at: Timestamp,
    last_login_at: nullable(Timestamp),
    must_change_password: Type.Boolean(),
    max_running: nullable({
      ...Count,
      description: "How many workspaces may run, where that is another number than for everybody.",
    }),
  },
  { title: "User" },
);
export type User = Static<typeof User>;

/** With what somebody has and uses, for administrators. */
export const UserOverview = closed(
  {
    ...User.properties,
    last_seen_at: nullable({
      ...Timestamp,
      description: "The last sign-in, use of a token or activity in a workspace, whichever was last.",
    }),
    workspaces: Type.Integer({ minimum: 0, description: "Without those in the trash." }),
    running: Type.Integer({ minimum: 0, description: "Slots held." }),
    in_trash: Count,
    home_bytes: Type.Integer({ minimum: 0, description: "Homes on disk, as large as they were when last archived." }),
    archive_bytes: Type.Integer({
      minimum: 0,
      description: "Archives as they are stored, older versions and trash too.",
    }),
    sessions: Count,
    tokens: Count,
    deleted_at: nullable({
      ...Timestamp,
      description: "Deleted users are listed while they have something in the trash.",
    }),
  },
  { title: "UserOverview" },
);
export type UserOverview = Static<typeof UserOverview>;

export const UserList = closed({ items: Type.Array(UserOverview), total: Count }, { title: "UserList" });
export type UserList = Static<typeof UserList>;

const Username = Type.String({
  minLength: 2,
  maxLength: 40,
  pattern: "^[a-z0-9][a-z0-9._-]*$",
  description: "Lower-case letters, digits, dot, dash and underscore.",
});
const NewPassword = Type.String({ minLength: 10, maxLength: 256, description: "At least 10 characters." });

export const CreateUser = closed(
  { username: Username, password: Type.Optional(NewPassword), role: Type.Optional(Role) },
  { title: "CreateUser" },
);
export type CreateUser = Static<typeof CreateUser>;

/** `password` is there only when the server generated it, and only in this one answer. */
export const UserWithPassword = closed(
  { user: User, password: nullable(Type.String()) },
  { title: "UserWithPassword" },
);
export type UserWithPassword = Static<typeof UserWithPassword>;

export const UpdateUser = closed(
  {
    disabled: Type.Optional(Type.Boolean()),
    role: Type.Optional(Role),
    max_running: Type.Optional(
      nullable(Type.Integer({ minimum: 0, maximum: 10_000, description: "Null: as many as everybody." })),
    ),
  },
  { title: "UpdateUser", minProperties: 1 },
);
export type UpdateUser = Static<typeof UpdateUser>;

export const DeleteUserQuery = closed({
  confirm: Type.String({ minLength: 1, maxLength: 100, description: "The user's name, exactly." }),
  give_to: Type.Optional({ ...Uuid, description: "Who gets the workspaces. Without it they go to the trash." }),
});
export type DeleteUserQuery = Static<typeof DeleteUserQuery>;

export const GiveLeft = closed({ user_id: { ...Uuid, description: "Who gets it." } }, { title: "GiveLeft" });
export type GiveLeft = Static<typeof GiveLeft>;

/** How many workspaces are somebody else's now. */
export const Given = closed({ given: Count }, { title: "Given" });
export type Given = Static<typeof Given>;

export const ResetPassword = closed({ password: Type.Optional(NewPassword) }, { title: "ResetPassword" });
export type ResetPassword = Static<typeof ResetPassword>;

export const Login = closed(
  {
    username: Type.String({ minLength: 1, maxLength: 100 }),
    password: Type.String({ minLength: 1, maxLength: 256 }),
  },
  { title: "Login" },
);
export type Login = Static<typeof Login>;

export const Logout = closed(
  { everywhere: Type.Optional(Type.Boolean({ default: false, description: "End every session of this user." })) },
  { title: "Logout" },
);
export type Logout = Static<typeof Logout>;

export const ChangePassword = closed(
  {
    current_password: Type.String({ minLength: 1, maxLength: 256 }),
    new_password: NewPassword,
    keep_tokens: Type.Optional(
      Type.Boolean({ default: false, description: "API tokens go on working; otherwise they end." }),
    ),
  },
  { title: "ChangePassword" },
);
export type ChangePassword = Static<typeof ChangePassword>;

export const Limits = closed(
  {
    max_running_per_user: Count,
    max_running_global: Count,
    default_standby_ttl_seconds: Count,
    default_archive_ttl_seconds: Count,
    trash_retention_seconds: Count,
    home_sizes: nullable(closed({ new_bytes: Count, owner_max_bytes: Count })),
  },
  { title: "Limits" },
);
export type Limits = Static<typeof Limits>;

/** What every signed-in page needs to know of the deployment. */
export const Lack = Type.Enum(["user_name", "home_path", "memory_files"]);
export type Lack = Static<typeof Lack>;

export const Deployment = closed(
  {
    version: Type.String(),
    runtime: Type.Enum(["process", "docker", "kubernetes"]),
    trusted_single_user: Type.Boolean({
      description: "Workspaces are plain processes: only people who trust each other may share this server.",
    }),
    // Left out by servers that do not know of it yet, which one beside this one may be.
    lacks: Type.Optional(Type.Array(Lack, { description: "What workspaces have elsewhere and not on this machine." })),
    workspace_base_url: Type.String({ description: "Address of a workspace, with {id} in place of its id." }),
    unsafe_single_origin: Type.Boolean(),
    new_address: AddressForm,
    default_image: Type.String(),
    images: Type.Array(Type.String(), { description: "Images a workspace may use." }),
    limits: Limits,
  },
  { title: "Deployment" },
);
export type Deployment = Static<typeof Deployment>;

export const Session = closed(
  {
    user: User,
    expires_at: nullable(Timestamp),
    via: Type.Enum(["cookie", "token"]),
    deployment: Deployment,
    server_time: Timestamp,
  },
  { title: "Session" },
);
export type Session = Static<typeof Session>;

export const Token = closed(
  {
    id: Uuid,
    name: Type.String(),
    created_at: Timestamp,
    last_used_at: nullable(Timestamp),
    expires_at: nullable(Timestamp),
  },
  { title: "Token" },
);
export type Token = Static<typeof Token>;

export const TokenList = closed({ items: Type.Array(Token) }, { title: "TokenList" });
export type TokenList = Static<typeof TokenList>;

export const UserSession = closed(
  {
    id: Uuid,
    created_at: Timestamp,
    expires_at: Timestamp,
    address: nullable(Type.String({ description: "Where it was begun." })),
    user_agent: nullable(Type.String()),
  },
  { title: "UserSession" },
);
export type UserSession = Static<typeof UserSession>;

/** By what somebody gets in now; the newest first. */
export const UserAccess = closed(
  { sessions: Type.Array(UserSession), tokens: Type.Array(Token) },
  { title: "UserAccess" },
);
export type UserAccess = Static<typeof UserAccess>;

export const CreateToken = closed(
  {
    name: line(60),
    expires_in_seconds: Type.Optional(nullable(Type.Integer({ minimum: 60, maximum: 315_360_000 }))),
  },
  { title: "CreateToken" },
);
export type CreateToken = Static<typeof CreateToken>;

/** The secret is shown in this one answer and stored only as a hash. */
export const NewToken = closed({ token: Token, secret: Type.String() }, { title: "NewToken" });
export type NewToken = Static<typeof NewToken>;
