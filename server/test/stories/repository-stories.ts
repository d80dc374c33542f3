import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { git } from "../git/repositories.ts";
import { type GitHosts, startGitHosts } from "./git-hosts.ts";
import { commonPlaces, type Place, processes, type Story } from "./places.ts";
import { openStage, type Stage, type StoryProgram } from "./stage.ts";

/** What a runtime adds to the stories: how the program is started on it, and what of it somebody could search. */
export interface StoryRuntime {
  readonly start: (environment: Readonly<Record<string, string>>) => Promise<StoryProgram>;
  /** Where a home's archive may be read, and the disks, objects and logs of the engine. */
  readonly places: (story: Story) => readonly Place[];
  /** Where each start takes a pod and a disk, those steps that the others have in them. */
  readonly isSlow?: boolean;
  /** What an engine shows while the repository is being got. */
  readonly placesOfJobs?: () => readonly Place[];
}

const canary = (what: string): string => `canary-${what}-${randomBytes(12).toString("hex")}`;
/** A person who has typed "yes" once. */
const SSH = "export GIT_SSH_COMMAND='ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new'";

/**
 * From a repository to a pushed commit and back out of the archive, with the whole program, a real Git host and the keys of a
 * person. The stories are one after the other, of the same two people and the same workspace.
 */
export function repositoryStories(name: string, address: string, runtime: StoryRuntime): void {
  describe(`stories of a repository: ${name}`, { concurrent: false }, () => {
    let hosts: GitHosts;
    let program: StoryProgram;
    let stage: Stage;
    /** Ann's workspace from https, her second one from ssh, and Bob's. */
    let [first, second, neighbour] = ["", "", ""];
    const control = canary("control");
    const secrets = {
      variable: canary("variable"),
      secret: canary("secret"),
      formerToken: canary("former-token"),
      token: canary("token"),
      privateKey: "",
    };
    let places: readonly Place[] = [];

    beforeAll(async () => {
      hosts = await startGitHosts(address);
      program = await runtime.start({
        ...hosts.environment,
        LIMITS_MAX_RUNNING_PER_USER: "5",
        LOG_LEVEL: "debug",
      });
      stage = await openStage(program);
      const { ann } = stage;
      await ann.putKeySettings({
        body: { git_name: "Ann Example", git_email: "ann@example.com", dotfiles_address: null, dotfiles_command: null },
      });
      const variable = { name: "VARIABLE_CANARY", value: secrets.variable, is_secret: false };
      await ann.putVariable({ body: variable });
      await ann.putVariable({ body: { name: "SECRET_CANARY", value: secrets.secret, is_secret: true } });
      hosts.ssh.authorize((await ann.makeSshKey()).public_key);
      // The line of the file that has the whole seed in it; the ones before are the public half's.
      secrets.privateKey = (await stage.privateKey()).split("\n")[4] ?? "";
      expect(secrets.privateKey).toHaveLength(70);
      // Beside the first story, which does not need them.
      second = (await ann.createWorkspace({ body: { name: "by ssh", repository: hosts.sshAddress } })).id;
      neighbour = (await stage.bob.createWorkspace({ body: { name: "neighbour" } })).id;
    }, 600_000);
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
      await program?.stop();
      await hosts?.[Symbol.asyncDispose]();
    });

    const say = async (id: string, ...commands: readonly string[]): Promise<string> => {
      const { code, text } = await stage.inside(id, commands.join("\n"));
      expect(code, text).toBe(0);
      return text.trim();
    };
    const saveToken = (password: string) =>
      stage.ann.putCredential({ body: { host: hosts.https.host, username: "ann", password } });
    const become = async (id: string, state: "RUNNING" | "STANDBY" | "ARCHIVED"): Promise<void> => {
      await stage.ann.updateWorkspace({ params: { id }, body: { desired_state: state } });
      await stage.reaches(stage.ann, id, state);
    };
    /** One after the other: what looks in one place would be found in another. */
    const lookIn = async (where: readonly Place[], texts: readonly string[]) => {
      const found: Record<string, readonly string[]> = {};
      for (const { name, find } of where) found[name] = await find(texts);
      return found;
    };
    const nothing = (where: readonly Place[]) => Object.fromEntries(where.map((place) => [place.name, []]));

    /** How far the commands of this start are, as the page shows it. */
    const commandsAre = (once: string) =>
      expect
        .poll(
          async () => {
            const { steps } = await stage.ann.getProject({ params: { id: first } });
            return steps.map((step) => [step.name, step.state]);
          },
          { timeout: 40_000, interval: 100 },
        )
        .toEqual([
          ["postCreate", once],
          ["postStart", "done"],
        ]);

    it("a token that is changed while the clone runs does no harm: that one ends with what it began with", async () => {
      await saveToken(secrets.formerToken);
      hosts.https.setPassword(secrets.formerToken);
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      hosts.https.trouble({ kind: "wait", until: released.promise, onWaiting: held.resolve }, /git-upload-pack\?$/);
      const made = await stage.ann.createWorkspace({ body: { name: "app", repository: hosts.httpsAddress } });
      first = made.id;
      await held.promise;
      const underWay = runtime.placesOfJobs?.() ?? [];
      expect(await lookIn(underWay, Object.values(secrets))).toEqual(nothing(underWay));
      // Variables are in the environment of her other workspace; these are in nobody's.
      const { formerToken, privateKey } = secrets;
      expect(await processes({ alsoInWorkspaces: true }).find([formerToken, privateKey])).toEqual([]);
      await saveToken(secrets.token);
      hosts.https.trouble(null);
      released.resolve();
      await stage.reaches(stage.ann, first, "RUNNING");
      const { setup } = await stage.ann.getWorkspace({ params: { id: first } });
      expect(setup).toMatchObject({ state: "ready", folder: "app", commit: hosts.app.commit, failure: null });
      hosts.https.setPassword(secrets.token);
    });

    it("git pushes over https with the saved token and over ssh with the key, as whom the person says", async () => {
      const pushed = (format: string): string => git(hosts.app.folder, "log", "-1", `--format=${format}`, "main");
      const commit = (text: string) => `cd ~/app; git commit -q --allow-empty -m '${text}'`;
      await say(first, "set -e", commit("over https"), "git push -q origin main");
      expect(pushed("%s %an <%ae> %cn <%ce>")).toBe(
        "over https Ann Example <ann@example.com> Ann Example <ann@example.com>",
      );
      await say(first, "set -e", SSH, commit("over ssh"), `git push -q ${hosts.sshAddress} main`);
      expect(pushed("%s %ae")).toBe("over ssh ann@example.com");
      await say(first, "set -e", "git config --global user.email own@example.com", commit("own"), "git push -q");
      expect(pushed("%s %an %ae")).toBe("own Ann Example own@example.com");
      await say(first, "set -e; cd ~/app", "git config user.email team@example.com", commit("team"), "git push -q");
      expect(pushed("%s %an %ae")).toBe("team Ann Example team@example.com");
      // Nothing that git was told of it stays behind in the home.
      await say(first, "! grep -rqF canary- ~/.gitconfig ~/app/.git/config; test ! -e ~/.git-credentials");
    });

    it("everything that looks a user up finds a name, and each workspace knows hosts of its own", async () => {
      await stage.reaches(stage.ann, second, "RUNNING");
      expect((await stage.ann.getWorkspace({ params: { id: second } })).setup).toMatchObject({ state: "ready" });
      await say(first, "rm ~/.ssh/known_hosts");
      for (const workspace of [first, second]) {
        expect(await say(workspace, "whoami; id -un; echo ~coder")).toBe("coder\ncoder\n/home/coder");
        const info = "const { username, homedir } = os.userInfo(); console.log(username, homedir)";
        expect(await say(workspace, `/proc/$PPID/exe -e '${info}'`)).toBe("coder /home/coder");
        expect(await say(workspace, "sed -n 's/^NoNewPrivs:[^0-9]*//p' /proc/self/status")).toBe("1");
        const { code, text } = await stage.inside(workspace, "sudo -n id -u");
        expect([code === 0, text.trim() === "0"], text).toEqual([false, false]);
      }
      const ssh = `ssh -o BatchMode=yes -o StrictHostKeyChecking=yes -p ${hosts.ssh.port} ${hosts.ssh.user}@${address}`;
      expect((await stage.inside(first, ssh)).text).toContain("Host key verification failed");
      // Let in, and told by the other side that it gives out repositories only.
      const known = await stage.inside(second, `${ssh} "git-upload-pack '/private/app.git'" < /dev/null`);
      expect(known.text).toContain("refs/heads/main");
    });

    it("commands that run once do so over stop, archive and restore", async () => {
      const { ann } = stage;
      const params = { id: first };
      const left = () => say(first, "cat ~/once.txt; wc -l < ~/each.txt | tr -d ' '");
      // Nothing of what the repository asks for is done before its owner has agreed.
      expect((await stage.inside(first, "ls ~/once.txt ~/each.txt")).code).not.toBe(0);
      expect(await say(first, 'echo "<$OF_THE_PROJECT>"')).toBe("<>");
      const { digest } = await ann.getProject({ params });
      await ann.allowCommands({ params, body: { digest: digest ?? "" } });
      await commandsAre("done");
      expect(await left()).toBe("with a secret\n1");
      expect(await say(first, 'echo "<$OF_THE_PROJECT>"')).toBe("<agreed>");

      await stage.reaches(stage.bob, neighbour, "RUNNING");
      const { sql, events, marker, admin, inside, log } = stage;
      const people = { owner: ann, admin, workspaceId: first, neighbour };
      const story: Story = { program, sql, events, marker, inside, log, ...people };
      places = [...commonPlaces(story), ...runtime.places(story)];
      // Before the home is archived, so that it is in the archive too.
      for (const place of places) await place.plant?.(control);

      if (runtime.isSlow !== true) {
        await become(first, "STANDBY");
        await become(first, "RUNNING");
        await commandsAre("already");
      }
      await become(first, "ARCHIVED");
      await become(first, "RUNNING");
      await commandsAre("already");
      expect(await left()).toBe(`with a secret\n${runtime.isSlow === true ? 2 : 3}`);
      expect(await say(first, 'echo "$VARIABLE_CANARY $SECRET_CANARY"')).toBe(`${secrets.variable} ${secrets.secret}`);
    });

    it("what a person keeps is nowhere to be found, by a search that finds what was put there", async () => {
      await stage.log(first, control);
      for (const { name, known = control, find } of places) expect(await find([known]), name).not.toEqual([]);
      for (const [what, secret] of Object.entries(secrets))
        expect(await lookIn(places, [secret]), what).toEqual(nothing(places));
    });

    it("commands that run once do so again in a home that was emptied", async () => {
      await stage.ann.resetWorkspace({ params: { id: first }, body: { confirm: "app" } });
      await stage.reaches(stage.ann, first, "PENDING");
      await become(first, "RUNNING");
      await commandsAre("done");
      expect(await say(first, "cat ~/once.txt ~/each.txt; ls ~")).toBe(
        "with a secret\nstarted\napp\neach.txt\nonce.txt",
      );
    });

    it("a server that is killed while it clones: the next one gets it, and nothing is left of the first try", async () => {
      const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      hosts.https.trouble({ kind: "wait", until: released.promise, onWaiting: held.resolve }, /git-upload-pack\?$/);
      const { id } = await stage.ann.createWorkspace({ body: { name: "killed", repository: hosts.httpsAddress } });
      await held.promise;
      await program.crashServer();
      hosts.https.trouble(null);
      await stage.reaches(stage.ann, id, "RUNNING");
      released.resolve();
      const { setup } = await stage.ann.getWorkspace({ params: { id } });
      expect(setup).toMatchObject({ state: "ready", folder: "app", failure: null });
      expect(await say(id, "git -C ~/app status --porcelain; ls -A ~ | grep -c codehub-clone || true")).toBe("0");
    });
  });
}
