import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where a cluster is, how it proves who it is, and how we do. */
export interface ClusterAccess {
  readonly server: string;
  readonly tls: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
    readonly rejectUnauthorized?: boolean;
  };
  /** Asked before every request: tokens in files are replaced while we run. */
  readonly token: () => string | null;
}

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN_FRESH_MS = 30_000;

/** As a pod of the cluster. Null when this is none. */
export function inClusterAccess(
  { host, port }: { readonly host: string; readonly port: number },
  folder: string = SERVICE_ACCOUNT,
): ClusterAccess | null {
  if (!existsSync(join(folder, "token"))) return null;
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    tls: { ca: readFileSync(join(folder, "ca.crt"), "utf8") },
    token: tokenFile(join(folder, "token")),
  };
}

interface Kubeconfig {
  readonly "current-context"?: string;
  readonly contexts?: readonly { readonly name: string; readonly context: { cluster: string; user: string } }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster: Readonly<Record<string, unknown>> }[];
  readonly users?: readonly { readonly name: string; readonly user: Readonly<Record<string, unknown>> }[];
}

/** As a kubeconfig says, in its current context. */
export async function kubeconfigAccess(file: string): Promise<ClusterAccess> {
  // Needed here only, and only outside of a cluster.
  const { parse } = await import("yaml");
  const config = parse(readFileSync(file, "utf8")) as Kubeconfig | null;
  const context = config?.contexts?.find(({ name }) => name === config["current-context"])?.context;
  const cluster = config?.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config?.users?.find(({ name }) => name === context?.user)?.user;
  if (cluster === undefined || user === undefined) {
    throw new Error(
      `${file} has no cluster and user in its current context: choose one with kubectl config use-context`,
    );
  }
  for (const way of ["exec", "auth-provider", "username"]) {
    if (user[way] === undefined) continue;
    throw new Error(
      `${file} signs in by "${way}", which is not supported: use a service account's token ` +
        "(kubectl create token), a client certificate, or run CodeHub inside the cluster",
    );
  }
  const text = (from: Readonly<Record<string, unknown>>, name: string): string | undefined => {
    const data = from[`${name}-data`];
    const path = from[name];
    if (typeof data === "string") return Buffer.from(data, "base64").toString("utf8");
    return typeof path === "string" ? readFileSync(resolve(dirname(file), path), "utf8") : undefined;
  };
  const [ca, cert, key] = [
    text(cluster, "certificate-authority"),
    text(user, "client-certificate"),
    text(user, "client-key"),
  ];
  const servername = cluster["tls-server-name"];
  return {
    server: String(cluster["server"]).replace(/\/$/, ""),
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(typeof servername === "string" ? { servername } : {}),
      ...(cluster["insecure-skip-tls-verify"] === true ? { rejectUnauthorized: false } : {}),
    },
    token: tokenOf(user, file),
  };
}

function tokenOf(user: Readonly<Record<string, unknown>>, file: string): () => string | null {
  const { token, tokenFile: path } = user;
  if (typeof path === "string") return tokenFile(resolve(dirname(file), path));
  return () => (typeof token === "string" ? token : null);
}

/** Read again when it may have been replaced. One that cannot be read now is the one that was. */
function tokenFile(path: string): () => string {
  let read = { at: Number.NEGATIVE_INFINITY, changed: 0, token: "" };
  return () => {
    const now = performance.now();
    if (now - read.at < TOKEN_FRESH_MS) return read.token;
    try {
      const changed = statSync(path).mtimeMs;
      const token = changed === read.changed ? read.token : readFileSync(path, "utf8").trim();
      read = { at: now, changed, token };
    } catch (error) {
      if (read.token === "") throw error;
    }
    return read.token;
  };
}
