import {
  actorText,
  blockerRemedy,
  blockerText,
  catalogue,
  type Explain,
  type HistoryEvent,
  reasonText,
  span,
  type Workspace,
} from "@codehub/contract";
import { api } from "../api.ts";
import { useNow } from "../hooks/clock.ts";
import { useQuery } from "../hooks/use-query.ts";
import { NotThere } from "../not-there.tsx";
import { Card, LongText, Notice, Progress, Time } from "../ui/basics.tsx";
import { Icon } from "../ui/icons.tsx";
import { nextWords, progressWords, shareOf, waitingWords } from "../words/next-words.ts";
import { countdownVoice, localVoice } from "../words/voice.ts";
import { currentStep, phaseLook } from "../words/words.ts";
import { Rail } from "./rail.tsx";

/** What a start waits for and since when; below it what the engine says, as it says it. */
function Waits({ workspace }: { workspace: Workspace }) {
  const waiting = workspace.progress?.waiting;
  if (waiting === undefined) return null;
  return (
    <div className="mb-1 text-sm">
      <p>
        {waitingWords(workspace)}, since <Time at={waiting.since} />.
      </p>
      {waiting.detail !== "" && (
        <p className="mt-1 border-l-2 border-line-strong pl-2 text-[13px] text-ink-2 wrap-anywhere">{waiting.detail}</p>
      )}
    </div>
  );
}

function OperationSteps({ workspace, path }: { workspace: Workspace; path: Explain["path"] }) {
  const now = useNow(1000);
  if (workspace.operation === "NONE") return null;
  const words = catalogue.operations[workspace.operation];
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
      <Waits workspace={workspace} />
      <p className="min-h-5 text-[13px] text-ink-2 tabular-nums">{progressWords(workspace, "page")}</p>
      <ol className="mt-2 flex flex-col gap-1.5 text-sm">
        {words.steps.map((step, index) => {
          const done = at !== null && index < at;
          const current = at === index;
          return (
            <li
              key={step}
              aria-current={current ? "step" : undefined}
              className={`flex items-center gap-2.5 ${current ? "font-medium text-ink" : "text-ink-2"}`}
            >
              <span
                aria-hidden="true"
                className={`grid size-4 place-items-center rounded-full ${done ? "bg-running text-surface" : current ? "animate-breathe bg-accent-fill" : "border border-line-strong"}`}
              >
                {done && <Icon name="check" className="size-3" />}
              </span>
              {step}
            </li>
          );
        })}
        {after.map(({ operation }) =>
          operation === "NONE" ? null : (
            <li key={operation} className="flex items-center gap-2.5 text-ink-3">
              <span aria-hidden="true" className="size-4 rounded-full border border-dashed border-line-strong" />
              Then: {catalogue.operations[operation].noun.toLowerCase()}
            </li>
          ),
        )}
      </ol>
    </div>
  );
}

const Why = ({ explain }: { explain: Explain }) => (
  <>
    {phaseLook[explain.phase].word} since <Time at={explain.reason.since} />:{" "}
    <LongText text={reasonText(explain, localVoice)} />
  </>
);

const Requested = ({ line }: { line: HistoryEvent }) => (
  <>
    By {line.actor.username === null && "the "}
    {actorText(line.actor)} <Time at={line.at} />.
  </>
);

export function LifecycleCard({ workspace }: { workspace: Workspace }) {
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
              <NotThere small query={explain} title="Not known just now" loading="Looking why" />
            ) : (
              <Why explain={explain.data} />
            )}
          </dd>
        </div>
        <div>
          <dt className="eyebrow">Requested</dt>
          <dd className="mt-1 text-ink-2">
            To be {catalogue.states[workspace.desired_state]}.{" "}
            {explain.data?.requested != null && <Requested line={explain.data.requested} />}
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
            <Notice
              key={`${blocker.code} ${blocker.since ?? ""}`}
              tone="warning"
              title={blockerText(blocker, countdownVoice(now))}
            >
              {blockerRemedy(blocker)}
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
}
