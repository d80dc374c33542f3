import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where big things that tests make are kept between runs. Accounts of workspaces must be able to reach it. */
export async function cacheDir(name: string): Promise<string> {
  const base = process.env["CODEHUB_CACHE"] ?? (process.getuid?.() === 0 ? "/var/cache" : join(homedir(), ".cache"));
  const dir = join(base, "codehub", name);
  await mkdir(dir, { recursive: true });
  return dir;
}
