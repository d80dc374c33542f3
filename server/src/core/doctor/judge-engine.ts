import { asSaid, type Finding, findingsOf } from "./finding.ts";
import type { Remembered } from "./judge-parts.ts";

/** What was seen of where workspaces run. */
export interface EngineSeen {
  readonly kind: "process" | "docker" | "kubernetes";
  /** The engine's address, the cluster's namespace, or the data directory. */
  readonly place: string;
  readonly trouble: { readonly code: string; readonly said: string } | null;
  readonly id: string | null;
  /** Processes without root protect nobody from anybody. */
  readonly singleUser: boolean;
  /** Empty where workspaces need none; null where it could not be asked. */
  readonly images: readonly ImageSeen[] | null;
  /** Why what keeps workspaces apart is not in place, and what they do not reach although it is listed; null where nobody could look. */
  readonly firewall: { readonly trouble: string | null; readonly lacking?: string | null } | null;
}

export interface ImageSeen {
  readonly image: string;
  readonly use: "job" | "default" | "allowed";
  readonly present: boolean;
  /** Of a job image: the protocol that it says it speaks, and the one that this program speaks. */
  readonly protocol: { readonly spoken: string; readonly expected: string } | null;
}

const DOCKER_FAILURES: Readonly<Record<string, string>> = {
  ENOENT: "engine_no_socket",
  EACCES: "engine_denied",
  ECONNREFUSED: "engine_down",
};

export function judgeEngine(seen: EngineSeen, remembered: Remembered | null): readonly Finding[] {
  return [judgeItself(seen, remembered), ...judgeImages(seen), judgeFirewall(seen)];
}

function judgeItself({ kind, place, trouble, id, singleUser }: EngineSeen, remembered: Remembered | null): Finding {
  const finding = findingsOf("engine");
  const other = remembered !== null && remembered.runtimeKind !== null && remembered.runtimeKind !== kind;
  if (other) return finding("broken", "engine_other_kind", { kind, bound: remembered.runtimeKind });
  if (trouble !== null) {
    const said = asSaid(trouble.said);
    if (kind === "kubernetes") return finding("broken", "cluster_failed", { place, said });
    if (kind === "process") return finding("broken", "process_failed", { place, said });
    return finding("broken", DOCKER_FAILURES[trouble.code] ?? "engine_failed", { place, said });
  }
  const bound = remembered?.engineId ?? null;
  if (bound !== null && id !== null && bound !== id) return finding("broken", "engine_other", { place });
  if (singleUser) return finding("warning", "process_single_user");
  return finding("ok", kind === "process" ? "process_ok" : kind === "docker" ? "engine_ok" : "cluster_ok", { place });
}

function judgeImages({ kind, images }: EngineSeen): readonly Finding[] {
  const finding = findingsOf("images");
  if (kind === "process") return [finding("ok", "images_not_needed")];
  if (kind === "kubernetes") return [finding("ok", "images_by_cluster")];
  if (images === null) return [finding("unknown", "needs_engine")];
  const wrong = images.flatMap(({ image, use, present, protocol }): Finding[] => {
    if (use === "job" && !present) return [finding("broken", "job_image_missing", { image })];
    if (use === "job" && protocol !== null && protocol.spoken !== protocol.expected)
      return [finding("broken", "job_image_other", { image, ...protocol })];
    if (present) return [];
    // It may be pulled when it is first needed; whether that works is known only then.
    return [finding("warning", use === "default" ? "default_image_missing" : "allowed_image_missing", { image })];
  });
  return wrong.length > 0 ? wrong : [finding("ok", "images_ok", { count: images.length })];
}

function judgeFirewall({ kind, firewall, trouble }: EngineSeen): Finding {
  const finding = findingsOf("firewall");
  if (kind === "process") return finding("ok", "firewall_none");
  if (firewall === null) return finding("unknown", trouble === null ? "firewall_later" : "needs_engine");
  if (firewall.trouble === null && typeof firewall.lacking === "string")
    return finding("warning", "policies_lack", { said: asSaid(firewall.lacking) });
  if (firewall.trouble === null) return finding("ok", kind === "docker" ? "firewall_ok" : "policies_ok");
  const said = asSaid(firewall.trouble);
  return finding("broken", kind === "docker" ? "firewall_failed" : "policies_failed", { said });
}
