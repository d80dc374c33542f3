import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newSshKey } from "#adapters/secrets/ssh-key.ts";

const isHere = spawnSync("ssh-keygen", ["-?"]).error === undefined;
const how = "apt-get install openssh-client";
if (!isHere && process.env["CI"] !== undefined) throw new Error(`CI needs ssh-keygen: ${how}`);
if (!isHere) console.log(`Skipped: OpenSSH reads our keys. To enable: ${how}`);

describe.skipIf(!isHere)("a new SSH key", () => {
  // Paddings differ with the length of the comment.
  it.each(["a", "ab", "abc@x", "ada@git.example.com", "käthe@x", "x".repeat(40)])(
    "is one that OpenSSH reads, with the comment %s",
    (comment) => {
      const { privateKey, publicKey } = newSshKey(comment);
      const directory = mkdtempSync(join(tmpdir(), "codehub-ssh-"));
      try {
        const file = join(directory, "key");
        writeFileSync(file, privateKey, { mode: 0o600 });
        const read = spawnSync("ssh-keygen", ["-y", "-f", file], { encoding: "utf8" });
        expect(read.stderr).toBe("");
        expect(read.stdout.trim()).toBe(publicKey);
      } finally {
        rmSync(directory, { recursive: true });
      }
    },
  );

  it("goes into an agent without a file, and each is another one", () => {
    const { privateKey, publicKey } = newSshKey("agent");
    const script = 'eval "$(ssh-agent -s)" >/dev/null; ssh-add - 2>&1; ssh-add -L; ssh-agent -k >/dev/null';
    const agent = spawnSync("sh", ["-c", script], { input: privateKey, encoding: "utf8" });
    expect(agent.stdout).toContain("Identity added");
    expect(agent.stdout).toContain(publicKey);
    expect(newSshKey("agent").publicKey).not.toBe(publicKey);
  });
});
