import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { jobArguments, PROTOCOL_VARIABLE, PROTOCOL_VERSION, VOLUME_VARIABLE } from "#job-program/protocol.ts";
import { failureOf, OperationFailure } from "#ports/failure.ts";
import type { VolumeIdentity, VolumeSeen, VolumeSpec, Volumes } from "#ports/volumes.ts";
import { means } from "./answers.ts";
import { type Cluster, pause } from "./cluster.ts";
import type { JobPods } from "./job-pods.ts";
import { ATTEMPT, DEPLOYMENT, HOME_FINALIZER, IDENTITY, labelsOf, ROLE, SETUP, WORKSPACE } from "./labels.ts";
import type { Claim, Pod } from "./objects.ts";
import { claimOf, stateOf } from "./pod-state.ts";
import type { Pods } from "./pods.ts";
import { quantityOf } from "./quantity.ts";

export interface KubernetesVolumesOptions {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly deploymentId: string;
  readonly pods: Pods;
  readonly jobs: JobPods;
  /** Null: the cluster's default. */
  readonly storageClass: string | null;
  readonly sizeBytes: number;
  readonly accessMode: "ReadWriteOncePod" | "ReadWriteOnce";
}

const GOING_MS = 120_000;
const LOOK_MS = 200;
const PATCH_TRIES = 5;

/** Homes as claims. What is inside is seen and changed only by pods of ours; what they found out stands on the claim. */
export class KubernetesVolumes implements Volumes {
  readonly #options: KubernetesVolumesOptions;
  readonly #cluster: Cluster;
  readonly #path: string;

  constructor(options: KubernetesVolumesOptions) {
    this.#options = options;
    this.#cluster = options.cluster;
    this.#path = `/api/v1/namespaces/${options.namespace}/persistentvolumeclaims`;
  }

  async list(): Promise<VolumeSeen[]> {
    const labels = { [DEPLOYMENT]: this.#options.deploymentId, [ROLE]: "home" };
    const claims = await this.#cluster.listed(this.#path, labels, (claim: Claim) =>
      isThere(claim) ? toSeen(claim) : null,
    );
    return claims.filter((claim) => claim !== null);
  }

  async inspect(name: string): Promise<VolumeSeen | null> {
    const claim = await this.#find(name);
    return claim !== null && isThere(claim) ? toSeen(claim) : null;
  }

  /** Null for one that is not ours, also when it has the name. */
  async #find(name: string): Promise<Claim | null> {
    const claim = await this.#cluster.read<Claim>(this.#at(name));
    return claim?.metadata.labels?.[DEPLOYMENT] === this.#options.deploymentId ? claim : null;
  }

  #at(name: string): string {
    return `${this.#path}/${encodeURIComponent(name)}`;
  }

  async create({ atLeastBytes = 0, ...spec }: VolumeSpec): Promise<boolean> {
    const { deploymentId, storageClass, accessMode, jobs } = this.#options;
    const sizeBytes = Math.max(this.#options.sizeBytes, atLeastBytes);
    // A claim that nothing could ever be written to would only be left over.
    await jobs.requirePremises();
    const body = {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: spec.name,
        labels: labelsOf({ deploymentId, role: "home", ...spec }),
        finalizers: [HOME_FINALIZER],
      },
      spec: {
        accessModes: [accessMode],
        resources: { requests: { storage: String(sizeBytes) } },
        ...(storageClass === null ? {} : { storageClassName: storageClass }),
      },
    };
    try {
      await this.#cluster.create(this.#path, body);
    } catch (error) {
      if (means(error, "exists")) return false;
      throw error;
    }
    const { code, message } = await this.#run(spec, "prepare", {
      // The cluster itself would make a missing folder as root, and nobody could write to it.
      command: ["/bin/sh", "-c", "mkdir -p -m 0700 /volume/home && chmod 0700 /volume/home && sync"],
    });
    if (code !== 0) throw new OperationFailure("ActionFailed", `preparing the volume ${spec.name} failed: ${message}`);
    return true;
  }

  async seal(name: string, identity: VolumeIdentity): Promise<void> {
    const claim = await this.#need(name);
    requireSame(identityOf(claim), identity);
    const { code, message } = await this.#run(toSeen(claim), "seal", {
      args: jobArguments({ kind: "seal", identity }),
      env: [
        { name: PROTOCOL_VARIABLE, value: String(PROTOCOL_VERSION) },
        { name: VOLUME_VARIABLE, value: "/volume" },
      ],
    });
    if (code !== 0) throw new OperationFailure("ActionFailed", `sealing the volume ${name} failed: ${message.trim()}`);
    await this.mark(name, identity, claim.metadata.uid);
  }

  /** After the job's word that the file is written: from here on the claim says of itself what it is. */
  async mark(name: string, identity: VolumeIdentity, meant: string | null = null): Promise<void> {
    for (let tries = 1; ; tries++) {
      const claim = await this.#need(name);
      const { uid } = claim.metadata;
      if (meant !== null && uid !== meant) throw new OperationFailure("ActionFailed", `${name} is another volume now`);
      requireSame(identityOf(claim), identity);
      const { resourceVersion } = claim.metadata;
      const annotations = { [IDENTITY]: encodeIdentity(identity) };
      try {
        const marked = await this.#cluster.patch(this.#at(name), { metadata: { uid, resourceVersion, annotations } });
        if (marked === null) throw new OperationFailure("ActionFailed", `${name} is gone`);
        return;
      } catch (error) {
        // The cluster writes to claims too.
        if (!means(error, "conflict") || tries >= PATCH_TRIES) throw error;
      }
    }
  }

  async grow(name: string, bytes: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      const claim = await this.#need(name);
      if ((quantityOf(claim.spec?.resources?.requests?.storage ?? "") ?? 0) >= bytes) return;
      const { uid, resourceVersion } = claim.metadata;
      const spec = { resources: { requests: { storage: String(bytes) } } };
      try {
        const grown = await this.#cluster.patch(this.#at(name), { metadata: { uid, resourceVersion }, spec });
        if (grown === null) throw new OperationFailure("ActionFailed", `${name} is gone`);
        return;
      } catch (error) {
        // Of a quota too it is told at once: whoever asked may ask for less.
        if (means(error, "refused", "quota"))
          throw failureOf("ActionFailed", "home_size_refused", {}, (error as Error).message);
        if (!means(error, "conflict") || tries >= PATCH_TRIES) throw error;
      }
    }
  }

  /** How much it can hold: what the cluster gave, which may be more than was asked for. */
  async sizeOf(name: string): Promise<number> {
    const claim = await this.#need(name);
    return quantityOf(claim.status?.capacity?.storage ?? "") ?? this.#options.sizeBytes;
  }

  async identity(name: string): Promise<VolumeIdentity | null> {
    return identityOf(await this.#need(name));
  }

  async #need(name: string): Promise<Claim> {
    const claim = await this.#find(name);
    if (claim === null || !isThere(claim)) throw new OperationFailure("ActionFailed", `there is no volume ${name}`);
    const { deletionTimestamp } = claim.metadata;
    if (deletionTimestamp === undefined) return claim;
    throw new OperationFailure(
      "ActionFailed",
      `the claim ${name} was deleted by somebody at ${deletionTimestamp} and only its finalizer ${HOME_FINALIZER} still keeps ` +
        "its data: no pod can use it. docs/operating/kubernetes.md says how to bring it back",
    );
  }

  async #run(volume: VolumeSeen, kind: string, container: { command?: string[]; args?: string[]; env?: object[] }) {
    const { workspaceId, attempt } = volume;
    const token = randomUUID().slice(0, 8);
    const claim = { name: volume.name, access: "write" } as const;
    return await this.#options.jobs.run({ kind, token, workspaceId, attempt, claim, container });
  }

  async remove(name: string): Promise<void> {
    const claim = await this.#find(name);
    if (claim === null) return;
    const { uid } = claim.metadata;
    await this.#requireUnused(toSeen(claim));
    await this.#cluster.remove(this.#at(name), uid);
    // Only now that its removal was asked for by us. Ended in between, it is done by whoever removes it next.
    await this.#letGo(name, uid);
    const limit = AbortSignal.timeout(GOING_MS);
    while (await this.#isStill(name, uid)) {
      if (limit.aborted) throw new OperationFailure("Unreachable", `the claim ${name} is still being removed`);
      await pause(LOOK_MS, limit);
    }
  }

  async #isStill(name: string, uid: string): Promise<boolean> {
    return (await this.#find(name))?.metadata.uid === uid;
  }

  /** Also one that has ended: it may still be mounted there. Only its own workspace's pods ever have it: the others are thousands. */
  async #requireUnused({ name, workspaceId }: VolumeSeen): Promise<void> {
    const pods = await this.#options.pods.list({ [WORKSPACE]: workspaceId });
    const users = pods.filter((pod) => claimOf(pod) === name);
    // A job whose server is gone leaves its pod behind when it ends.
    const isJob = ({ metadata: { labels = {} } }: Pod): boolean =>
      labels[ROLE] === "job" || labels[SETUP] !== undefined;
    const isOver = (pod: Pod): boolean => isJob(pod) && stateOf(pod).state === "exited";
    for (const { metadata } of users.filter(isOver)) await this.#options.pods.remove(metadata, 1);
    const user = users.find((pod) => !isOver(pod));
    if (user === undefined) return;
    throw new OperationFailure("ActionFailed", `the volume ${name} is in use by ${user.metadata.name}: not removed`);
  }

  async #letGo(name: string, uid: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      const claim = await this.#find(name);
      if (claim?.metadata.uid !== uid || !claim.metadata.finalizers?.includes(HOME_FINALIZER)) return;
      // One that is not on its way out would lose what protects it, and stay.
      if (claim.metadata.deletionTimestamp === undefined)
        throw new OperationFailure("Unreachable", `the cluster does not remove the claim ${name} yet`);
      const { resourceVersion } = claim.metadata;
      const finalizers = claim.metadata.finalizers.filter((one) => one !== HOME_FINALIZER);
      try {
        await this.#cluster.patch(this.#at(name), { metadata: { uid, resourceVersion, finalizers } });
        return;
      } catch (error) {
        if (!means(error, "conflict") || tries >= PATCH_TRIES) throw error;
      }
    }
  }

  /** Every claim has its own size, and nobody can say what a whole cluster has left: there is always room for one more. */
  async freeSpace(): Promise<{ freeBytes: number; totalBytes: number }> {
    return { freeBytes: Number.MAX_SAFE_INTEGER, totalBytes: Number.MAX_SAFE_INTEGER };
  }
}

/** A claim whose disk was taken away is not there, whatever its name says. One that waits for its first pod is. */
const isThere = ({ status }: Claim): boolean => status?.phase !== "Lost";

function toSeen({ metadata }: Claim): VolumeSeen {
  const { name, labels = {} } = metadata;
  return { name, workspaceId: labels[WORKSPACE] ?? "", attempt: labels[ATTEMPT] ?? "" };
}

/** As the job writes it into the file, to the letter: pods compare the two. */
export function encodeIdentity({ workspaceId, attempt, archiveKey, manifestDigest }: VolumeIdentity): string {
  return JSON.stringify({ workspaceId, attempt, archiveKey, manifestDigest });
}

function identityOf({ metadata }: Claim): VolumeIdentity | null {
  const text = metadata.annotations?.[IDENTITY];
  return text === undefined ? null : (JSON.parse(text) as VolumeIdentity);
}

function requireSame(found: VolumeIdentity | null, identity: VolumeIdentity): void {
  if (found === null || isDeepStrictEqual(found, { ...identity })) return;
  throw new OperationFailure("ActionFailed", `the volume belongs to attempt ${found.attempt} already`);
}
