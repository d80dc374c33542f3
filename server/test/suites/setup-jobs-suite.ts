import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { volumeName } from "#core/rows/names.ts";
import type { SourceRef } from "#core/rows/source.ts";
import type {
  Checked,
  CheckSpec,
  Prepared,
  PrepareProgress,
  PrepareSpec,
  SetupJobs,
  StorageJobs,
} from "#ports/jobs.ts";
import type { GivenFile } from "#ports/start-extras.ts";
import type { Volumes } from "#ports/volumes.ts";
import { certificateFor } from "../git/certificate.ts";
import { type GitHttpServer, startGitHttp } from "../git/http-server.ts";
import { type MadeRepository, makeRepository } from "../git/repositories.ts";
import { type GitSshServer, makeKey, startGitSsh } from "../git/ssh-server.ts";

export interface SetupJobsHarness {
  readonly setup: SetupJobs;
  readonly jobs: Pick<StorageJobs, "find" | "end">;
  readonly volumes: Volumes;
  /** Where a test sees what is in the home of a volume. */
  readonly homePath: (volume: string) => string;
  readonly hostPort: () => Promise<number | null>;
  /** Whose files in a home are; null where nobody else's could be. */
  readonly uid: (home: string) => Promise<number | null>;
  /** Names of whatever jobs of this deployment have left behind, running or not. */
  readonly left: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export interface SetupHome {
  readonly workspaceId: string;
  readonly attempt: string;
  readonly volume: string;
  readonly ownerId: string;
  readonly hostPort: number | null;
}

const PASSWORD = "right-5c1e0";
const HELPER = `[ "$1" = get ] || exit 0
while read -r user && read -r password; do printf 'username=%s\\npassword=%s\\n' "$user" "$password"; done < "$CODEHUB_FILES/logins"
`;
const encoder = new TextEncoder();
export const file = (path: string, text: string): GivenFile => ({ path, mode: 0o600, content: encoder.encode(text) });

/** What git is given to sign in with, as a start is. */
export const login = (password: string): GivenFile[] => [
  file("gitconfig", '[credential]\n\thelper = "!sh \\"$CODEHUB_FILES/credential\\""\n'),
  file("credential", HELPER),
  file("logins", `ann\n${password}\n`),
  file("credentials", `host\nann\n${password}\n`),
];

/** One workspace's home, as it is while its workspace rests. */
export async function restingHome(harness: Pick<SetupJobsHarness, "volumes" | "hostPort">): Promise<SetupHome> {
  const [workspaceId, attempt] = [randomUUID(), randomUUID()];
  const volume = volumeName(workspaceId, attempt);
  await harness.volumes.create({ name: volume, workspaceId, attempt });
  await harness.volumes.seal(volume, { workspaceId, attempt, archiveKey: null, manifestDigest: null });
  return { workspaceId, attempt: randomUUID(), volume, ownerId: randomUUID(), hostPort: await harness.hostPort() };
}

export function specFor(
  home: SetupHome,
  cloneUrl: string,
  change: Partial<PrepareSpec & { ref: SourceRef }> = {},
): PrepareSpec {
  const { ref = null, ...rest } = change;
  const protocol = cloneUrl.startsWith("http:") ? "http" : cloneUrl.startsWith("https:") ? "https" : "ssh";
  const host = cloneUrl.replace(/^[a-z]+:\/\/([^@/]*@)?/, "").split("/")[0] ?? "";
  return {
    ...home,
    source: { cloneUrl, protocol, host, ref, folder: "app" },
    dotfiles: null,
    files: [],
    env: {},
    ...rest,
  };
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** What must never be left in a home, whatever happened. */
export async function temporaryIn(home: string): Promise<string[]> {
  return (await readdir(home)).filter((name) => name.startsWith(".codehub-clone-"));
}

/**
 * What the job that clones a repository promises on every runtime. Git servers of this machine are at an address that jobs reach,
 * once it is said which of its ports they may.
 */
export function setupJobsSuite(
  name: string,
  address: string,
  make: (ports: readonly number[]) => Promise<SetupJobsHarness>,
  /** Where each job takes a pod and a disk of its own, those cases whose outcome the runtime has a part in. */
  { everyCase = true }: { readonly everyCase?: boolean } = {},
): void {
  describe(`setup jobs: ${name}`, () => {
    let harness: SetupJobsHarness;
    let root: string;
    let plain: GitHttpServer;
    let secure: GitHttpServer;
    /** Of its own, because on a cluster all cases run at once: it never sends what it has. */
    let stuck: GitHttpServer;
    let ssh: GitSshServer;
    let trust: GivenFile[];
    let app: MadeRepository;
    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "codehub-git-"));
      app = makeRepository(root, "team/app.git", {
        files: {
          "README.md": "# App\n",
          "src/index.ts": "export {};\n",
          ".devcontainer/devcontainer.json": '{"image": "x"}\n',
        },
        branches: ["feature/with/slash", "release"],
        tags: ["v1.0"],
        refs: ["refs/pull/12/head"],
      });
      makeRepository(root, "private/app.git", {});
      makeRepository(root, "dotfiles.git", { files: { ".vimrc": "set nu\n" } });
      plain = await startGitHttp({ root, address });
      stuck = await startGitHttp({ root, address });
      stuck.trouble({ kind: "hang" }, /upload-pack$/);
      const certificate = certificateFor(root, address);
      secure = await startGitHttp({ root, address, password: PASSWORD, tls: certificate });
      trust = [
        file("surroundings", 'export GIT_SSL_CAINFO="$CODEHUB_FILES/private-ca.pem"\n'),
        file("private-ca.pem", certificate.cert),
      ];
      ssh = await startGitSsh(root, address);
      harness = await make([plain, secure, stuck, ssh].map(({ host }) => Number(host.split(":").at(-1))));
    });
    afterAll(async () => {
      await plain?.[Symbol.asyncDispose]();
      await secure?.[Symbol.asyncDispose]();
      await stuck?.[Symbol.asyncDispose]();
      await ssh?.[Symbol.asyncDispose]();
      await harness?.close();
      rmSync(root, { recursive: true, force: true });
    });

    const never = new AbortController().signal;
    const prepare = async (spec: PrepareSpec): Promise<Prepared & { seen: PrepareProgress[]; home: string }> => {
      const seen: PrepareProgress[] = [];
      const prepared = await harness.setup.prepare(spec, { onProgress: (one) => seen.push(one), signal: never });
      const home = harness.homePath(spec.volume);
      expect(await temporaryIn(home)).toEqual([]);
      expect(await harness.jobs.find(spec.workspaceId)).toEqual([]);
      return { ...prepared, seen, home };
    };
    const at = (ref: SourceRef) => async () =>
      prepare(specFor(await restingHome(harness), `${plain.url}/team/app.git`, { ref }));

    it("clones a public repository as the workspace's user, and reads what it says of itself", async () => {
      const { seen, home, ...prepared } = await prepare(
        specFor(await restingHome(harness), `${plain.url}/team/app.git`),
      );
      expect(prepared).toEqual({
        folder: "app",
        subfolder: null,
        commit: app.commit,
        branch: "main",
        failure: null,
        partial: [],
        devcontainer: { path: ".devcontainer/devcontainer.json", text: '{"image": "x"}\n' },
        devcontainers: [],
        log: expect.stringContaining("Receiving objects: 100%"),
      });
      expect(await readFile(join(home, "app/README.md"), "utf8")).toBe("# App\n");
      const uid = await harness.uid(home);
      if (uid !== null) expect((await stat(join(home, "app/README.md"))).uid).toBe(uid);
      expect([...new Set(seen.map(({ step }) => step))]).toEqual(["cloning", "checking_out", "reading"]);
    });

    it.runIf(everyCase)("checks out a branch with slashes, and knows the folder behind it", async () => {
      const path = "feature/with/slash/src";
      expect(await at({ kind: "path", path })()).toMatchObject({ branch: "feature/with/slash", subfolder: "src" });
    });

    it.runIf(everyCase)("checks out a tag, a commit by its whole and its short name, and a pull request", async () => {
      expect(await at({ kind: "branch_or_tag", name: "v1.0" })()).toMatchObject({ branch: null, commit: app.commit });
      expect(await at({ kind: "commit", id: app.commit })()).toMatchObject({ branch: null, commit: app.commit });
      expect(await at({ kind: "commit", id: app.commit.slice(0, 8) })()).toMatchObject({ commit: app.commit });
      const { home, ...pull } = await at({ kind: "pull", ref: "refs/pull/12/head", branch: "pr-12" })();
      expect(pull).toMatchObject({ branch: "pr-12", failure: null });
      expect(await readFile(join(home, "app/which.txt"), "utf8")).toBe("refs/pull/12/head\n");
    });

    it.runIf(everyCase)(
      "says which branches there are instead of one that is missing, and leaves nothing",
      async () => {
        const { home, ...missing } = await at({ kind: "branch_or_tag", name: "feature/with/slahs" })();
        expect(missing).toMatchObject({
          folder: null,
          failure: { step: "resolving", said: expect.stringContaining("not found"), near: ["feature/with/slash"] },
        });
        expect(await exists(join(home, "app"))).toBe(false);
        const none = await at({ kind: "commit", id: "0123456789".repeat(4) })();
        expect(none).toMatchObject({ folder: null, failure: { step: "checking_out" } });
        const pull = await at({ kind: "pull", ref: "refs/pull/99/head", branch: "pr-99" })();
        expect(pull.failure?.said).toContain("couldn't find remote ref refs/pull/99/head");
      },
    );

    it.runIf(everyCase)("trusts a host by the certificate that it was given, and no other", async () => {
      const address = `${secure.url}/team/app.git`;
      const trusted = await prepare(specFor(await restingHome(harness), address, { files: trust }));
      expect(trusted).toMatchObject({ folder: "app", failure: null });
      const blind = await prepare(specFor(await restingHome(harness), address));
      expect(blind.failure?.said).toMatch(/certificate/);
    });

    it("signs in with what it was given, and says none of it", async () => {
      const address = `${secure.url}/private/app.git`;
      const right = await prepare(
        specFor(await restingHome(harness), address, { files: [...trust, ...login(PASSWORD)] }),
      );
      expect(right).toMatchObject({ folder: "app", failure: null });
      const wrong = await prepare(
        specFor(await restingHome(harness), address, { files: [...trust, ...login("wrong-77aa")] }),
      );
      expect(wrong.failure?.said).toContain("Authentication failed");
      const none = await prepare(specFor(await restingHome(harness), address, { files: trust }));
      expect(none.failure?.said).toContain("could not read Username");
      expect(JSON.stringify([right, wrong, none])).not.toMatch(/right-5c1e0|wrong-77aa/);
      for (const { home } of [right, wrong]) {
        const config = join(home, "app/.git/config");
        if (await exists(config)) expect(readFileSync(config, "utf8")).not.toContain("right-5c1e0");
      }
    });

    it("uses the key that it was given, and remembers a host", async () => {
      const key = makeKey(root, "person");
      ssh.authorize(key.publicKey);
      const address = `${ssh.url}/team/app.git`;
      const files = [file("ssh-key", readFileSync(key.file, "utf8"))];
      const home = await restingHome(harness);
      const right = await prepare(specFor(home, address, { files }));
      expect(right).toMatchObject({ folder: "app", commit: app.commit, failure: null });
      expect(await readFile(join(right.home, ".ssh/known_hosts"), "utf8")).toContain("ssh-ed25519");
      const stranger = [file("ssh-key", readFileSync(makeKey(root, "stranger").file, "utf8"))];
      const unknown = await prepare(specFor(await restingHome(harness), address, { files: stranger }));
      expect(unknown.failure?.said).toContain("Permission denied (publickey");
      const none = await prepare(specFor(await restingHome(harness), address));
      expect(none.failure?.said).toContain("Permission denied (publickey");

      const pinned = { env: { SSH_HOST_KEYS: "pinned" } };
      const unlisted = await prepare(specFor(await restingHome(harness), address, { files, ...pinned }));
      expect(unlisted.failure?.said).toContain("Host key verification failed");
      const vouched = [...files, file("known_hosts", ssh.knownHost())];
      const listed = await prepare(specFor(await restingHome(harness), address, { files: vouched, ...pinned }));
      expect(listed).toMatchObject({ folder: "app", failure: null });

      await ssh.changeHostKey();
      const changed = await prepare(
        specFor({ ...home, attempt: randomUUID() }, `${ssh.url}/dotfiles.git`, { files: [...files] }),
      );
      expect(changed.failure?.said).toContain("REMOTE HOST IDENTIFICATION HAS CHANGED");
    });

    it.runIf(everyCase)("leaves the same project as it is, and anything else where it is", async () => {
      const home = await restingHome(harness);
      const address = `${plain.url}/team/app.git`;
      await prepare(specFor(home, address));
      const before = await stat(join(harness.homePath(home.volume), "app"));
      const again = await prepare(specFor({ ...home, attempt: randomUUID() }, `${address.slice(0, -".git".length)}/`));
      expect(again).toMatchObject({ folder: "app", commit: app.commit, failure: null });
      expect((await stat(join(again.home, "app"))).ino).toBe(before.ino);
      const other = await prepare(specFor({ ...home, attempt: randomUUID() }, `${plain.url}/dotfiles.git`));
      expect(other).toMatchObject({ folder: "app-2", failure: null });
      expect(await readFile(join(other.home, "app/README.md"), "utf8")).toBe("# App\n");
    });

    it.runIf(everyCase)("brings dotfiles, and a failure of them is not one of the project", async () => {
      const home = await restingHome(harness);
      const address = `${plain.url}/team/app.git`;
      const both = await prepare(specFor(home, address, { dotfiles: `${plain.url}/dotfiles.git` }));
      expect(both).toMatchObject({ folder: "app", failure: null, partial: [] });
      expect(await exists(join(both.home, ".dotfiles/.vimrc"))).toBe(true);
      const other = await restingHome(harness);
      const one = await prepare(specFor(other, address, { dotfiles: `${plain.url}/nowhere.git` }));
      expect(one).toMatchObject({ folder: "app", failure: null, partial: [{ step: "dotfiles" }] });
    });

    it("can be ended, is found until then, and a second try succeeds", async () => {
      const home = await restingHome(harness);
      const begun = Promise.withResolvers<void>();
      const first = harness.setup.prepare(specFor(home, `${stuck.url}/team/app.git`), {
        onProgress: () => begun.resolve(),
        signal: never,
      });
      first.catch(() => {});
      await begun.promise;
      expect(await harness.jobs.find(home.workspaceId)).toEqual([home.attempt]);
      await harness.jobs.end(home.workspaceId);
      await expect(first).rejects.toMatchObject({ reason: "ActionFailed" });
      expect(await harness.jobs.find(home.workspaceId)).toEqual([]);
      const again = specFor({ ...home, attempt: randomUUID() }, `${plain.url}/team/app.git`);
      expect(await prepare(again)).toMatchObject({ folder: "app", failure: null });
    });

    it("is ended by its signal", async () => {
      const home = await restingHome(harness);
      const stop = new AbortController();
      const options = { onProgress: () => stop.abort(new Error("not wanted any more")), signal: stop.signal };
      await expect(harness.setup.prepare(specFor(home, `${stuck.url}/team/app.git`), options)).rejects.toThrow(
        "not wanted",
      );
      expect(await harness.jobs.find(home.workspaceId)).toEqual([]);
    });

    const checkOf = (cloneUrl: string, change: Partial<CheckSpec> = {}): CheckSpec => ({
      ...{ checkId: randomUUID(), ownerId: randomUUID(), cloneUrl, limitSeconds: 40, files: [], env: {} },
      ...change,
    });
    const check = async (spec: CheckSpec): Promise<Checked> => {
      const checked = await harness.setup.check(spec, { signal: never });
      expect(await harness.jobs.find(spec.checkId)).toEqual([]);
      // Others may be at work beside it.
      expect((await harness.left()).filter((name) => name.includes(spec.checkId))).toEqual([]);
      return checked;
    };

    it("tries a credential: what is right, wrong and missing, and says none of it", async () => {
      const address = `${secure.url}/private/app.git`;
      const right = await check(checkOf(address, { files: [...trust, ...login(PASSWORD)] }));
      expect(right).toEqual({ branch: "main", asked: true, failure: null });
      const wrong = await check(checkOf(address, { files: [...trust, ...login("wrong-77aa")] }));
      expect(wrong).toMatchObject({ branch: null, asked: true, failure: { step: "resolving" } });
      expect(wrong.failure?.said).toContain("Authentication failed");
      const none = await check(checkOf(address, { files: trust }));
      expect(none.failure?.said).toContain("could not read Username");
      expect(JSON.stringify([right, wrong, none])).not.toMatch(/right-5c1e0|wrong-77aa/);
    });

    it.runIf(everyCase)(
      "tells a public repository from one that wanted the credential, and what is not there",
      async () => {
        const files = [...trust, ...login(PASSWORD)];
        const open = await check(checkOf(`${secure.url}/team/app.git`, { files }));
        expect(open).toEqual({ branch: "main", asked: false, failure: null });
        const missing = await check(checkOf(`${secure.url}/private/nothing.git`, { files }));
        expect(missing.failure?.said).toMatch(/not found/);
        const closed = await check(checkOf("https://127.0.0.1:9/team/app.git", { files }));
        expect(closed.failure?.said).toMatch(/connect/i);
      },
    );

    it("tries an SSH key: one that the host knows, one that it does not, and a host that nobody vouches for", async () => {
      const key = makeKey(root, `checked-${randomUUID()}`);
      ssh.authorize(key.publicKey);
      const files = [file("ssh-key", readFileSync(key.file, "utf8"))];
      const address = `${ssh.url}/team/app.git`;
      expect(await check(checkOf(address, { files }))).toEqual({ branch: "main", asked: false, failure: null });
      const stranger = [file("ssh-key", readFileSync(makeKey(root, `unknown-${randomUUID()}`).file, "utf8"))];
      expect((await check(checkOf(address, { files: stranger }))).failure?.said).toContain(
        "Permission denied (publickey",
      );
      if (!everyCase) return;
      const pinned = { files, env: { SSH_HOST_KEYS: "pinned" } };
      expect((await check(checkOf(address, pinned))).failure?.said).toContain("Host key verification failed");
    });

    // Beside other tests only the test's own can be asked again and again.
    it("gives a host up that says nothing, after its own time and when it is ended", async ({ expect }) => {
      const address = `${stuck.url}/team/app.git`;
      const late = await check(checkOf(address, { limitSeconds: 2 }));
      expect(late.failure?.said).toContain("no answer within 2 seconds");
      const spec = checkOf(address, { limitSeconds: 600 });
      const ended = harness.setup.check(spec, { signal: never });
      ended.catch(() => {});
      await expect.poll(() => harness.jobs.find(spec.checkId), { timeout: 60_000 }).toEqual([spec.checkId]);
      await harness.jobs.end(spec.checkId);
      await expect(ended).rejects.toMatchObject({ reason: "ActionFailed" });
      const stop = new AbortController();
      const again = checkOf(address, { limitSeconds: 600 });
      const stopped = harness.setup.check(again, { signal: stop.signal });
      stopped.catch(() => {});
      await expect.poll(() => harness.jobs.find(again.checkId), { timeout: 60_000 }).toEqual([again.checkId]);
      stop.abort(new Error("not wanted any more"));
      await expect(stopped).rejects.toThrow("not wanted");
      const names = (await harness.left()).filter(
        (name) => name.includes(spec.checkId) || name.includes(again.checkId),
      );
      expect(names).toEqual([]);
    });

    it("refuses a volume that is no finished home of this workspace", async () => {
      const home = await restingHome(harness);
      const stranger = specFor({ ...home, workspaceId: randomUUID() }, `${plain.url}/team/app.git`);
      await expect(prepare(stranger)).rejects.toMatchObject({ reason: "ActionFailed" });
    });
  });
}
