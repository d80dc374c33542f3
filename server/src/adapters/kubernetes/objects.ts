/** What we read of the cluster's objects; there is more in each. */
export interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** Set: its removal is under way, and it is still there. */
  readonly deletionTimestamp?: string;
  readonly creationTimestamp?: string;
}

export interface Pod {
  readonly metadata: Meta;
  readonly spec: {
    readonly nodeName?: string;
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
  };
  readonly status?: PodStatus;
}

export interface PodStatus {
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  /** For pods that ended as a whole: Evicted, NodeLost, Shutdown, Terminated and others. */
  readonly reason?: string;
  readonly message?: string;
  readonly podIP?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses?: readonly ContainerStatus[];
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface Claim {
  readonly metadata: Meta;
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly accessModes?: readonly string[];
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: {
    readonly phase?: "Pending" | "Bound" | "Lost";
    readonly capacity?: { readonly storage?: string };
  };
}

export interface ClusterEvent {
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
}
