import { catalogue, say, utcVoice } from "@codehub/contract/words";
import { expect, test } from "vitest";
import { type GitEnding, gitFailure } from "./git-words.ts";
import { nearNames } from "./near-names.ts";

const HUNG_UP = [
  "fatal: Could not read from remote repository.",
  "Please make sure you have the correct access rights",
];
const base: GitEnding = { step: "clone", exitCode: 128, lines: [], host: "git.example.com", wanted: null, names: [] };
const voice = utcVoice(0);

const heard: readonly (readonly [string, Partial<GitEnding>, string])[] = [
  [
    "needs_sign_in",
    { lines: ["fatal: could not read Username for 'https://git.example.com': terminal prompts disabled"] },
    "wants a sign-in",
  ],
  [
    "credential_refused",
    { lines: ["remote: 401", "fatal: Authentication failed for 'https://git.example.com/a/'"] },
    "refused the saved credential",
  ],
  [
    "forbidden",
    { lines: ["fatal: unable to access 'https://x/': The requested URL returned error: 403"] },
    "does not let",
  ],
  [
    "key_unknown",
    { lines: ["git@git.example.com: Permission denied (publickey).", ...HUNG_UP] },
    "does not know your key",
  ],
  [
    "host_key_changed",
    {
      lines: [
        "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @",
        "SHA256:hfB+0yR+IDMWMyXzHj7Fid2375mVPGfnIXErPPVybtQ.",
        "Host key verification failed.",
        ...HUNG_UP,
      ],
    },
    "another key than before (SHA256:hfB+0yR+IDMWMyXzHj7Fid2375mVPGfnIXErPPVybtQ)",
  ],
  [
    "host_key_unknown",
    { lines: ["No ED25519 host key is known for x and you have requested strict checking.", ...HUNG_UP] },
    "not on this server's list",
  ],
  ["no_user_name", { lines: ["No user exists for uid 20001", ...HUNG_UP] }, "has no user name"],
  [
    "not_found",
    { lines: ["fatal: repository 'https://git.example.com/nothing.git/' not found"] },
    "no such repository",
  ],
  ["not_found", { lines: ["ERROR: Repository not found.", ...HUNG_UP] }, "no such repository"],
  [
    "no_such_ref",
    { lines: ["fatal: Remote branch develp not found in upstream origin"], names: ["main", "develop"] },
    "no branch or tag develp. Near: develop.",
  ],
  [
    "no_such_ref",
    { lines: ["fatal: couldn't find remote ref refs/pull/99/head"], wanted: "pr-99" },
    "no branch or tag pr-99.",
  ],
  [
    "unreachable",
    { lines: ["ssh: connect to host git.example.com port 22: Connection refused", ...HUNG_UP] },
    "cannot be reached",
  ],
  [
    "certificate",
    { lines: ["fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none"] },
    "not one that workspaces trust",
  ],
  [
    "server_error",
    { lines: ["fatal: unable to access 'https://x/': The requested URL returned error: 502"] },
    "status 502",
  ],
  [
    "broken_off",
    { lines: ["error: RPC failed; curl 18 transfer closed with outstanding read data remaining", "fatal: early EOF"] },
    "broke off",
  ],
  ["transport", { lines: ["fatal: transport 'file' not allowed"] }, "with file"],
  ["disk_full", { lines: ["fatal: write error: No space left on device", "fatal: early EOF"] }, "disk is full"],
  ["disk_full", { step: "lfs", lines: ["write a.psd: no space left on device"] }, "disk is full"],
  [
    "checkout_failed",
    { step: "checkout", lines: ["error: unable to create file a:b: Invalid argument"] },
    "not all of its files could be written: unable to create file",
  ],
  [
    "lfs_missing",
    { step: "lfs", exitCode: 1, lines: ["git: 'lfs' is not a git command. See 'git --help'."] },
    "needs git-lfs",
  ],
  [
    "lfs_failed",
    { step: "lfs", exitCode: 2, lines: ["batch response: Repository or object not found: https://x"] },
    "its large files are not: batch response",
  ],
  [
    "submodule_failed",
    {
      step: "submodules",
      exitCode: 1,
      lines: ["fatal: repository 'https://x/' not found", "Failed to clone 'lib'. Retry scheduled"],
    },
    "its submodule lib is not: repository",
  ],
  [
    "dotfiles_failed",
    { step: "dotfiles", lines: ["fatal: repository 'https://x/' not found"] },
    "dotfiles are not there: repository",
  ],
  [
    "git_failed",
    { lines: ["fatal: the stars are not right\u001b[2J"] },
    "Git could not do it: the stars are not right",
  ],
  ["git_failed", { exitCode: 3 }, "exit code 3"],
  ["git_failed", { exitCode: null }, "Git was ended."],
];

test.each(heard)("%s: %o", (code, over, words) => {
  const failure = gitFailure({ ...base, ...over });
  expect(failure.code).toBe(code);
  const said = say(catalogue.clone[code], failure.fields, voice);
  expect(said).toContain(words);
  expect(said).not.toMatch(/\p{Cc}/u);
});

test("each meaning has a sentence, and each sentence a case", () => {
  expect(new Set(heard.map(([code]) => code))).toEqual(new Set(Object.keys(catalogue.clone)));
});

test("what may go away by itself is tried again, and what a person has to put right is not", () => {
  const passing = heard.filter(([, over]) => gitFailure({ ...base, ...over }).isPassing).map(([code]) => code);
  expect(new Set(passing)).toEqual(new Set(["unreachable", "server_error", "broken_off"]));
  const notices = heard.filter(([, over]) => gitFailure({ ...base, ...over }).isNotice).map(([code]) => code);
  expect(new Set(notices)).toEqual(
    new Set(["checkout_failed", "lfs_missing", "lfs_failed", "submodule_failed", "dotfiles_failed"]),
  );
});

test.each([
  ["develp", ["main", "develop", "release"], ["develop"]],
  ["mian", ["main", "master"], []],
  ["fix/login", ["fix/login-page", "main", "fix/logn", "Fix/Login"], ["Fix/Login", "fix/logn", "fix/login-page"]],
  ["x", ["main"], []],
])("near %s of %j: %j", (wanted, names, near) => {
  expect(nearNames(wanted, names)).toEqual(near);
});
