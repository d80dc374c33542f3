import type { ProjectSetup } from "@codehub/contract";

type Step = ProjectSetup["steps"][number];

export const runsWords = (runs: Step["runs"]): string => (runs === "once" ? "once for this home" : "at every start");

const IN_IDE: Readonly<Record<string, string>> = {
  settings: "Settings of the IDE",
  extensions: "Extensions of the IDE",
};

/** Commands have the name of their field; what is done in the IDE is no command. */
export const nameWords = (name: string): string => IN_IDE[name] ?? name;

/** Whether a step has written something in this start that can be shown. One of before shows what it wrote then. */
export const hasOutput = (state: Step["state"], running: boolean): boolean =>
  running && state !== null && state !== "skipped";

/** How far a command of a project is. */
export function stepWords(step: Pick<Step, "state" | "exit_code">, allowed: boolean, running: boolean): string {
  if (!allowed) return "not run";
  if (!running) return "runs when the workspace does";
  switch (step.state) {
    case null:
      return "waits";
    case "running":
      return "running";
    case "done":
      return "done";
    case "already":
      return "done before";
    case "skipped":
      return "left out, because one before it failed";
    case "partly":
      return "partly failed, tried again at the next start";
    case "unable":
      return "not possible with the IDE of this image";
    case "failed":
      return `failed with code ${step.exit_code}`;
  }
}
