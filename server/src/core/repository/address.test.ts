import { catalogue } from "@codehub/contract/words";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SourceRef } from "#core/rows/source.ts";
import { refusedAddresses as refused } from "../../../test/fixtures/refused-addresses.ts";
import { parseRepository } from "./address.ts";

const branch = (name: string): SourceRef => ({ kind: "branch_or_tag", name });
const path = (text: string): SourceRef => ({ kind: "path", path: text });
const commit = (id: string): SourceRef => ({ kind: "commit", id });
const pull = (ref: string, local: string): SourceRef => ({ kind: "pull", ref, branch: local });
const ID = "0123456789abcdef0123456789abcdef01234567";

interface Taken {
  readonly url: string;
  readonly key: string;
  readonly ref?: SourceRef;
  readonly folder: string;
}

const taken: Readonly<Record<string, Taken>> = {
  // As a host's button for copying gives them.
  "https://github.com/team/app.git": {
    url: "https://github.com/team/app.git",
    key: "github.com/team/app",
    folder: "app",
  },
  "git@github.com:team/app.git": { url: "git@github.com:team/app.git", key: "github.com/team/app", folder: "app" },
  "ssh://git@git.example.com:2222/team/app.git": {
    url: "ssh://git@git.example.com:2222/team/app.git",
    key: "git.example.com:2222/team/app",
    folder: "app",
  },
  "ssh://git@git.example.com:22/team/app": {
    url: "ssh://git@git.example.com/team/app",
    key: "git.example.com/team/app",
    folder: "app",
  },
  "git@git.example.com:/srv/git/app.git": {
    url: "git@git.example.com:/srv/git/app.git",
    key: "git.example.com/srv/git/app",
    folder: "app",
  },
  "ssh://git@git.example.com/~ann/dot.files": {
    url: "ssh://git@git.example.com/~ann/dot.files",
    key: "git.example.com/~ann/dot.files",
    folder: "dot.files",
  },
  "https://ann@bitbucket.org/team/app.git": {
    url: "https://bitbucket.org/team/app.git",
    key: "bitbucket.org/team/app",
    folder: "app",
  },
  "https://git.example.com:443/app": { url: "https://git.example.com/app", key: "git.example.com/app", folder: "app" },
  "https://git.example.com:8443/app": {
    url: "https://git.example.com:8443/app",
    key: "git.example.com:8443/app",
    folder: "app",
  },
  "https://[2001:db8::1]:3000/team/app": {
    url: "https://[2001:db8::1]:3000/team/app",
    key: "[2001:db8::1]:3000/team/app",
    folder: "app",
  },
  "git+https://github.com/team/app.git#v2": {
    url: "https://github.com/team/app.git",
    key: "github.com/team/app",
    ref: branch("v2"),
    folder: "app",
  },
  "git+ssh://git@github.com/team/app.git": {
    url: "ssh://git@github.com/team/app.git",
    key: "github.com/team/app",
    folder: "app",
  },
  // As people type them.
  "github.com/team/app": { url: "https://github.com/team/app", key: "github.com/team/app", folder: "app" },
  "  GitHub.com/Team/App/ \n": { url: "https://github.com/Team/App", key: "github.com/Team/App", folder: "App" },
  "localhost:3000/team/app": {
    url: "https://localhost:3000/team/app",
    key: "localhost:3000/team/app",
    folder: "app",
  },
  "github.com/team/app#feature/a": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: branch("feature/a"),
    folder: "app",
  },
  [`https://git.example.com/team/app.git#${ID}`]: {
    url: "https://git.example.com/team/app.git",
    key: "git.example.com/team/app",
    ref: commit(ID),
    folder: "app",
  },
  "git@git.example.com:team/app.git#main": {
    url: "git@git.example.com:team/app.git",
    key: "git.example.com/team/app",
    ref: branch("main"),
    folder: "app",
  },
  "git clone https://github.com/team/app.git": {
    url: "https://github.com/team/app.git",
    key: "github.com/team/app",
    folder: "app",
  },
  "$ git clone -b next --recurse-submodules --depth 1 'git@github.com:team/app.git' mine": {
    url: "git@github.com:team/app.git",
    key: "github.com/team/app",
    ref: branch("next"),
    folder: "mine",
  },
  "<https://github.com/team/.github>": {
    url: "https://github.com/team/.github",
    key: "github.com/team/.github",
    folder: "github",
  },
  "https://github.com/team/app#readme": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    folder: "app",
  },
  // Links of GitHub.
  "https://github.com/team/app/tree/main": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: branch("main"),
    folder: "app",
  },
  "https://github.com/team/app/tree/feature/with/slash/src": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: path("feature/with/slash/src"),
    folder: "app",
  },
  "https://github.com/team/app/blob/v1.2/docs/read%20me.md?plain=1#L3-L9": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: path("v1.2/docs/read me.md"),
    folder: "app",
  },
  [`https://github.com/team/app/commit/${ID.toUpperCase()}`]: {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: commit(ID),
    folder: "app",
  },
  "https://github.com/team/app/tree/abc1234": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: path("abc1234"),
    folder: "app",
  },
  "https://github.com/team/app/pull/12/files": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: pull("refs/pull/12/head", "pr-12"),
    folder: "app",
  },
  "https://github.com/team/app/releases/tag/v2.0": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    ref: branch("v2.0"),
    folder: "app",
  },
  "https://github.com/team/app/issues/3": {
    url: "https://github.com/team/app",
    key: "github.com/team/app",
    folder: "app",
  },
  // Links of GitLab, also with groups in groups.
  "https://gitlab.example.com/a/b/c/app": {
    url: "https://gitlab.example.com/a/b/c/app",
    key: "gitlab.example.com/a/b/c/app",
    folder: "app",
  },
  "https://gitlab.com/a/b/app/-/tree/fix%2Fslash?ref_type=heads": {
    url: "https://gitlab.com/a/b/app",
    key: "gitlab.com/a/b/app",
    ref: branch("fix/slash"),
    folder: "app",
  },
  "https://gitlab.com/a/app/-/blob/main/src/index.ts": {
    url: "https://gitlab.com/a/app",
    key: "gitlab.com/a/app",
    ref: path("main/src/index.ts"),
    folder: "app",
  },
  "https://gitlab.com/a/b/app/-/merge_requests/5/diffs": {
    url: "https://gitlab.com/a/b/app",
    key: "gitlab.com/a/b/app",
    ref: pull("refs/merge-requests/5/head", "mr-5"),
    folder: "app",
  },
  [`https://gitlab.com/a/app/-/commit/${ID}`]: {
    url: "https://gitlab.com/a/app",
    key: "gitlab.com/a/app",
    ref: commit(ID),
    folder: "app",
  },
  "https://gitlab.com/a/app/-/tags/v1.0": {
    url: "https://gitlab.com/a/app",
    key: "gitlab.com/a/app",
    ref: branch("v1.0"),
    folder: "app",
  },
  "https://gitlab.com/a/app/-/issues": { url: "https://gitlab.com/a/app", key: "gitlab.com/a/app", folder: "app" },
  // Links of Bitbucket Server and Cloud.
  "https://git.example.com/projects/TEAM/repos/app/browse?at=refs%2Fheads%2Ffix%2Fone": {
    url: "https://git.example.com/scm/team/app.git",
    key: "git.example.com/scm/team/app",
    ref: branch("fix/one"),
    folder: "app",
  },
  "https://git.example.com/bitbucket/users/ann/repos/app/pull-requests/7/overview": {
    url: "https://git.example.com/bitbucket/scm/~ann/app.git",
    key: "git.example.com/bitbucket/scm/~ann/app",
    ref: pull("refs/pull-requests/7/from", "pr-7"),
    folder: "app",
  },
  "https://git.example.com/projects/TEAM/repos/app/commits/abcdef12": {
    url: "https://git.example.com/scm/team/app.git",
    key: "git.example.com/scm/team/app",
    ref: commit("abcdef12"),
    folder: "app",
  },
  "https://bitbucket.org/team/app/src/main/README.md": {
    url: "https://bitbucket.org/team/app",
    key: "bitbucket.org/team/app",
    ref: path("main/README.md"),
    folder: "app",
  },
  "https://bitbucket.org/team/app/branch/fix/one": {
    url: "https://bitbucket.org/team/app",
    key: "bitbucket.org/team/app",
    ref: branch("fix/one"),
    folder: "app",
  },
  // Links of Gitea.
  "https://gitea.example.com/team/app/src/branch/fix/one/src": {
    url: "https://gitea.example.com/team/app",
    key: "gitea.example.com/team/app",
    ref: path("fix/one/src"),
    folder: "app",
  },
  "https://gitea.example.com/team/app/src/tag/v1": {
    url: "https://gitea.example.com/team/app",
    key: "gitea.example.com/team/app",
    ref: branch("v1"),
    folder: "app",
  },
  [`https://gitea.example.com/team/app/src/commit/${ID}/README.md`]: {
    url: "https://gitea.example.com/team/app",
    key: "gitea.example.com/team/app",
    ref: commit(ID),
    folder: "app",
  },
  "https://gitea.example.com/team/app/pulls/9": {
    url: "https://gitea.example.com/team/app",
    key: "gitea.example.com/team/app",
    ref: pull("refs/pull/9/head", "pr-9"),
    folder: "app",
  },
};

describe("addresses as people paste them", () => {
  test.each(Object.entries(taken))("%s", (text, { url, key, ref, folder }) => {
    const parsed = parseRepository(text);
    if (!parsed.ok) throw new Error(parsed.refusal.code);
    const { cloneUrl, key: found, ref: wanted, folder: into } = parsed.source;
    expect({ url: cloneUrl, key: found, ref: wanted, folder: into }).toEqual({ url, key, ref: ref ?? null, folder });
    expect(parsed.source.address).toBe(text.trim());
  });
});

describe("addresses that git never gets to see", () => {
  test.each(Object.entries(refused))("%j: %s", (text, code) => {
    const parsed = parseRepository(text);
    expect(parsed.ok ? parsed.source : parsed.refusal.code).toBe(code);
  });

  test("each has a sentence, and each sentence a case", () => {
    expect(new Set(Object.values(refused))).toEqual(new Set(Object.keys(catalogue.repository)));
  });

  test("a refusal does not repeat what may be a secret", () => {
    for (const text of Object.keys(refused)) {
      const parsed = parseRepository(text);
      expect(JSON.stringify(parsed.ok ? null : parsed.refusal)).not.toMatch(/secret|ghp_|abc/);
    }
  });
});

test("an operator's list says which hosts may be asked without encryption", () => {
  const policy = { httpHosts: ["git.example.com:3000"] };
  const parsed = parseRepository("http://Git.Example.com:3000/team/app", policy);
  expect(parsed.ok && parsed.source.cloneUrl).toBe("http://git.example.com:3000/team/app");
  expect(parseRepository("http://git.example.com/team/app", policy)).toEqual({
    ok: false,
    refusal: { code: "http", fields: { host: "git.example.com" } },
  });
});

const samples = [...Object.keys(taken), ...Object.keys(refused)];
const piece = fc.oneof(
  fc.constantFrom(
    ..."/:@#?%&=.-~ \\'\"`$()<>[]\u0000\n\u200bé".split(""),
    "..",
    "::",
    "://",
    "%0a",
    "%2f",
    ".git",
    "-/",
    "git@",
  ),
  fc.constantFrom(
    "tree",
    "blob",
    "src",
    "branch",
    "tag",
    "commit",
    "commits",
    "pull",
    "projects",
    "repos",
    "scm",
    "raw",
  ),
  fc.constantFrom("https://", "ssh://git@", "github.com", "git.example.com", "a", "b", "12", "abcd", "git clone "),
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(piece, { maxLength: 16 }).map((parts) => parts.join("")),
  fc
    .tuple(fc.constantFrom(...samples), fc.nat(80), piece)
    .map(([sample, at, bit]) => sample.slice(0, at) + bit + sample.slice(at)),
  fc.array(piece, { maxLength: 12 }).map((parts) => `https://git.example.com/${parts.join("/")}`),
);

test("whatever is pasted, what is taken is harmless and understood in one way", () => {
  fc.assert(
    fc.property(text, (pasted) => {
      const parsed = parseRepository(pasted);
      if (!parsed.ok) return;
      const { cloneUrl, key, folder, ref, host } = parsed.source;
      expect(cloneUrl).toMatch(/^(https:\/\/|ssh:\/\/[\w][\w.-]*@|[\w][\w.-]*@)[a-z0-9[]/);
      expect(cloneUrl).not.toMatch(/[\p{C}\s'"`$\\;|&<>]|^[^/]*::|\/\.\.?(\/|$)/u);
      expect(folder).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]*$/);
      expect(host).not.toMatch(/@|\/|^-/);
      expect(JSON.stringify(ref)).not.toMatch(/:"-|[\p{C}]/u);
      const again = parseRepository(cloneUrl);
      expect(again.ok && [again.source.key, again.source.cloneUrl, again.source.ref]).toEqual([key, cloneUrl, null]);
    }),
    {
      numRuns: 20_000,
      examples: [["https://git.example.com/bitbucket/users/ann.git/repos/app/pull-requests/7/overview"]],
    },
  );
});
