import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { certificateFor } from "../git/certificate.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { type MadeRepository, makeRepository } from "../git/repositories.ts";
import { type GitSshServer, startGitSsh } from "../git/ssh-server.ts";

/** A company's Git host: https with a certificate of its own authority, and ssh, with one private repository. */
export interface GitHosts extends AsyncDisposable {
  readonly https: GitHttpServer;
  readonly ssh: GitSshServer;
  readonly app: MadeRepository;
  readonly httpsAddress: string;
  readonly sshAddress: string;
  /** What a program is told of them: whom to trust, and that workspaces may reach them. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How others reach this machine: its loopback is not theirs. */
export const machineAddress = (): string =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address ?? "";

/** What the project asks for: one command for each home and one for each start, which leave a line each time. */
export const DEVCONTAINER = JSON.stringify({
  containerEnv: { OF_THE_PROJECT: "agreed" },
  postCreateCommand: 'test -n "$SECRET_CANARY" && echo with a secret >> ~/once.txt',
  postStartCommand: "echo started >> ~/each.txt",
});

export async function startGitHosts(address: string): Promise<GitHosts> {
  const root = await mkdtemp(join(tmpdir(), "codehub-git-"));
  const app = makeRepository(root, "private/app.git", {
    files: { "README.md": "# App\n", ".devcontainer.json": DEVCONTAINER },
  });
  const https = await startGitHttp({ root, address, tls: certificateFor(root, address) });
  const ssh = await startGitSsh(root, address);
  return {
    https,
    ssh,
    app,
    httpsAddress: `${https.url}/private/app.git`,
    sshAddress: `${ssh.url}/private/app.git`,
    environment: {
      WORKSPACE_CA_FILE: join(root, "host.crt"),
      WORKSPACE_ALLOWED_NETWORKS: `${https.host},${ssh.host}`,
    },
    [Symbol.asyncDispose]: async () => {
      await https[Symbol.asyncDispose]();
      await ssh[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}
