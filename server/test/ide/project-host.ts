import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGitHttp } from "../git/http-server.ts";
import { makeRepository } from "../git/repositories.ts";
import { machineAddress } from "../stories/git-hosts.ts";

/** A Git host with one project, where workspaces of every runtime reach it. */
export interface ProjectHost extends AsyncDisposable {
  readonly address: string;
  /** What the program is told, so that they may. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startProjectHost(): Promise<ProjectHost> {
  const root = await mkdtemp(join(tmpdir(), "codehub-project-"));
  makeRepository(root, "team/app.git", { files: { "of-the-project.md": "# App\n" } });
  const git = await startGitHttp({ root, address: machineAddress() });
  return {
    address: `${git.url}/team/app.git`,
    environment: { GIT_HTTP_HOSTS: git.host, WORKSPACE_ALLOWED_NETWORKS: git.host },
    [Symbol.asyncDispose]: async () => {
      await git[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}
