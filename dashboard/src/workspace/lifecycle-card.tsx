import type { Explain, Workspace } from "@codehub/contract";
import { api, problemText } from "../api.ts";
import { span } from "../format/format.ts";
import { useNow } from "../hooks/clock.ts";
import { useQuery } from "../hooks/use-query.ts";
import { Card, LongText, Notice, Progress, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { localTimes } from "../words/event-words.ts";
import { nextWords, progressWords, shareOf } from "../words/next-words.ts";
import { operationWords, phaseLook, wishWords } from "../words/words.ts";
import { Rail } from "./rail.tsx";

/** Which step of the operation is under way: the job says it, or nobody can tell and none is claimed. */
const currentStep = (workspace: Workspace): number | null => {
  if (workspace.operation === "NONE") return null;
  const stage = workspace.progress?.stage;
  if (stage === undefined) return null;
  const index = operationWords[workspace.operation].steps.findIndex((step) => step.stage === stage);
  return index === -1 ? null : index;
};

const OperationSteps = ({ workspace, path }: { workspace: Workspace; path: Explain["path"] }) => {
  const now = useNow(1000);
  if (workspace.operation === "NONE") return null;
  const words = operationWords[workspace.operation];
  const at = currentStep(workspace);
  const after = path.filter(({ operation }) => operation !== workspace.operation && operation !== "NONE");
  return (
    <div className="mt-5 rounded-xl bg-sunken p-4">
      <div className="flex items-baseline justify-between gap-3">
        <p className="text-sm font-semibold">{words.doing}</p>
        {workspace.op_started_at !== null && (
          <p className="text-[13px] text-ink-3 tabular-nums">
            for {span(Math.max(0, now - new Date(workspace.op_started_at).getTime()))}
          </p>
        )}
      </div>
      <Progress label={words.doing} share={shareOf(workspace)} className="my-2.5" />
      <p className="min-h-5 text-[13px] text-ink-2 tabular-nums">{progressWords(workspace, "page")}</p>
      <ol className="mt-2 flex flex-col gap-1.5 text-sm">
        {words.steps.map((step, index) => {
          const done = at !== null && index < at;
          const current = at === index;
          return (
            <li
              key={step.text}
              aria-current={current ? "step" : undefined}
              className={`flex items-center gap-2.5 ${current ? "font-medium text-ink" : "text-ink-2"}`}
            >
              <span
                aria-hidden="true"
                className={`grid size-4 place-items-center rounded-full ${done ? "bg-running text-surface" : current ? "animate-breathe bg-accent-fill" : "border border-line-strong"}`}
              >
                {done && <Icon name="check" className="size-3" />}
              </span>
              {step.text}
            </li>
          );
        })}
        {after.map(({ operation }) =>
          operation === "NONE" ? null : (
            <li key={operation} className="flex items-center gap-2.5 text-ink-3">
              <span aria-hidden="true" className="size-4 rounded-full border border-dashed border-line-strong" />
              Then: {operationWords[operation].noun.toLowerCase()}
            </li>
          ),
        )}
      </ol>
    </div>
  );
};

/** The server's sentence begins with the phase and a clock time; here both are said in the user's words and zone. */
const Why = ({ text, workspace }: { text: string; workspace: Workspace }) => {
  const reason = /^[A-Z]+ since .*?: (?=[a-zA-Z])(.*)$/s.exec(text)?.[1];
  if (reason === undefined) return localTimes(text);
  return (
    <>
      {phaseLook[workspace.phase].word} since <Time at={workspace.phase_changed_at} />:{" "}
      <LongText text={localTimes(reason)} />
    </>
  );
};

const Wish = ({ text }: { text: string }) => {
  const parts = /^[A-Z]+ is wished by (.+) since (\d{4}-\S+Z): (.*)$/s.exec(text);
  if (parts?.[1] === undefined || parts[2] === undefined) return null;
  return (
    <>
      {parts[1] === "ttl" ? "The idle timer" : parts[1]} asked for it <Time at={parts[2]} />.
    </>
  );
};

export const LifecycleCard = ({ workspace }: { workspace: Workspace }) => {
  const now = useNow(1000);
  const explain = useQuery(`explain ${workspace.id}`, () => api.explainWorkspace({ params: { id: workspace.id } }), {
    refreshOn: workspace.version,
  });
  const next = nextWords(workspace, now);
  // The error itself is told above, with what to do; here is what else is in the way.
  const blockers = (explain.data?.blockers ?? []).filter(({ code }) => code !== workspace.error?.reason);
  return (
    <Card title="Lifecycle">
      <Rail workspace={workspace} path={explain.data?.path ?? []} />
      <OperationSteps workspace={workspace} path={explain.data?.path ?? []} />
      <dl className="mt-5 grid gap-4 text-sm sm:grid-cols-3">
        <div>
          <dt className="eyebrow">Why</dt>
          <dd className="mt-1 text-ink-2">
            {explain.data === null ? (
              explain.error === null ? (
                "…"
              ) : (
                problemText(explain.error)
              )
            ) : (
              <Why text={explain.data.why} workspace={workspace} />
            )}
          </dd>
        </div>
        <div>
          <dt className="eyebrow">Wish</dt>
          <dd className="mt-1 text-ink-2">
            To be {wishWords[workspace.desired_state]}. {explain.data !== null && <Wish text={explain.data.wish} />}
          </dd>
        </div>
        <div>
          <dt className="eyebrow">Next</dt>
          <dd className="mt-1 text-ink-2">{next === "" ? "Nothing is planned." : next}</dd>
        </div>
      </dl>
      {blockers.length > 0 && (
        <div className="mt-4 flex flex-col gap-2">
          {blockers.map((blocker) => (
            <Notice key={`${blocker.code} ${blocker.since ?? ""}`} tone="warning" title={localTimes(blocker.message)}>
              {blocker.what_to_do}
              {blocker.since !== null && (
                <>
                  {" "}
                  Since <Time at={blocker.since} />.
                </>
              )}
            </Notice>
          ))}
        </div>
      )}
    </Card>
  );
};
