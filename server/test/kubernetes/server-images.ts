import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { IdeInstall } from "#adapters/process/ide-install.ts";
import { startEngine } from "../docker/private-engine.ts";
import { cacheDir } from "../runtime/cache-dir.ts";

const run = promisify(execFile);

export const SERVER_IMAGE = "codehub-test/server";
/** Two names of one image: what an upgrade needs is another name. */
export const TAGS = ["one", "two"] as const;
export const IDE_IMAGE = "codehub-test/ide:latest";

/** The server on every node, and the IDE, which is large, on the first one only. */
export async function importServerImages(dir: string): Promise<void> {
  await new IdeInstall(await cacheDir("ide")).ensure(() => {}, new AbortController().signal);
  const engine = await startEngine("all");
  const env = { ...process.env, DOCKER_HOST: engine.host };
  const servers = TAGS.map((tag) => `${SERVER_IMAGE}:${tag}`);
  const save = async (file: string, ...images: string[]): Promise<string> => {
    await run("docker", ["save", "-o", join(dir, file), ...images], { env });
    return join(dir, file);
  };
  try {
    for (const name of servers) await run("docker", ["tag", `${SERVER_IMAGE}:latest`, name], { env });
    await Promise.all([
      save("server.tar", ...servers).then((file) => bring(dir, file, "all")),
      save("ide.tar", IDE_IMAGE).then((file) => bring(dir, file, "1")),
    ]);
  } finally {
    await engine[Symbol.asyncDispose]();
  }
}

async function bring(dir: string, file: string, nodes: string): Promise<void> {
  await run(join(dir, "image-import"), [file, nodes]);
  await rm(file);
}
