import { describe, expect, test } from "vitest";
import { checkOutcome, type HostAnswer } from "./outcome.ts";

const host = "git.example.com:8443";
const said = (text: string, exitCode: number | null = 128): HostAnswer => ({
  ...{ branch: null, asked: true, failure: { exitCode, said: text } },
});
const let_in = (branch: string | null, asked = true): HostAnswer => ({ branch, asked, failure: null });

describe("what became of it", () => {
  test.each([
    ["https", let_in("main"), { code: "works", fields: { host, branch: "main" } }],
    ["https", let_in(null), { code: "works", fields: { host } }],
    ["https", let_in("main", false), { code: "not_asked", fields: { host } }],
    ["ssh", let_in("main", false), { code: "works", fields: { host, branch: "main" } }],
    ["ssh", let_in("a\u0007b\u202e", false), { code: "works", fields: { host, branch: "a b" } }],
    [
      "https",
      said("remote: no\nfatal: Authentication failed for 'https://x/'"),
      { code: "credential_refused", fields: { host } },
    ],
    ["https", said("fatal: repository 'https://x/' not found"), { code: "not_found", fields: { host } }],
    ["ssh", said("git@x: Permission denied (publickey)."), { code: "key_unknown", fields: { host } }],
    ["ssh", said("Host key verification failed."), { code: "host_key_unknown", fields: { host } }],
    [
      "https",
      said("fatal: Operation too slow: no answer within 40 seconds", null),
      { code: "unreachable", fields: { host } },
    ],
    [
      "https",
      said("fatal: something else"),
      { code: "git_failed", fields: { said: "something else", exit_code: 128 } },
    ],
  ] as const)("of the %s one: %j", (kind, answer, outcome) => {
    expect(checkOutcome({ kind, host }, answer)).toEqual(outcome);
  });
});
