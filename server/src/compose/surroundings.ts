import { X509Certificate } from "node:crypto";
import fs from "node:fs";
import { type Config, ConfigError } from "#config/config.ts";
import type { HostKeys, Surroundings } from "#coordinator/surroundings.ts";

/** With everything else that a start is given it has to fit into one object of a cluster. */
const LIMIT_BYTES = 256 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** What workspaces are told of the network they are in. Throws where a file cannot be used. */
export function surroundingsOf(config: Config): Surroundings {
  const { WORKSPACE_CA_FILE: file } = config;
  return {
    certificates: file === null ? null : certificatesIn(file),
    httpProxy: config.WORKSPACE_HTTP_PROXY,
    httpsProxy: config.WORKSPACE_HTTPS_PROXY,
    noProxy: config.WORKSPACE_NO_PROXY,
    gallery: config.WORKSPACE_EXTENSIONS_GALLERY,
    hostKeys: hostKeysOf(config),
  };
}

function hostKeysOf({ WORKSPACE_KNOWN_HOSTS_FILE: file, WORKSPACE_SSH_HOST_KEYS: policy }: Config): HostKeys {
  const arePinned = policy === "pinned";
  if (file !== null) return { known: knownHostsIn(file), arePinned };
  if (!arePinned) return { known: null, arePinned };
  throw new ConfigError([
    "WORKSPACE_SSH_HOST_KEYS=pinned refuses every host that is not in WORKSPACE_KNOWN_HOSTS_FILE: set that, too.",
  ]);
}

/** The same as a sentence, for who only looks. */
export function surroundingsProblem(config: Config): string | null {
  try {
    surroundingsOf(config);
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join(" ");
    throw error;
  }
}

/** Every workspace reads it: nothing but certificates may get there. */
function certificatesIn(file: string): string {
  const wrong = (what: string): ConfigError => new ConfigError([`WORKSPACE_CA_FILE=${file} ${what}`]);
  const text = textOf(file, wrong);
  if (text.includes("PRIVATE KEY")) throw wrong("has a private key in it, which every workspace could read.");
  const found = text.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw wrong("has no certificate in it: it must be PEM, -----BEGIN CERTIFICATE-----.");
  for (const [index, pem] of found.entries()) {
    if (!isCertificate(pem))
      throw wrong(`has a certificate that cannot be read, the ${index + 1}. of ${found.length}.`);
  }
  const all = found.join("\n");
  if (all.length > LIMIT_BYTES) throw wrong(`has more than ${LIMIT_BYTES / 1024} KiB of certificates.`);
  return all;
}

/** Marker, hosts or a hash of them, kind of key, key: as sshd(8) has it. */
const KNOWN_HOST = /^(@(cert-authority|revoked)\s+)?\S+\s+(ssh|ecdsa|sk)-[\w@.-]+\s+[A-Za-z0-9+/]{40,}={0,2}(\s.*)?$/;

/** A line that ssh cannot read is passed over by it in silence, and with it whoever it vouches for. */
function knownHostsIn(file: string): string {
  const wrong = (what: string): ConfigError => new ConfigError([`WORKSPACE_KNOWN_HOSTS_FILE=${file} ${what}`]);
  const lines = textOf(file, wrong).split(/\r?\n/);
  const at = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#") && !KNOWN_HOST.test(line));
  if (at >= 0)
    throw wrong(
      `has something else in line ${at + 1}: each has a host, a kind of key and a key, as ssh-keyscan writes them.`,
    );
  const all = `${lines.join("\n").trim()}\n`;
  if (all.length > LIMIT_BYTES) throw wrong(`has more than ${LIMIT_BYTES / 1024} KiB of keys.`);
  return all;
}

function textOf(file: string, wrong: (what: string) => ConfigError): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
