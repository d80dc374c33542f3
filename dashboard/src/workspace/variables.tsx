import { ApiError, type Variable } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { report } from "../actions.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { toast } from "../ui/toasts.tsx";
import { CannotBeOpened } from "./cannot-be-opened.tsx";

export interface NewVariable {
  readonly name: string;
  readonly value: string;
  readonly is_secret: boolean;
  readonly repositories: string[] | null;
}

function VariableRow({ variable, onDelete }: { variable: Variable; onDelete: () => Promise<unknown> }) {
  const { name, is_secret: isSecret, repositories } = variable;
  const remove = async () => {
    try {
      await onDelete();
      toast({ tone: "done", text: `${name} is deleted.` });
    } catch (error) {
      report(error);
    }
  };
  return (
    <li className="flex items-center gap-3 py-3">
      <div className="min-w-0 flex-1 text-sm">
        <p className="truncate font-mono">{name}</p>
        <p className="text-[13px] wrap-anywhere text-ink-3">
          {isSecret ? "secret" : "variable"} · saved <Time at={variable.changed_at} />
          {repositories !== null && <> · only for {repositories.join(", ")}</>}
        </p>
        {!variable.can_be_opened && <CannotBeOpened cure="Save it again" />}
      </div>
      <button
        type="button"
        className="btn btn-small text-error"
        aria-label={`Delete ${name}`}
        onClick={() => void remove()}
      >
        Delete
      </button>
    </li>
  );
}

const nothing = { name: "", value: "", isSecret: true, repositories: "" };

/** Names and dates, and a way to save another. A value that was saved is never seen again, so that there is none to show. */
export function Variables({
  items,
  bindable,
  onPut,
  onDelete,
}: {
  items: readonly Variable[];
  /** Whether they can be for certain repositories only. */
  bindable: boolean;
  onPut: (variable: NewVariable) => Promise<unknown>;
  onDelete: (id: string) => Promise<unknown>;
}) {
  const [draft, setDraft] = useState(nothing);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const set = (change: Partial<typeof nothing>) => setDraft({ ...draft, ...change });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const repositories = draft.repositories.split(/[\s,]+/).filter((text) => text !== "");
    try {
      await onPut({
        name: draft.name.trim(),
        value: draft.value,
        is_secret: draft.isSecret,
        repositories: repositories.length === 0 ? null : repositories,
      });
      toast({ tone: "done", text: `${draft.name.trim()} is saved.` });
      setDraft(nothing);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <>
      <form className="flex flex-col gap-3" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not saved" problem={problem} />
        <div className="grid gap-3 sm:grid-cols-2">
          <label>
            <span className="label">Name</span>
            <input
              className="field font-mono"
              required
              maxLength={100}
              pattern="[A-Za-z_][A-Za-z0-9_]*"
              title="Letters, digits and underscores"
              placeholder="NPM_TOKEN"
              autoComplete="off"
              spellCheck={false}
              value={draft.name}
              onChange={(event) => set({ name: event.target.value })}
            />
          </label>
          <label>
            <span className="label">Value</span>
            <input
              className="field font-mono"
              type={draft.isSecret ? "password" : "text"}
              autoComplete="off"
              spellCheck={false}
              value={draft.value}
              onChange={(event) => set({ value: event.target.value })}
            />
          </label>
        </div>
        {bindable && (
          <label>
            <span className="label">Only for these repositories (optional)</span>
            <input
              className="field"
              placeholder="github.com/team/service"
              autoComplete="off"
              spellCheck={false}
              value={draft.repositories}
              onChange={(event) => set({ repositories: event.target.value })}
            />
          </label>
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={draft.isSecret}
              onChange={(event) => set({ isSecret: event.target.checked })}
            />
            Secret: left out where you leave your keys out
          </label>
          <button type="submit" className="btn btn-primary">
            <Icon name="plus" /> Save
          </button>
        </div>
      </form>
      <ul className="mt-3 divide-y divide-line">
        {items.map((variable) => (
          <VariableRow key={variable.id} variable={variable} onDelete={() => onDelete(variable.id)} />
        ))}
      </ul>
    </>
  );
}
