import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Engine, type EngineOptions } from "#adapters/docker/engine.ts";
import { DockerJobLauncher } from "#adapters/docker/jobs.ts";
import { DockerVolumes } from "#adapters/docker/volumes.ts";
import { volumeName } from "#core/rows/names.ts";
import { JOB_IMAGE } from "./docker-harness.ts";
import { type PrivateEngine, startEngine } from "./private-engine.ts";

const run = promisify(execFile);

describe.skipIf(inject("dockerHost") === null)("an engine over TCP with TLS", () => {
  let dir: string;
  let engine: PrivateEngine;
  let options: EngineOptions & { readonly tls: NonNullable<EngineOptions["tls"]> };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "chtls-"));
    const probe = createServer().listen(0, "127.0.0.1");
    await once(probe, "listening");
    const { port } = probe.address() as AddressInfo;
    probe.close();
    await makeCertificates(dir);
    const files = ["--tlscacert", "ca.pem", "--tlscert", "server.pem", "--tlskey", "server.key"];
    const tls = files.map((part) => (part.startsWith("--") ? part : join(dir, part)));
    engine = await startEngine("fake", ["-H", `tcp://127.0.0.1:${port}`, "--tlsverify", ...tls]);
    const read = (name: string) => readFile(join(dir, name), "utf8");
    const [ca, cert, key] = await Promise.all([read("ca.pem"), read("client.pem"), read("client.key")]);
    options = { host: `tcp://127.0.0.1:${port}`, tls: { ca, cert, key }, timeoutMs: 10_000 };
  });
  afterAll(async () => {
    await engine?.[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  it("answers questions and carries a job's streams both ways", async () => {
    const client = new Engine(options);
    const common = { engine: client, deploymentId: randomUUID(), jobImage: JOB_IMAGE, sockets: null };
    const volumes = new DockerVolumes({ ...common, jobs: new DockerJobLauncher(common) });
    const [workspaceId, attempt] = [randomUUID(), randomUUID()];
    const name = volumeName(workspaceId, attempt);
    expect(await volumes.create({ name, workspaceId, attempt })).toBe(true);
    expect(await volumes.identity(name)).toBeNull();
    const identity = { workspaceId, attempt, archiveKey: null, manifestDigest: null };
    await volumes.seal(name, identity);
    const later = new DockerVolumes({ ...common, jobs: new DockerJobLauncher(common) });
    expect(await later.identity(name)).toEqual(identity);
    expect((await later.freeSpace()).freeBytes).toBeGreaterThan(0);
    await volumes.remove(name);
  });

  it("is not spoken to when it cannot prove who it is, and does not listen to a stranger", async () => {
    await makeCertificates(dir, "other-");
    const otherCa = await readFile(join(dir, "other-ca.pem"), "utf8");
    const suspicious = new Engine({ ...options, tls: { ...options.tls, ca: otherCa } });
    await expect(suspicious.call("GET", "/info")).rejects.toMatchObject({ reason: "Unreachable" });
    const [cert, key] = await Promise.all(
      ["other-client.pem", "other-client.key"].map((name) => readFile(join(dir, name), "utf8")),
    );
    const stranger = new Engine({ ...options, tls: { ca: options.tls.ca, cert: cert ?? "", key: key ?? "" } });
    await expect(stranger.call("GET", "/info")).rejects.toMatchObject({ reason: "Unreachable" });
  });
});

/** An authority, and a certificate of it for the engine and for us. */
async function makeCertificates(dir: string, prefix = ""): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: dir });
  const key = (name: string) => ["-newkey", "rsa:2048", "-nodes", "-keyout", `${prefix}${name}.key`];
  await openssl("req", "-x509", ...key("ca"), "-out", `${prefix}ca.pem`, "-subj", "/CN=test authority", "-days", "2");
  for (const [name, usage] of [
    ["server", "serverAuth"],
    ["client", "clientAuth"],
  ] as const) {
    await openssl("req", "-new", ...key(name), "-out", `${prefix}${name}.csr`, "-subj", `/CN=${name}`);
    const extensions = join(dir, `${prefix}${name}.ext`);
    await writeFile(extensions, `subjectAltName=IP:127.0.0.1\nextendedKeyUsage=${usage}\n`);
    const authority = ["-CA", `${prefix}ca.pem`, "-CAkey", `${prefix}ca.key`, "-CAcreateserial"];
    const made = ["-in", `${prefix}${name}.csr`, "-out", `${prefix}${name}.pem`, "-extfile", extensions, "-days", "2"];
    await openssl("x509", "-req", ...authority, ...made);
  }
}
