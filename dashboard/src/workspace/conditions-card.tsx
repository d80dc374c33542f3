import { type Condition, catalogue, conditionText, type Workspace } from "@codehub/contract";
import { Card, LongText, Time } from "../ui/basics.tsx";
import { localVoice } from "../words/voice.ts";

/** A light is green or grey by what is wanted of it: no container is nothing bad, an unhealthy workspace is. */
function light(key: string, condition: Condition): { dot: string; word: string } {
  if (condition.unknown_since !== undefined) return { dot: "bg-standby", word: "Unknown" };
  if (condition.status) return { dot: "bg-running", word: "Yes" };
  return key === "policy.healthy" ? { dot: "bg-error", word: "No" } : { dot: "bg-pending", word: "No" };
}

export function ConditionsCard({ workspace }: { workspace: Workspace }) {
  const known = Object.keys(catalogue.conditions);
  // Those this page does not know come last: new conditions need no new dashboard.
  const place = (key: string) => (known.includes(key) ? known.indexOf(key) : known.length);
  const entries = Object.entries(workspace.conditions).sort(([a], [b]) => place(a) - place(b));
  return (
    <Card
      title="Conditions"
      aside={
        workspace.observed_at === null ? undefined : (
          <span className="text-[13px] text-ink-3">
            seen <Time at={workspace.observed_at} />
          </span>
        )
      }
    >
      {entries.length === 0 ? (
        <p className="text-sm text-ink-2">Nothing was observed yet.</p>
      ) : (
        <ul className="flex flex-col gap-3.5">
          {entries.map(([key, condition]) => {
            const { dot, word } = light(key, condition);
            const text = conditionText(key, condition, localVoice);
            return (
              <li key={key} className="flex gap-3">
                <span aria-hidden="true" className={`mt-1.5 size-2.5 shrink-0 rounded-full ${dot}`} />
                <div className="min-w-0 flex-1 text-sm">
                  <p className="flex justify-between gap-3">
                    <span className="font-medium" title={key}>
                      {catalogue.conditions[key] ?? key}
                    </span>
                    <span className="text-ink-2">{word}</span>
                  </p>
                  <p className="text-[13px] text-ink-3 wrap-anywhere">
                    {condition.reason} · <Time at={condition.unknown_since ?? condition.last_transition_time} />
                  </p>
                  {text !== "" && (
                    <div className="text-[13px] text-ink-3">
                      <LongText text={text} />
                    </div>
                  )}
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
