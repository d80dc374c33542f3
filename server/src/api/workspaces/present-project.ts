import type { ProjectSetup } from "@codehub/contract";
import { projectNoticeText, utcVoice } from "@codehub/contract/words";
import { isoTime } from "#core/rows/iso-time.ts";
import type { Ms } from "#core/rows/workspace.ts";
import type { SetupProgress, StepProgress } from "#core/setup/markers.ts";
import type { Notice, PlannedStep, SetupPlan } from "#core/setup/plan.ts";
import type { KeptSetup } from "#ports/store.ts";

const NOTHING: ProjectSetup = {
  ...{ found: false, digest: null, allowed: false, steps: [], image: null, ports: [], variables: [] },
  ...{ secrets: [], without_effect: [], notices: [] },
};

/** What a repository's own set-up file means, and how far its commands are in the container that runs now. */
export function presentProject(
  kept: (KeptSetup & { readonly allowed: boolean }) | null,
  progress: SetupProgress,
  now: Ms,
): ProjectSetup {
  const read = kept?.plan ?? null;
  const told = ({ code, fields }: Notice) => ({
    code,
    fields,
    message: projectNoticeText(code, fields, utcVoice(now)),
  });
  if (read === null) return NOTHING;
  if (!read.ok) return { ...NOTHING, notices: read.errors.map(told) };
  const { plan } = read;
  return {
    found: true,
    ...{ digest: plan.digest, allowed: kept?.allowed === true, image: plan.image },
    steps: shownSteps(plan).map((step) => ({
      ...step,
      ...presentProgress(progress.steps.find(({ name }) => name === step.name)),
    })),
    ports: plan.ports.map(({ port, label }) => ({ port, label })),
    variables: plan.environment.map(({ name }) => name),
    secrets: plan.secrets.map(({ name, description }) => ({ name, description })),
    without_effect: withoutEffect(plan),
    notices: plan.notices.map(told),
  };
}

const USUAL_WAIT = "updateContent";

/** What is understood and not followed yet: nothing of the file is passed over in silence. */
const withoutEffect = ({ openFiles, waitFor, size }: SetupPlan): string[] => [
  ...openFiles.map((file) => `openFiles: ${file}`),
  ...(waitFor === USUAL_WAIT ? [] : [`waitFor: ${waitFor}`]),
  ...(size.storageBytes === null ? [] : ["hostRequirements: storage"]),
];

type ShownStep = ProjectSetup["steps"][number];

/** All that somebody agrees to who agrees to this plan, word by word. */
const shownSteps = (plan: SetupPlan): readonly Pick<ShownStep, "name" | "runs" | "commands">[] => [
  ...inIde(
    "settings",
    Object.entries(plan.settings).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`),
  ),
  ...inIde("extensions", plan.extensions),
  ...plan.steps.map(({ name, runs, commands }) => ({ ...{ name, runs }, commands: commands.map(presentCommand) })),
];

const inIde = (name: string, texts: readonly string[]) =>
  texts.length === 0 ? [] : [{ name, runs: "once" as const, commands: texts.map((text) => ({ name: null, text })) }];

const presentCommand = ({ name, command }: PlannedStep["commands"][number]): ShownStep["commands"][number] => ({
  name,
  text: command.kind === "shell" ? command.text : command.args.map(plainWord).join(" "),
});

const presentProgress = (
  seen: StepProgress | undefined,
): Pick<ShownStep, "state" | "exit_code" | "started_at" | "ended_at"> => ({
  state: seen?.state ?? null,
  exit_code: seen?.exitCode ?? null,
  started_at: seen?.startedAt == null ? null : isoTime(seen.startedAt),
  ended_at: seen?.endedAt == null ? null : isoTime(seen.endedAt),
});

/** So that a person sees where one argument ends. */
const plainWord = (word: string): string => (/^[\w./:=@%+-]+$/.test(word) ? word : JSON.stringify(word));
