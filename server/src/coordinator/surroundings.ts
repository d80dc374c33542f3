import type { Runtime } from "#ports/runtime.ts";
import type { GivenFile, StartExtras } from "#ports/start-extras.ts";

/** What an operator says of the network that workspaces are in. */
export interface Surroundings {
  /** Certificates that are trusted besides the image's own, as PEM. */
  readonly certificates: string | null;
  readonly httpProxy: string | null;
  readonly httpsProxy: string | null;
  /** Hosts that are reached without a proxy. */
  readonly noProxy: readonly string[];
  /** Where the IDE finds extensions, as it takes it itself: JSON. Null: where it looks by itself. */
  readonly gallery: string | null;
  readonly hostKeys: HostKeys;
}

/** Whom ssh believes while a repository is got or a key tested. In a workspace people decide for themselves. */
export interface HostKeys {
  /** Keys that an operator vouches for, as ssh keeps them. */
  readonly known: string | null;
  /** Whether hosts that are not among them are refused, also the first time. */
  readonly arePinned: boolean;
}

/** The file that a shell reads before everything else that a start is given; there only where there is something to say. */
export const SURROUNDINGS = "surroundings";
const CERTIFICATES = "private-ca.pem";

/** What is of the workspace itself is never behind a proxy. */
const HERE = ["localhost", "127.0.0.1", "::1"];

/** What a start is given, and this before it, where the runtime can. A file that is read before the IDE reads this one itself. */
export function withSurroundings(
  given: Pick<StartExtras, "files" | "prelude">,
  surroundings: Surroundings | undefined,
  takes: Runtime["takes"],
): Pick<StartExtras, "files" | "prelude"> {
  const files = surroundings === undefined || !takes.files || !takes.prelude ? [] : surroundingFiles(surroundings);
  if (files.length === 0) return given;
  return { files: [...files, ...(given.files ?? [])], prelude: given.prelude ?? SURROUNDINGS };
}

/**
 * Files and not variables of the container: a proxy's address may have a password in it, and an engine writes variables
 * down. What a person or an image sets for itself comes later and wins.
 */
export function surroundingFiles(surroundings: Surroundings): readonly GivenFile[] {
  const { certificates, gallery } = surroundings;
  const script = [
    ...proxyLines(surroundings),
    ...(gallery === null ? [] : [`export EXTENSIONS_GALLERY=${quoted(gallery)}`]),
    ...(certificates === null ? [] : [TRUST]),
  ].join("\n");
  if (script === "") return [];
  const encoder = new TextEncoder();
  return [
    { path: SURROUNDINGS, mode: 0o600, content: encoder.encode(`${script}\n`) },
    ...(certificates === null
      ? []
      : [{ path: CERTIFICATES, mode: 0o600, content: encoder.encode(`${certificates.trim()}\n`) }]),
  ];
}

/** What a job of ours is given that goes to Git hosts by itself. */
export function jobSurroundings(surroundings: Surroundings | undefined): {
  readonly files: readonly GivenFile[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (surroundings === undefined) return { files: [], env: {} };
  const { known, arePinned } = surroundings.hostKeys;
  const vouched =
    known === null ? [] : [{ path: "known_hosts", mode: 0o600, content: new TextEncoder().encode(known) }];
  return {
    files: [...surroundingFiles(surroundings), ...vouched],
    env: arePinned ? { SSH_HOST_KEYS: "pinned" } : {},
  };
}

/** In both cases: half of all programs look for one of them only. */
function proxyLines({ httpProxy, httpsProxy, noProxy }: Surroundings): string[] {
  if (httpProxy === null && httpsProxy === null) return [];
  const values = {
    http_proxy: httpProxy,
    https_proxy: httpsProxy,
    no_proxy: [...new Set([...HERE, ...noProxy])].join(","),
  };
  return Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [`export ${name}=${quoted(value)} ${name.toUpperCase()}=${quoted(value)}`],
  );
}

const quoted = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

/**
 * Node adds to what it trusts; the others take a list in place of the system's, so theirs is the system's and ours. In an image
 * without any such list those would trust nobody else with ours, so only git, which could reach nothing, is told of it.
 */
const TRUST = `export NODE_EXTRA_CA_CERTS="$CODEHUB_FILES/${CERTIFICATES}" GIT_SSL_CAINFO="$CODEHUB_FILES/${CERTIFICATES}"
for codehub_list in "\${SSL_CERT_FILE:-}" /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
  [ -r "$codehub_list" ] || continue
  if { cat "$codehub_list" && echo && cat "$CODEHUB_FILES/${CERTIFICATES}"; } > "$CODEHUB_FILES/ca-bundle.pem"; then
    GIT_SSL_CAINFO="$CODEHUB_FILES/ca-bundle.pem"
    export SSL_CERT_FILE="$GIT_SSL_CAINFO" CURL_CA_BUNDLE="$GIT_SSL_CAINFO" REQUESTS_CA_BUNDLE="$GIT_SSL_CAINFO"
  else
    echo "[codehub] the list of trusted certificates could not be made" >&2
  fi
  break
done
unset codehub_list`;
