import { existsSync } from "node:fs";
import { join } from "node:path";
import { surrounded } from "./surroundings.ts";

export interface GitSettings {
  readonly env: NodeJS.ProcessEnv;
  /** Before the name of every command. */
  readonly options: readonly string[];
}

/** How long a host may send nothing. */
export const SILENCE_SECONDS: number = Number(process.env["CODEHUB_PREPARE_SILENCE_SECONDS"] ?? 60);

/** Of what an environment may say to git nothing else is let through: it would lead git elsewhere, or make it print secrets. */
const KEPT: ReadonlySet<string> = new Set(["GIT_SSL_CAINFO", "GIT_SSL_CAPATH"]);
const DROPPED: ReadonlySet<string> = new Set(["SSH_ASKPASS", "SSH_AUTH_SOCK", "LANGUAGE", "CURL_HOME"]);

/** Nothing asks a question, nothing of the repository or of a template runs, and only these ways lead out. */
export function gitSettings(
  home: string,
  files: string | null,
  agentSocket: string | null,
  address: string,
): GitSettings {
  const kept = Object.entries(surrounded(files)).filter(
    ([name]) => KEPT.has(name) || !(name.startsWith("GIT_") || DROPPED.has(name)),
  );
  const configuration = inFiles(files, "gitconfig");
  const ways = address.startsWith("http://") ? ["https", "ssh", "http"] : ["https", "ssh"];
  return {
    env: {
      ...Object.fromEntries(kept),
      LC_ALL: "C",
      HOME: home,
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "",
      GIT_ALLOW_PROTOCOL: ways.join(":"),
      GIT_TEMPLATE_DIR: "",
      GIT_PROGRESS_DELAY: "0",
      GIT_SSH_COMMAND: sshCommand(home, files),
      GIT_SSH_VARIANT: "ssh",
      GIT_LFS_SKIP_SMUDGE: "1",
      GIT_LFS_FORCE_PROGRESS: "1",
      ...(configuration === null ? {} : { GIT_CONFIG_SYSTEM: configuration }),
      ...(agentSocket === null ? {} : { SSH_AUTH_SOCK: agentSocket }),
    },
    options: OPTIONS.flatMap((option) => ["-c", option]),
  };
}

const OPTIONS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  // Nothing of it may still be at work when the job is over.
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "advice.detachedHead=false",
  "http.lowSpeedLimit=1",
  `http.lowSpeedTime=${SILENCE_SECONDS}`,
];

/** Leaves pointers where git-lfs would put files, also where it is set up for everybody and not to be had. */
export const POINTERS: readonly string[] = ["process=", "smudge=", "required=false"].flatMap((setting) => [
  "-c",
  `filter.lfs.${setting}`,
]);

/** Git gives it to a shell, so every word is quoted; what stands in double quotes is for ssh itself. */
function sshCommand(home: string, files: string | null): string {
  const pinned = process.env["SSH_HOST_KEYS"] === "pinned";
  const vouched = inFiles(files, "known_hosts");
  const options = [
    "BatchMode=yes",
    `StrictHostKeyChecking=${pinned ? "yes" : "accept-new"}`,
    `UserKnownHostsFile=${pinned ? "none" : `"${join(home, ".ssh/known_hosts")}"`}`,
    ...(vouched === null ? [] : [`GlobalKnownHostsFile="${vouched}"`]),
    "ForwardAgent=no",
    // A connection that others could use would outlive the job.
    "ControlMaster=no",
    "ControlPath=none",
    "ConnectTimeout=30",
    "ServerAliveInterval=15",
    `ServerAliveCountMax=${Math.max(1, Math.round(SILENCE_SECONDS / 15))}`,
  ];
  return ["ssh", ...options.map((option) => `-o ${quoted(option)}`)].join(" ");
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export function inFiles(files: string | null, name: string): string | null {
  const path = files === null ? null : join(files, name);
  return path !== null && existsSync(path) ? path : null;
}
