import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ENTRY, VERSION } from "#adapters/process/ide-install.ts";

/** Becomes the stand-in with the one argument that it knows. */
const START = `process.argv = [...process.argv.slice(0, 2), process.argv[process.argv.indexOf("--socket") + 1]];
import(new URL("fake-ide.mjs", "file://" + __filename).href);
`;

/** The small stand-in for the IDE where the program looks for the real one, so that a start takes a moment. */
export async function placeFakeIde(dataDir: string): Promise<void> {
  const entry = join(dataDir, "ide", `code-server-${VERSION}`, ENTRY);
  await mkdir(dirname(entry), { recursive: true, mode: 0o755 });
  await copyFile(join(import.meta.dirname, "../runtime/fake-ide.mjs"), join(dirname(entry), "fake-ide.mjs"));
  await writeFile(entry, START, { mode: 0o644 });
}
