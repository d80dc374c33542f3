import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { readConfig } from "#config/config.ts";
import { surroundingsOf, surroundingsProblem } from "./surroundings.ts";

describe("the certificates that workspaces trust besides their image's", () => {
  const folder = mkdtempSync(join(tmpdir(), "codehub-ca-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [one = "", other = ""] = rootCertificates;
  const withFile = (text: string | null) => {
    const file = join(folder, "ca.pem");
    rmSync(file, { force: true });
    if (text !== null) writeFileSync(file, text);
    return readConfig({ WORKSPACE_CA_FILE: file }, { isRoot: false, homeDir: "/home/somebody" });
  };

  it("are those in the file, without what is written around them", () => {
    expect(surroundingsOf(withFile(`# ours\n${one}\nsubject=…\n${other}\n`)).certificates).toBe(`${one}\n${other}`);
    expect(surroundingsProblem(withFile(one))).toBeNull();
  });

  it.each([
    ["is not there", null, "cannot be read: ENOENT"],
    ["is none", "hello", "has no certificate in it"],
    ["is broken", `${one}\n${other.replace(/\n/, "\nAAAA")}`, "cannot be read, the 2. of 2"],
    ["has a key", `${one}\n-----BEGIN EC PRIVATE KEY-----\ncanary\n`, "has a private key in it"],
    ["is too long", Array.from({ length: 300 }, () => one).join("\n"), "more than 256 KiB"],
  ])("are none where the file %s, and it says why", (_, text, words) => {
    const problem = surroundingsProblem(withFile(text));
    expect(problem).toContain(words);
    expect(problem).toContain("WORKSPACE_CA_FILE=");
    expect(problem).not.toContain("canary");
    expect(() => surroundingsOf(withFile(text))).toThrow(words);
  });
});

describe("the keys of Git hosts that an operator vouches for", () => {
  const folder = mkdtempSync(join(tmpdir(), "codehub-hosts-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
  const withFile = (text: string | null, policy = "accept-new") => {
    const file = join(folder, "known_hosts");
    if (text !== null) writeFileSync(file, text);
    const given = text === null ? {} : { WORKSPACE_KNOWN_HOSTS_FILE: file };
    return readConfig({ ...given, WORKSPACE_SSH_HOST_KEYS: policy }, { isRoot: false, homeDir: "/home/somebody" });
  };

  it("are those in the file, in every way that ssh writes them", () => {
    const lines = `# ours\n\ngit.example.org,10.0.0.7 ${KEY}\n[git.example.org]:2222 ${KEY} a note\n|1|aGFzaA==|aGFzaA== ${KEY}\n@cert-authority *.example.org ${KEY}`;
    expect(surroundingsOf(withFile(lines)).hostKeys).toEqual({ known: `${lines}\n`, arePinned: false });
    expect(surroundingsOf(withFile(lines, "pinned")).hostKeys.arePinned).toBe(true);
    expect(surroundingsOf(withFile(null)).hostKeys).toEqual({ known: null, arePinned: false });
  });

  it.each([
    ["a host without a key", `git.example.org ${KEY}\ngit.example.com`, "accept-new", "in line 2"],
    ["a key without a host", KEY, "accept-new", "in line 1"],
    ["something else", "-----BEGIN OPENSSH PRIVATE KEY-----", "accept-new", "in line 1"],
    ["none, and others are refused", null, "pinned", "WORKSPACE_KNOWN_HOSTS_FILE"],
  ])("are none where the file has %s, and it says why", (_, text, policy, words) => {
    expect(surroundingsProblem(withFile(text, policy))).toContain(words);
  });
});
