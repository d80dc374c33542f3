import { JobFailure } from "../protocol.ts";
import type { Git } from "./git.ts";

const OLDEST: readonly [number, number] = [2, 32];

/** Older ones do not know the variable by which they are told of credentials. */
export async function requireVersion(git: Git, home: string): Promise<void> {
  const [, version = "none", major = "0", minor = "0"] =
    /((\d+)\.(\d+)[^\s]*)/.exec((await git.ask(home, "--version")) ?? "") ?? [];
  if (Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1])) return;
  throw new JobFailure(
    "ActionFailed",
    `git ${version} is too old to clone with: ${OLDEST.join(".")} or a later one is needed`,
  );
}
