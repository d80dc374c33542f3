/** A network that workspaces may reach although it is nobody's internet. */
export interface AllowedNetwork {
  /** As the operator wrote it. */
  readonly text: string;
  readonly protocol: "tcp" | "udp";
  /** As `address/prefix`, also where it is one address. */
  readonly network: string;
  /** First and last of them; null is every port. */
  readonly ports: { readonly from: number; readonly to: number } | null;
  /** Networks inside it that stay refused whatever is listed. */
  readonly except: readonly string[];
}

/** Where a part of the control plane listens. Its address is null where its name was not found: then it may be anywhere. */
export interface ControlPoint {
  readonly address: string | null;
  readonly port: number;
}

/** What workspaces may reach besides the internet. */
export interface Reach {
  readonly allowed: readonly AllowedNetwork[];
  /** Refused even if listed; looked up anew each time, because names move. */
  readonly controlPlane: () => Promise<readonly ControlPoint[]>;
}
