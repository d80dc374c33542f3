import { filesTar } from "#adapters/runtime-parts/files-tar.ts";
import type { StartSpec } from "#ports/runtime.ts";
import { means } from "./answers.ts";
import type { Cluster } from "./cluster.ts";
import type { Meta, Pod } from "./objects.ts";

export const GIVEN_FILES = "files";

/** Whose it is and what is in it, of a start or of a job in a workspace's stead. */
type Given = Pick<StartSpec, "workspaceId" | "attempt" | "files" | "pullCredential">;

export const hasGiven = ({ files, pullCredential }: Given): boolean =>
  files !== undefined || pullCredential !== undefined;

export const secretNameOf = ({ workspaceId, attempt }: Given): string => `ws-${workspaceId}-${attempt.slice(0, 8)}`;

/**
 * What one start is given in secret. The pod is made first, to be its owner, and waits for it: whatever becomes of this
 * server, it goes with the pod. Resolves to what takes it back once the pod has read it.
 */
export async function giveSecret(
  cluster: Cluster,
  namespace: string,
  spec: Given,
  { metadata }: Pod,
): Promise<() => Promise<void>> {
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  const name = secretNameOf(spec);
  const owner = { apiVersion: "v1", kind: "Pod", name: metadata.name, uid: metadata.uid };
  const { pullCredential } = spec;
  const body = {
    apiVersion: "v1",
    kind: "Secret",
    type: pullCredential === undefined ? "Opaque" : "kubernetes.io/dockerconfigjson",
    metadata: {
      name,
      labels: metadata.labels,
      ownerReferences: [{ ...owner, controller: false, blockOwnerDeletion: false }],
    },
    immutable: true,
    data: {
      [GIVEN_FILES]: filesTar(spec.files ?? []).toString("base64"),
      ...(pullCredential === undefined ? {} : { ".dockerconfigjson": dockerConfig(pullCredential) }),
    },
  };
  try {
    const { uid } = (await cluster.create<{ metadata: Meta }>(path, body)).metadata;
    return () => cluster.remove(`${path}/${name}`, uid);
  } catch (error) {
    // Given by this very attempt before. Nobody of ours may read it, so it stays until the pod goes.
    if (means(error, "exists")) return async () => {};
    throw error;
  }
}

function dockerConfig({ registry, user, password }: NonNullable<Given["pullCredential"]>): string {
  const auth = Buffer.from(`${user}:${password}`).toString("base64");
  return Buffer.from(JSON.stringify({ auths: { [registry]: { username: user, password, auth } } })).toString("base64");
}
