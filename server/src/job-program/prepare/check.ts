import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckRequest, CheckResult } from "../prepare-protocol.ts";
import { JobFailure } from "../protocol.ts";
import { defaultBranch } from "./default-branch.ts";
import { Git } from "./git.ts";
import { type GitSettings, gitSettings, inFiles } from "./git-environment.ts";
import { requireVersion } from "./git-version.ts";
import { makeKnownHostsFolder } from "./home.ts";
import { ADDRESS } from "./plain-address.ts";
import { secretsIn } from "./secrets.ts";
import { type Agent, startAgent } from "./ssh-agent.ts";
import { Transcript } from "./transcript.ts";

export interface CheckSurroundings {
  readonly home: string;
  /** What was given in memory; null where nothing was. */
  readonly files: string | null;
  readonly signal: AbortSignal;
}

/** Asks a host for the name of one branch. What it did not like is told in the result, without what it was given. */
export async function check(request: CheckRequest, { home, files, signal }: CheckSurroundings): Promise<CheckResult> {
  if (!ADDRESS.test(request.cloneUrl)) throw new JobFailure("ActionFailed", "the job was asked for what is no address");
  const limit = AbortSignal.timeout(request.limitSeconds * 1_000);
  const transcript = new Transcript(secretsIn(files));
  let agent: Agent | null = null;
  try {
    agent = await startAgent(files);
  } catch (error) {
    return failed(transcript.told((error as Error).message), null);
  }
  try {
    await makeKnownHostsFolder(home);
    const note = join(home, "asked");
    const settings = noting(gitSettings(home, files, agent?.socket ?? null, request.cloneUrl), home, files, note);
    const git = new Git({ settings, transcript, onProgress: () => {}, signal: AbortSignal.any([signal, limit]) });
    await requireVersion(git, home);
    const args = ["ls-remote", "--symref", "--", request.cloneUrl, "HEAD"];
    const end = await git.run({ step: "resolving", args, cwd: home, network: true, once: true });
    const asked = existsSync(note);
    if (!end.ok) return { ...failed(end.said, end.exitCode), asked };
    return { branch: defaultBranch(end.output), asked, failure: null };
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
    return failed(`fatal: Operation too slow: no answer within ${request.limitSeconds} seconds`, null);
  } finally {
    agent?.end();
  }
}

const failed = (said: string, exitCode: number | null): CheckResult => ({
  branch: null,
  asked: false,
  failure: { step: "resolving", exitCode, said, near: [] },
});

/** The same settings, with somebody before whoever has a credential: he has none, and writes down that one was wanted. */
function noting(settings: GitSettings, home: string, files: string | null, note: string): GitSettings {
  const given = inFiles(files, "gitconfig");
  const own = join(home, "check.gitconfig");
  const lines = ["[credential]", `\thelper = ${quoted(`!f() { cat > '${note}'; }; f`)}`];
  if (given !== null) lines.push("[include]", `\tpath = ${quoted(given)}`);
  writeFileSync(own, `${lines.join("\n")}\n`);
  return { ...settings, env: { ...settings.env, GIT_CONFIG_SYSTEM: own } };
}

const quoted = (value: string): string => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
