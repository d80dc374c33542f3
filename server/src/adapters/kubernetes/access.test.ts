import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { inClusterAccess, kubeconfigAccess } from "./access.ts";

const folder = mkdtempSync(join(tmpdir(), "codehub-access-"));
afterAll(() => rmSync(folder, { recursive: true }));

const encoded = (text: string): string => Buffer.from(text).toString("base64");
function kubeconfig(user: string, cluster = ""): string {
  const file = join(folder, "config");
  writeFileSync(
    file,
    `apiVersion: v1
kind: Config
current-context: here
contexts: [{name: there, context: {cluster: b, user: b}}, {name: here, context: {cluster: a, user: a}}]
clusters:
- name: a
  cluster:
    server: https://10.0.0.1:6443/
    certificate-authority-data: ${encoded("authority")}
${cluster}
users:
- name: a
  user: ${user}
`,
  );
  return file;
}

describe("a kubeconfig", () => {
  it("gives the cluster and the user of its current context", async () => {
    const access = await kubeconfigAccess(
      kubeconfig(`{client-certificate-data: ${encoded("cert")}, client-key-data: ${encoded("key")}}`),
    );
    expect(access).toMatchObject({
      server: "https://10.0.0.1:6443",
      tls: { ca: "authority", cert: "cert", key: "key" },
    });
    expect(access.token()).toBeNull();
  });

  it("may name a token, or a file beside it", async () => {
    expect((await kubeconfigAccess(kubeconfig("{token: abc}"))).token()).toBe("abc");
    writeFileSync(join(folder, "token"), "from a file\n");
    expect((await kubeconfigAccess(kubeconfig("{tokenFile: token}"))).token()).toBe("from a file");
  });

  it.each(["{exec: {command: aws}}", "{auth-provider: {name: gcp}}", "{username: me, password: x}"])(
    "that signs in by %s is refused with what to do",
    async (user) => {
      await expect(kubeconfigAccess(kubeconfig(user))).rejects.toThrow(/not supported: use a service account's token/);
    },
  );

  it("without a current context is refused with what to do", async () => {
    const file = join(folder, "empty");
    writeFileSync(file, "kind: Config\n");
    await expect(kubeconfigAccess(file)).rejects.toThrow(/use-context/);
  });
});

describe("inside of a cluster", () => {
  it("the service account's files are used, and read again when they were replaced", () => {
    writeFileSync(join(folder, "token"), "first");
    writeFileSync(join(folder, "ca.crt"), "authority");
    const access = inClusterAccess({ host: "10.96.0.1", port: 6443 }, folder);
    expect(access).toMatchObject({ server: "https://10.96.0.1:6443", tls: { ca: "authority" } });
    expect(access?.token()).toBe("first");
    writeFileSync(join(folder, "token"), "second");
    utimesSync(join(folder, "token"), 1, 1);
    expect(access?.token()).toBe("first");
    const later = performance.now() + 31_000;
    const now = vi.spyOn(performance, "now").mockReturnValue(later);
    expect(access?.token()).toBe("second");
    rmSync(join(folder, "token"));
    now.mockReturnValue(later + 31_000);
    expect(access?.token()).toBe("second");
    now.mockRestore();
  });

  it("is where a token is, and nowhere else", () => {
    expect(inClusterAccess({ host: "10.96.0.1", port: 443 }, join(folder, "nothing"))).toBeNull();
    writeFileSync(join(folder, "token"), "again");
    expect(inClusterAccess({ host: "fd00::1", port: 443 }, folder)?.server).toBe("https://[fd00::1]:443");
  });
});
