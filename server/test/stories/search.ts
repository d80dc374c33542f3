import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";

/** Ways in which a text may be written down: as it is, and as bytes are shown by a database, an API or a header. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // Wherever the text begins in what is encoded, the characters in the middle are one of three.
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "")
      .slice(4, -4),
  );
  return [secret, bytes.toString("hex"), ...encoded];
}

const allForms = (secrets: readonly string[]): readonly string[] => secrets.flatMap(formsOf);

/** Which of the secrets a text holds, in any form. */
export const heldBy = (content: string, secrets: readonly string[]): readonly string[] =>
  secrets.filter((secret) => formsOf(secret).some((form) => content.includes(form)));

/**
 * Files below a folder, on its own disk only, that were changed after the marker was made and hold one of the secrets. By the
 * kernel's own time of change, which nobody can set back: what a home's archive restores has old dates.
 */
export async function filesHolding(
  folder: string,
  marker: string,
  secrets: readonly string[],
  except: readonly string[] = [],
): Promise<string[]> {
  const leftOut = except.flatMap((name) => ["-path", join(folder, name), "-prune", "-o"]);
  const files = ["-type", "f", "-cnewer", marker, "-print0"];
  const find = spawn("find", [folder, "-xdev", ...leftOut, ...files], { stdio: ["ignore", "pipe", "ignore"] });
  const patterns = allForms(secrets).flatMap((form) => ["-e", form]);
  // Among the arguments of this one, which has ended before processes are looked at.
  const grep = spawn("xargs", ["-0", "-r", "grep", "-laF", ...patterns], { stdio: ["pipe", "pipe", "ignore"] });
  find.stdout.pipe(grep.stdin);
  return (await text(grep.stdout)).split("\n").filter((line) => line !== "");
}

export const isArchive = (name: string): boolean => name.endsWith(".tar.zst");

/** Whether an archive holds one of the secrets, once it is unpacked. */
export const archiveHolds = (packed: Uint8Array, secrets: readonly string[]): boolean =>
  heldBy(zstdDecompressSync(packed).toString("latin1"), secrets).length > 0;

/** Archives below a folder that hold one of the secrets. */
export async function archivesHolding(folder: string, secrets: readonly string[]): Promise<string[]> {
  const held: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).filter(isArchive))
    if (archiveHolds(await readFile(join(folder, name)), secrets)) held.push(name);
  return held;
}

/**
 * Processes of this machine that show one of the secrets: in their arguments, which everybody may read, or in their environment,
 * unless they are in a workspace, where variables are on purpose: that somebody else's has none of them, that one itself is asked.
 */
export function processesHolding(secrets: readonly string[], { alsoInWorkspaces = false } = {}): string[] {
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "latin1");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [line, environment] = [read(pid, "cmdline"), read(pid, "environ")];
      const isOwn = !alsoInWorkspaces && environment.includes("CODEHUB_FILES=");
      const shown = heldBy(line, secrets).length > 0 || (!isOwn && heldBy(environment, secrets).length > 0);
      return shown ? [`${pid} ${line.replaceAll("\0", " ").slice(0, 100)}`] : [];
    });
}
