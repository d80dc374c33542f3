import { chown, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOME_FILES } from "./browser.ts";

/** Puts the files that the Explorer is to show into a home, as its owner's. */
export async function fillHome(home: string): Promise<void> {
  const { uid, gid } = await stat(home);
  for (const name of HOME_FILES) {
    const path = join(home, name);
    if (name.includes(".")) await writeFile(path, `This is ${name}.\n`);
    else await mkdir(path, { recursive: true });
    await chown(path, uid, gid);
  }
}
