import { randomUUID } from "node:crypto";
import { readFile, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { StoreSeen } from "#core/doctor/judge-parts.ts";
import { decodeBinding } from "#jobs/archive-marker.ts";
import { orNull, writeDurably } from "./durable.ts";

/** Writes, reads and removes a small file where archives are kept, or where their directory will be made. Binds nothing. */
export async function lookAtDirectory(directory: string): Promise<StoreSeen> {
  const root = resolve(directory);
  const seen = { kind: "directory", place: root, binding: null, generation: null } as const;
  try {
    const binding = await orNull(readFile(join(root, ".codehub/store.json"), "utf8"));
    const generation = await orNull(readFile(join(root, ".codehub/generation"), "utf8"));
    await tryOut(binding === null ? root : join(root, ".codehub/uploads"));
    return {
      ...seen,
      trouble: null,
      binding: binding === null ? null : decodeBinding(binding, root),
      generation: generation === null ? null : Number.parseInt(generation, 10),
    };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { ...seen, trouble: { code, said: message } };
  }
}

async function tryOut(folder: string): Promise<void> {
  const content = randomUUID();
  for (let place = folder; ; place = dirname(place)) {
    const path = join(place, `.codehub-doctor-${content}`);
    try {
      await writeDurably(path, content);
    } catch (error) {
      // What is not there yet is made at the first start, in what is there.
      if ((error as NodeJS.ErrnoException).code === "ENOENT" && dirname(place) !== place) continue;
      throw error;
    }
    const read = await readFile(path, "utf8");
    await unlink(path);
    if (read !== content) throw new Error("what was read is not what was written");
    return;
  }
}
