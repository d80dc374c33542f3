import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jobSurroundings, type Surroundings, surroundingFiles, withSurroundings } from "./surroundings.ts";

const NOTHING: Surroundings = {
  ...{ certificates: null, httpProxy: null, httpsProxy: null, noProxy: [], gallery: null },
  hostKeys: { known: null, arePinned: false },
};

describe("what a start is told of the network that it is in", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "codehub-around-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The variables of a program that begins after the file was read, as a real shell makes them. */
  const variablesWith = (surroundings: Surroundings, env: Record<string, string> = {}): Record<string, string> => {
    for (const { path, content } of surroundingFiles(surroundings)) writeFileSync(join(folder, path), content);
    const program = 'set -e; . "$CODEHUB_FILES/surroundings"; exec env -0';
    const said = execFileSync("sh", ["-c", program], {
      env: { PATH: process.env["PATH"], CODEHUB_FILES: folder, ...env },
      encoding: "utf8",
    });
    return Object.fromEntries(
      said
        .split("\0")
        .filter((line) => line !== "")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  };

  it("is nothing where an operator has said nothing, also of hosts without a proxy", () => {
    expect(surroundingFiles(NOTHING)).toEqual([]);
    expect(surroundingFiles({ ...NOTHING, noProxy: ["git.example.org"] })).toEqual([]);
  });

  it("is given where a runtime takes files and reads one of them before the IDE", () => {
    const all = { hostName: true, size: true, init: true, files: true, prelude: true, pullCredential: true };
    const proxy = { ...NOTHING, httpProxy: "http://p:1" };
    const { files = [], prelude } = withSurroundings({}, proxy, all);
    expect(files.map(({ path }) => path)).toEqual([prelude]);
    expect(withSurroundings({}, proxy, { ...all, files: false, prelude: false })).toEqual({});
    expect(withSurroundings({}, NOTHING, all)).toEqual({});
    expect(withSurroundings({}, undefined, all)).toEqual({});
    const own = { files: [{ path: "own.sh", mode: 0o600, content: new Uint8Array() }], prelude: "own.sh" };
    expect(withSurroundings(own, proxy, all)).toMatchObject({
      files: [{ path: "surroundings" }, { path: "own.sh" }],
      prelude: "own.sh",
    });
    expect(withSurroundings(own, undefined, all)).toBe(own);
  });

  it("is, for jobs that go to Git hosts, also whom ssh believes", () => {
    expect(jobSurroundings(undefined)).toEqual({ files: [], env: {} });
    expect(jobSurroundings(NOTHING)).toEqual({ files: [], env: {} });
    const hostKeys = { known: "git.example.org ssh-ed25519 AAAA\n", arePinned: true };
    const { files, env } = jobSurroundings({ ...NOTHING, httpProxy: "http://p:1", hostKeys });
    expect(env).toEqual({ SSH_HOST_KEYS: "pinned" });
    expect(files.map(({ path }) => path)).toEqual(["surroundings", "known_hosts"]);
    expect(new TextDecoder().decode(files[1]?.content)).toBe(hostKeys.known);
    expect(surroundingFiles({ ...NOTHING, hostKeys })).toEqual([]);
  });

  it("is where the IDE finds extensions, to the letter", () => {
    const gallery = '{"serviceUrl":"https://it\'s.example.org/$(id)"}';
    expect(variablesWith({ ...NOTHING, gallery })).toMatchObject({ EXTENSIONS_GALLERY: gallery });
  });

  it("is a proxy in both spellings, with whatever is in its password, and never for the workspace itself", () => {
    const httpsProxy = "http://me:it's$(id)`id`\"&;@proxy.example.org:3128";
    const seen = variablesWith({ ...NOTHING, httpsProxy, noProxy: ["git.example.org", "localhost"] });
    expect(seen).toMatchObject({ https_proxy: httpsProxy, HTTPS_PROXY: httpsProxy });
    expect(seen["no_proxy"]).toBe("localhost,127.0.0.1,::1,git.example.org");
    expect(seen["NO_PROXY"]).toBe(seen["no_proxy"]);
    expect(seen).not.toHaveProperty("http_proxy");
    expect(variablesWith({ ...NOTHING, httpProxy: "http://p:1" })).toMatchObject({ HTTP_PROXY: "http://p:1" });
  });

  it("is the image's list and ours for who takes one list, and ours alone for Node, which adds it", () => {
    const system = join(folder, "system.crt");
    writeFileSync(system, "of the image, without an end of line");
    const seen = variablesWith({ ...NOTHING, certificates: "of the house\n\n" }, { SSL_CERT_FILE: system });
    const bundle = join(folder, "ca-bundle.pem");
    for (const name of ["GIT_SSL_CAINFO", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"])
      expect([name, seen[name]]).toEqual([name, bundle]);
    expect(readFileSync(bundle, "utf8")).toBe("of the image, without an end of line\nof the house\n");
    expect(readFileSync(seen["NODE_EXTRA_CA_CERTS"] ?? "", "utf8")).toBe("of the house\n");
    expect(seen).not.toHaveProperty("codehub_list");
  });
});
