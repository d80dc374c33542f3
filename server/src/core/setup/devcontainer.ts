import { nearNames } from "#core/repository/near-names.ts";
import { isImageAllowed } from "#core/requests/images.ts";
import { type CommandContext, digestOf, LIFECYCLE, readStep } from "./commands.ts";
import {
  type LargestSize,
  readEnvironment,
  readPortAttributes,
  readPortNumbers,
  readSecrets,
  readSize,
  readText,
} from "./fields.ts";
import { NO_IDE, readCustomizations, readExtensions, readSettings } from "./ide.ts";
import { type JsonNode, type Member, membersOf, type Notes, readJson } from "./jsonc.ts";
import type { Notice, PlannedPort, SetupPlan } from "./plan.ts";
import { flat, substitute, type Variables } from "./variables.ts";

/** What the file may have, and what its variables stand for. */
export interface SetupContext {
  readonly workspaceId: string;
  /** Of the workspace, for example /home/coder. */
  readonly home: string;
  /** Of the project, below the home. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Null where workspaces are not made from images. */
  readonly images: readonly string[] | null;
  readonly largest: LargestSize;
  /** As hex or other plain characters. */
  readonly hash: (text: string) => string;
}

export type ReadSetup =
  | { readonly ok: true; readonly plan: SetupPlan }
  | { readonly ok: false; readonly errors: readonly Notice[] };

/** Fields that are never followed, each with why. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  build: "image_build",
  dockerFile: "image_build",
  context: "image_build",
  dockerComposeFile: "image_build",
  service: "image_build",
  runServices: "image_build",
  features: "image_build",
  overrideFeatureInstallOrder: "image_build",
  initializeCommand: "host_command",
  mounts: "engine_option",
  workspaceMount: "engine_option",
  runArgs: "engine_option",
  privileged: "engine_option",
  capAdd: "engine_option",
  securityOpt: "engine_option",
  init: "unsupported",
  overrideCommand: "unsupported",
  shutdownAction: "unsupported",
  userEnvProbe: "unsupported",
  updateRemoteUserUID: "unsupported",
  otherPortsAttributes: "unsupported",
  devPort: "unsupported",
};

const FOLLOWED = [
  ...LIFECYCLE.map(({ field }) => field),
  ...["$schema", "name", "image", "forwardPorts", "appPort", "portsAttributes", "containerEnv", "remoteEnv", "waitFor"],
  ...["workspaceFolder", "hostRequirements", "secrets", "customizations", "extensions", "settings"],
  ...["remoteUser", "containerUser"],
] as const;
const KNOWN: readonly string[] = [...FOLLOWED, ...Object.keys(NOT_FOLLOWED)];
const USUAL_WAIT = "updateContent";

/** What a devcontainer.json means here. What is not followed is named, each with its place; nothing is skipped in silence. */
export function readDevcontainer(text: string, context: SetupContext): ReadSetup {
  const read = readJson(text);
  if (!read.ok) return read;
  const { root, notes } = read;
  const members = membersOf(root, "", notes);
  for (const { key, keyNode, value } of members) noteUnfollowed(key, keyNode, value, notes);
  const found = (key: string): JsonNode | null => members.find((member) => member.key === key)?.value ?? null;
  return { ok: true, plan: planOf(text, found, members, context, notes) };
}

type Find = (key: string) => JsonNode | null;

function noteUnfollowed(key: string, keyNode: JsonNode, value: JsonNode, notes: Notes): void {
  const why = Object.hasOwn(NOT_FOLLOWED, key) ? NOT_FOLLOWED[key] : undefined;
  if (why !== undefined) notes.add(why, key, keyNode);
  else if (!KNOWN.includes(key)) notes.add("unknown_field", key, keyNode, { near: nearNames(key, KNOWN)[0] ?? "" });
  else if ((key === "remoteUser" || key === "containerUser") && value.value !== "coder")
    notes.add("user_ignored", key, keyNode);
}

function planOf(text: string, found: Find, members: readonly Member[], context: SetupContext, notes: Notes): SetupPlan {
  const { workspaceId, home, folder, environment: known, hash } = context;
  const variables: Variables = { project: `${home}/${folder}`, workspaceId, environment: { HOME: home, ...known } };
  const ask = <T>(key: string, read: (node: JsonNode) => T, otherwise: T): T => {
    const node = found(key);
    return node === null ? otherwise : read(node);
  };
  const listed = (key: string) => ask(key, (node) => readEnvironment(key, node, notes, variables), []);
  const environment = [...listed("containerEnv"), ...listed("remoteEnv")];
  const steps = stepsOf(members, { notes, variables, hash });
  const custom = ask("customizations", (node) => readCustomizations(node, notes), NO_IDE);
  const extensions = [
    ...ask("extensions", (node) => readExtensions("extensions", node, notes), []),
    ...custom.extensions,
  ];
  const settings = { ...ask("settings", (node) => readSettings("settings", node, notes), {}), ...custom.settings };
  const image = ask("image", (node) => readImage(node, context, notes), null);
  const runs = [steps, environment, extensions, settings, image === null ? {} : { image }];
  return {
    name: ask("name", (node) => readText("name", node, notes), null),
    image,
    folder: ask("workspaceFolder", (node) => readFolder(node, context, variables, notes), folder),
    alsoKnownAs: [
      ...new Set([...text.matchAll(/\/workspaces\/([A-Za-z0-9_][A-Za-z0-9._-]{0,99})/g)].map(([, name = ""]) => name)),
    ].slice(0, 3),
    ports: portsOf(ask, notes),
    environment,
    steps,
    waitFor: ask("waitFor", (node) => readWait(node, notes), USUAL_WAIT),
    size: ask("hostRequirements", (node) => readSize(node, context.largest, notes), {
      cpus: null,
      memoryBytes: null,
      storageBytes: null,
    }),
    secrets: ask("secrets", (node) => readSecrets(node, notes), []),
    extensions,
    settings,
    openFiles: custom.openFiles,
    digest: runs.every((part) => Object.keys(part).length === 0) ? null : digestOf(runs, hash),
    notices: notes.all(),
  };
}

const stepsOf = (members: readonly Member[], context: CommandContext): SetupPlan["steps"] =>
  LIFECYCLE.flatMap((kind) => {
    const node = members.find(({ key }) => key === kind.field)?.value;
    const step = node === undefined ? null : readStep(kind, node, context);
    return step === null ? [] : [step];
  });

function readImage(node: JsonNode, { images }: SetupContext, notes: Notes): string | null {
  const image = readText("image", node, notes, 300);
  if (image === null || image === "") return null;
  if (images === null) notes.add("image_not_here", "image", node, { image });
  else if (!isImageAllowed(image, images)) notes.add("image_not_allowed", "image", node, { image });
  else return image;
  return null;
}

function portsOf(
  ask: <T>(key: string, read: (node: JsonNode) => T, otherwise: T) => T,
  notes: Notes,
): readonly PlannedPort[] {
  const numbers = (key: string) => ask(key, (node) => readPortNumbers(key, node, notes), []);
  const none: ReturnType<typeof readPortAttributes> = new Map();
  const attributes = ask("portsAttributes", (node) => readPortAttributes(node, notes), none);
  const all = new Set([...numbers("forwardPorts"), ...numbers("appPort"), ...attributes.keys()]);
  return [...all].map((port) => ({ port, ...(attributes.get(port) ?? { label: null, whenFound: null }) }));
}

function readWait(node: JsonNode, notes: Notes): string {
  const step = LIFECYCLE.find(({ field }) => field === node.value);
  if (step === undefined) notes.add("unknown_value", "waitFor", node);
  return step?.name ?? USUAL_WAIT;
}

/** Below the home, or below /workspaces/NAME, where others keep what is in the home here. */
function readFolder(node: JsonNode, { home, folder }: SetupContext, variables: Variables, notes: Notes): string {
  if (node.type !== "string") {
    notes.add("not_text", "workspaceFolder", node);
    return folder;
  }
  const path = flat(substitute(String(node.value), variables), variables);
  const inHome = path.startsWith(`${home}/`) ? path.slice(home.length + 1) : null;
  const elsewhere = /^\/workspaces\/[^/]+(\/.*)?$/.exec(path);
  const relative = inHome ?? (elsewhere === null ? null : `${folder}${elsewhere[1] ?? ""}`);
  const steps = relative?.split("/").filter((step) => step !== "" && step !== ".") ?? [];
  if (steps.length > 0 && !steps.includes("..") && path.length <= 1024 && !/\p{C}/u.test(path)) return steps.join("/");
  notes.add("path_outside", "workspaceFolder", node);
  return folder;
}
