import { ApiError, type UpdateWorkspace, type Workspace } from "@codehub/contract";
import { type FormEvent, useState } from "react";
import { restart, update } from "../actions.ts";
import { localInput, ttl } from "../format/format.ts";
import { serverNow } from "../hooks/clock.ts";
import { useKept } from "../hooks/kept.ts";
import { ProblemNotice } from "../problem-notice.tsx";
import { useSession } from "../session.tsx";
import { Card, Notice, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { toast } from "../ui/toasts.tsx";
import { changesOf, type Draft, draftFrom, remaining, settingsOf } from "./settings-draft.ts";

const minute = 60;
const hour = 60 * minute;
const choices = [10 * minute, 30 * minute, hour, 3 * hour, 8 * hour, 24 * hour, 7 * 24 * hour] as const;

function TtlSelect({
  label,
  hint,
  value,
  inherited,
  onChange,
}: {
  label: string;
  hint: string;
  value: number | null;
  inherited: number;
  onChange: (value: number | null) => void;
}) {
  const options = [...new Set<number>([...choices, ...(value === null || value === 0 ? [] : [value])])].sort(
    (a, b) => a - b,
  );
  return (
    <label>
      <span className="label">{label}</span>
      <select
        className="field"
        value={value === null ? "inherit" : String(value)}
        onChange={(event) => onChange(event.target.value === "inherit" ? null : Number(event.target.value))}
      >
        <option value="inherit">Server default ({ttl(inherited)})</option>
        {options.map((seconds) => (
          <option key={seconds} value={seconds}>
            {ttl(seconds)}
          </option>
        ))}
        <option value="0">Never</option>
      </select>
      <span className="hint block">{hint}</span>
    </label>
  );
}

function KeepAwake({ workspace, save }: { workspace: Workspace; save: (body: UpdateWorkspace) => void }) {
  const until = workspace.keep_awake_until;
  const active = until !== null && new Date(until).getTime() > serverNow();
  const set = (at: number) => save({ keep_awake_until: new Date(at).toISOString() });
  return (
    <div>
      <span className="label" id="keep-awake">
        Keep awake
      </span>
      <fieldset aria-labelledby="keep-awake" className="flex flex-wrap items-center gap-2">
        {[1, 4, 12].map((hours) => (
          <button
            key={hours}
            type="button"
            className="btn btn-small"
            onClick={() => set(serverNow() + hours * hour * 1000)}
          >
            {hours} h
          </button>
        ))}
        <input
          type="datetime-local"
          aria-label="Keep awake until"
          className="field w-auto"
          value={active ? localInput(new Date(until).getTime()) : ""}
          min={localInput(serverNow())}
          onChange={(event) => {
            const at = new Date(event.target.value).getTime();
            if (!Number.isNaN(at) && at > serverNow()) set(at);
          }}
        />
        {active && (
          <button type="button" className="btn btn-quiet btn-small" onClick={() => save({ keep_awake_until: null })}>
            Let it sleep
          </button>
        )}
      </fieldset>
      <p className="hint">
        {active ? (
          <>
            Stays up for a long task; may sleep again <Time at={until} ahead />.
          </>
        ) : (
          "For a long task that nobody watches. It takes effect at once."
        )}
      </p>
    </div>
  );
}

export function SettingsCard({ workspace }: { workspace: Workspace }) {
  const { deployment, user } = useSession().session;
  const { limits } = deployment;
  const [draft, changeDraft] = useKept(user.id, `settings ${workspace.id}`, draftFrom);
  const setDraft = (typed: Draft) => changeDraft((now) => ({ ...now, ...typed }));
  const settings = settingsOf(workspace);
  const [found, setFound] = useState(() => changesOf(draft, settings) !== null);
  const shown = { ...settings, ...draft };
  const [preview, setPreview] = useState(false);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const images = [...new Set([workspace.image_ref, ...deployment.images.filter((ref) => !ref.includes("*"))])];

  const save = async (body: UpdateWorkspace): Promise<boolean> => {
    setProblem(null);
    try {
      await update(workspace.id, body);
      toast({ tone: "done", text: "Saved." });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
      return false;
    }
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const changes = changesOf(draft, settings);
    if (changes === null) {
      toast({ tone: "done", text: "Nothing was changed." });
      return;
    }
    // What was sent is the workspace's now; what was typed meanwhile is still to be saved.
    if (!(await save(changes))) return;
    changeDraft((now) => remaining(now, { ...settings, ...draft }));
    setFound(false);
  };

  return (
    <Card title="Settings">
      <form className="flex flex-col gap-5" onSubmit={(event) => void submit(event)}>
        <ProblemNotice title="It was not saved" problem={problem} />
        {found && (
          <Notice
            tone="info"
            title="Not saved yet"
            actions={
              <button
                type="button"
                className="btn btn-small"
                onClick={() => {
                  changeDraft(() => ({}));
                  setFound(false);
                }}
              >
                Discard
              </button>
            }
          >
            What you changed here before is still in the form.
          </Notice>
        )}
        <div className="grid gap-5 sm:grid-cols-2">
          <label>
            <span className="label">Name</span>
            <input
              className="field"
              required
              maxLength={100}
              value={shown.name}
              onChange={(event) => setDraft({ name: event.target.value })}
            />
          </label>
          <label>
            <span className="label">Description</span>
            <input
              className="field"
              maxLength={500}
              value={shown.description}
              onChange={(event) => setDraft({ description: event.target.value })}
            />
          </label>
          <TtlSelect
            label="To standby when idle for"
            hint="Frees CPU and memory. The home stays on disk."
            value={shown.standby_ttl_seconds}
            inherited={limits.default_standby_ttl_seconds}
            onChange={(value) => setDraft({ standby_ttl_seconds: value })}
          />
          <TtlSelect
            label="To the archive after standby of"
            hint="Frees the disk. Opening brings it back."
            value={shown.archive_ttl_seconds}
            inherited={limits.default_archive_ttl_seconds}
            onChange={(value) => setDraft({ archive_ttl_seconds: value })}
          />
          {images.length > 1 && (
            <label>
              <span className="label">Image</span>
              <select
                className="field"
                value={shown.image_ref}
                onChange={(event) => setDraft({ image_ref: event.target.value })}
              >
                {images.map((ref) => (
                  <option key={ref}>{ref}</option>
                ))}
              </select>
              <span className="hint block">Takes effect at the next start.</span>
            </label>
          )}
        </div>
        <div>
          <div className="flex items-end justify-between">
            <label className="label" htmlFor="memo">
              Memo (Markdown)
            </label>
            <button
              type="button"
              className="btn btn-quiet btn-small mb-1"
              aria-pressed={preview}
              onClick={() => setPreview(!preview)}
            >
              {preview ? "Edit" : "Preview"}
            </button>
          </div>
          {preview ? (
            <div className="min-h-28 rounded-lg border border-line p-3">
              <Markdown source={shown.memo} />
            </div>
          ) : (
            <textarea
              id="memo"
              className="field min-h-28 font-mono text-[13px]"
              maxLength={20_000}
              value={shown.memo}
              onChange={(event) => setDraft({ memo: event.target.value })}
            />
          )}
        </div>
        <div className="flex justify-end">
          <button type="submit" className="btn btn-primary">
            Save settings
          </button>
        </div>
      </form>
      <div className="mt-5 border-t border-line pt-5">
        <KeepAwake workspace={workspace} save={(body) => void save(body)} />
      </div>
    </Card>
  );
}

export function DangerCard({ workspace }: { workspace: Workspace }) {
  const deleted = workspace.deleted_at !== null;
  const running = workspace.phase === "RUNNING" && workspace.operation === "NONE";
  return (
    <Card title="More actions">
      <div className="flex flex-col gap-2 *:justify-start">
        {running && (
          <button type="button" className="btn" onClick={() => void restart(workspace.id)}>
            <Icon name="refresh" /> Restart
          </button>
        )}
        {!deleted && (
          <>
            {workspace.repository === null && (
              <button
                type="button"
                className="btn"
                onClick={() => showOverlay({ kind: "repository", workspace, again: false })}
              >
                <Icon name="download" /> Get a repository
              </button>
            )}
            <button type="button" className="btn" onClick={() => showOverlay({ kind: "logs", workspace })}>
              <Icon name="book" /> Last output
            </button>
            <button type="button" className="btn" onClick={() => showOverlay({ kind: "reset", workspace })}>
              <Icon name="undo" /> Empty the home
            </button>
            <button
              type="button"
              className="btn text-error"
              onClick={() => showOverlay({ kind: "delete", workspaces: [workspace] })}
            >
              <Icon name="trash" /> Delete
            </button>
          </>
        )}
        {deleted && !workspace.purge && (
          <button type="button" className="btn text-error" onClick={() => showOverlay({ kind: "purge", workspace })}>
            <Icon name="trash" /> Delete for good
          </button>
        )}
      </div>
    </Card>
  );
}
