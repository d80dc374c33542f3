import type { Labels } from "./labels.ts";
import { labelsOf } from "./labels.ts";
import type { OwnerReference } from "./premises.ts";

/** The one account of everything in the namespace; homes belong to it. */
export const UID = 1000;

/** Where an operator wants pods to run, and with what. */
export interface Placement {
  readonly pullSecrets: readonly string[];
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  readonly priorityClass: string | null;
}

export interface Toleration {
  readonly key: string;
  readonly operator: "Equal" | "Exists";
  readonly value?: string;
  readonly effect?: string;
}

export const ANYWHERE: Placement = { pullSecrets: [], nodeSelector: {}, tolerations: [], priorityClass: null };

/** What the restricted level of Pod Security asks of every container. */
export const CONFINED = {
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
} as const;

/** For containers of ours: they write to what is mounted and to nothing else. */
export const SEALED = { ...CONFINED, readOnlyRootFilesystem: true } as const;

export interface Amounts {
  readonly cpus: number;
  readonly memoryBytes: number;
}

/** Both, on every container: a quota refuses pods that leave one of them open. */
export function resources(requests: Amounts, limits: Amounts): object {
  const amounts = ({ cpus, memoryBytes }: Amounts): object => ({
    cpu: `${Math.round(cpus * 1_000)}m`,
    memory: String(memoryBytes),
  });
  return { requests: amounts(requests), limits: amounts(limits) };
}

export const MEBIBYTE: number = 1024 * 1024;

/** A pod of ours: never started again by the cluster, without a token, without the addresses of services. */
export function podObject(
  name: string,
  labels: Labels,
  owner: OwnerReference,
  placement: Placement,
  spec: object,
): { readonly metadata: { readonly name: string; readonly labels: Record<string, string> } } {
  const { pullSecrets, nodeSelector, tolerations, priorityClass } = placement;
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: labelsOf(labels), ownerReferences: [owner] },
    spec: {
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: UID,
        runAsGroup: UID,
        fsGroup: UID,
        // Files are given to the group once, when the volume is new: a home of a million files would wait for minutes.
        fsGroupChangePolicy: "OnRootMismatch",
        seccompProfile: { type: "RuntimeDefault" },
      },
      imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })),
      nodeSelector,
      tolerations,
      ...(priorityClass === null ? {} : { priorityClassName: priorityClass }),
      ...spec,
    },
  };
  return object;
}

export const volumeOf = (claim: string): object => ({ name: "home", persistentVolumeClaim: { claimName: claim } });
