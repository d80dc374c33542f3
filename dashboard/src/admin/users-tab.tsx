import { ApiError, type Role, type UserOverview, type UserWithPassword } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { report } from "../actions.ts";
import { api } from "../api.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Card, Empty, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { type Question, showOverlay } from "../ui/overlay.ts";
import { SecretBox } from "../ui/secret-box.tsx";
import { toast } from "../ui/toasts.tsx";
import { disableWords, resetWords } from "../words/question-words.ts";
import { userUse } from "../words/user-words.ts";

function NewUser({ onCreated }: { onCreated: (created: UserWithPassword) => void }) {
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("user");
  const [problem, setProblem] = useState<ApiError | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    try {
      onCreated(await api.createUser({ body: { username, role } }));
      setUsername("");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <Card title="New user">
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="The user was not created" problem={problem} />
        <label>
          <span className="label">Username</span>
          <input
            className="field"
            required
            minLength={2}
            maxLength={40}
            pattern="[a-z0-9][a-z0-9._\-]*"
            title="Lower-case letters, digits, dot, dash and underscore"
            autoCapitalize="none"
            autoComplete="off"
            value={username}
            onChange={(event) => setUsername(event.target.value)}
          />
        </label>
        <label>
          <span className="label">Role</span>
          <select
            className="field"
            value={role}
            onChange={(event) => setRole(event.target.value === "admin" ? "admin" : "user")}
          >
            <option value="user">User</option>
            <option value="admin">Administrator</option>
          </select>
        </label>
        <p className="text-[13px] text-ink-3">
          A password is generated and shown once. They choose their own afterwards.
        </p>
        <button type="submit" className="btn btn-primary">
          <Icon name="plus" /> Create user
        </button>
      </form>
    </Card>
  );
}

function UserRow({
  user,
  others,
  self,
  onChanged,
  onPassword,
}: {
  user: UserOverview;
  others: readonly UserOverview[];
  self: boolean;
  onChanged: () => void;
  onPassword: (created: UserWithPassword) => void;
}) {
  const change = async (body: { disabled?: boolean; role?: Role }, done: string) => {
    try {
      await api.updateUser({ params: { id: user.id }, body });
      toast({ tone: "done", text: done });
    } finally {
      onChanged();
    }
  };
  const disable = () =>
    change({ disabled: true }, `${user.username} is signed out everywhere and their workspaces go to standby.`);
  const reset = async () => onPassword(await api.resetUserPassword({ params: { id: user.id }, body: {} }));
  const ask = (question: Question) => showOverlay({ kind: "confirm", question });
  const disabled = user.disabled_at !== null;
  const other = user.role === "admin" ? "user" : "admin";
  const access: MenuItem = {
    label: "Sessions and tokens",
    icon: "shield",
    run: () => showOverlay({ kind: "access", user, onChanged }),
  };
  const limit: MenuItem = {
    label: "Limit",
    icon: "gauge",
    run: () => showOverlay({ kind: "user_limit", user, onChanged }),
  };
  const giveLeft: MenuItem = {
    label: "Give to somebody",
    icon: "undo",
    run: () => showOverlay({ kind: "give_left", user, others, onChanged }),
  };
  const items: MenuItem[] = [
    access,
    limit,
    { label: "Reset password", icon: "key", run: () => ask({ ...resetWords(user.username), run: reset }) },
    {
      label: other === "admin" ? "Change to administrator" : "Change to ordinary user",
      icon: "shield",
      run: () =>
        void change(
          { role: other },
          `${user.username} is now ${other === "admin" ? "an administrator" : "a user"}.`,
        ).catch(report),
    },
    disabled
      ? {
          label: "Enable",
          icon: "check",
          run: () => void change({ disabled: false }, `${user.username} may sign in again.`).catch(report),
        }
      : {
          label: "Disable",
          icon: "close",
          danger: true,
          run: () => ask({ ...disableWords(user.username), run: disable }),
        },
    {
      label: "Delete",
      icon: "trash",
      danger: true,
      run: () => showOverlay({ kind: "delete_user", user, others, onChanged }),
    },
  ];
  return (
    <li className="flex items-center gap-3 px-5 py-3.5">
      <span
        aria-hidden="true"
        className="grid size-9 shrink-0 place-items-center rounded-full bg-accent-soft text-[13px] font-semibold text-accent uppercase before:content-[attr(data-initials)]"
        data-initials={user.username.slice(0, 2)}
      />
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-semibold">
          {user.username}
          {self && <span className="font-normal text-ink-3"> (you)</span>}
        </p>
        <p className="text-[13px] text-ink-3">
          {user.role === "admin" ? "Administrator" : "User"} ·{" "}
          {user.last_seen_at === null ? (
            "never seen"
          ) : (
            <>
              seen <Time at={user.last_seen_at} />
            </>
          )}
          {disabled && (
            <>
              {" "}
              · <strong className="text-error">{user.deleted_at === null ? "disabled" : "deleted"}</strong>
            </>
          )}
        </p>
        <p className="text-[13px] text-ink-3 tabular-nums">{userUse(user)}</p>
      </div>
      <Menu
        label={`More for ${user.username}`}
        items={user.deleted_at !== null ? [giveLeft] : self ? [access, limit] : items}
      >
        <Icon name="more" />
      </Menu>
    </li>
  );
}

export function UsersTab() {
  const { session } = useSession();
  const users = useQuery("users", () => api.listUsers());
  const [created, setCreated] = useState<UserWithPassword | null>(null);
  const [search, setSearch] = useState("");
  const receivers = (users.data?.items ?? []).filter(({ disabled_at }) => disabled_at === null);
  const found = (users.data?.items ?? []).filter(({ username }) => username.includes(search.trim().toLowerCase()));
  const show = (result: UserWithPassword) => {
    setCreated(result);
    users.reload();
  };
  return (
    <div className="grid items-start gap-5 lg:grid-cols-3">
      <div className="lg:col-span-2">
        {created?.password != null && (
          <SecretBox
            title={`The password of ${created.user.username}`}
            secret={created.password}
            onClose={() => setCreated(null)}
          />
        )}
        <NotThere query={users} title="The users cannot be loaded" loading="Loading users" />
        {users.data !== null && (
          <input
            type="search"
            aria-label="Search users"
            placeholder="Search users"
            className="field mb-4 sm:w-80"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        )}
        {users.data !== null && found.length === 0 && (
          <Empty icon="search" title="Nothing found">
            No user has this in their name.
          </Empty>
        )}
        {found.length > 0 && (
          <ul className="card divide-y divide-line" aria-label="Users">
            {found.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                others={receivers.filter(({ id }) => id !== user.id)}
                self={user.id === session.user.id}
                onChanged={users.reload}
                onPassword={show}
              />
            ))}
          </ul>
        )}
      </div>
      <NewUser onCreated={show} />
    </div>
  );
}
