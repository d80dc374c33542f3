import { expect, test } from "vitest";
import { givenWords } from "./given-words.ts";

const at = "2026-11-15T10:00:00Z";
const id = "0b9c9d3e-1111-4222-8333-444455556666";
const variable = (name: string, is_secret: boolean, repositories: string[] | null = null) => ({
  ...{ id, name, is_secret, repositories, size_bytes: 3, changed_at: at, can_be_opened: true },
});
const kept = {
  ssh_key: { public_key: "ssh-ed25519 AAAA", changed_at: at, can_be_opened: true },
  credentials: [{ id, host: "git.example.com", username: "ann", changed_at: at, can_be_opened: true }],
  variables: [
    variable("EDITOR", false),
    variable("NPM_TOKEN", true),
    variable("DEPLOY_KEY", true, ["git.example.com/team/other"]),
    variable("BOUND", true, ["git.example.com/team/project"]),
  ],
};

test("what is left out by the switch is named, and what is bound to others is not", () => {
  expect(givenWords(kept, "git.example.com/team/project")).toEqual([
    ...["your SSH key", "the sign-in for git.example.com", "NPM_TOKEN", "BOUND"],
  ]);
  expect(givenWords(kept, null)).toEqual(["your SSH key", "the sign-in for git.example.com", "NPM_TOKEN"]);
  expect(givenWords({ ssh_key: null, credentials: [], variables: [] }, null)).toEqual([]);
});
