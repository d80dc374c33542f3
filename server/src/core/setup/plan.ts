import type { Fields } from "#core/rows/meaning.ts";

/** A value with places that are filled in where it is used: in the workspace, whose own variables nobody else knows. */
export type Part = string | { readonly variable: string; readonly fallback: string };

export interface PlannedVariable {
  readonly name: string;
  /** Null: it is taken away. */
  readonly value: readonly Part[] | null;
  /** The IDE would swallow it or obey it, so that only shells and commands get it. */
  readonly isForShells: boolean;
}

/** A person's own command: text for a shell, or a program and its arguments. */
export type PlannedCommand =
  | { readonly kind: "shell"; readonly text: string }
  | { readonly kind: "program"; readonly args: readonly string[] };

export interface PlannedStep {
  readonly name: string;
  readonly runs: "once" | "each_start";
  /** All at the same time, each under its name; a single one has none. */
  readonly commands: readonly { readonly name: string | null; readonly command: PlannedCommand }[];
  /** Other commands under the same name are another step, which has not run yet. */
  readonly digest: string;
}

export interface PlannedPort {
  readonly port: number;
  readonly label: string | null;
  readonly whenFound: "notify" | "open" | "silent" | "ignore" | null;
}

export interface PlannedSize {
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
  readonly storageBytes: number | null;
}

export interface PlannedSecret {
  readonly name: string;
  readonly description: string | null;
}

/** Something that the file asks for and the person should know about; `fields` has at least `field`, `line` and `column`. */
export interface Notice {
  readonly code: string;
  readonly fields: Fields;
}

/** What a repository's own devcontainer.json makes of its workspace. */
export interface SetupPlan {
  readonly name: string | null;
  readonly image: string | null;
  /** To be opened, relative to the home. */
  readonly folder: string;
  /** Names below /workspaces that the file has written in, and that should lead to the project. */
  readonly alsoKnownAs: readonly string[];
  readonly ports: readonly PlannedPort[];
  /** In this order: a later one may speak of an earlier one. */
  readonly environment: readonly PlannedVariable[];
  readonly steps: readonly PlannedStep[];
  /** The step after which the workspace counts as ready. */
  readonly waitFor: string;
  readonly size: PlannedSize;
  readonly secrets: readonly PlannedSecret[];
  readonly extensions: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** Relative to the project. */
  readonly openFiles: readonly string[];
  /** Of everything by which the file runs something: whoever agreed to it once need not be asked again. Null: nothing does. */
  readonly digest: string | null;
  readonly notices: readonly Notice[];
}
