import type { ArchiveMeta } from "#ports/archives.ts";

/** The content of `.meta`, the commit marker: one spelling for every store. */
export function encodeMarker(meta: ArchiveMeta): string {
  return `${JSON.stringify(meta)}\n`;
}

const TEXTS = ["workspaceId", "attempt", "sha256", "manifestDigest"] as const;
const NUMBERS = ["sizeBytes", "contentBytes", "entryCount", "skippedSockets", "formatVersion", "createdAt"] as const;

/**
 * The marker, or null when this is none: then the archive counts as never committed. A newer format keeps these fields,
 * so that it can be recognised and refused by its version.
 */
export function decodeMarker(text: string): ArchiveMeta | null {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  if (TEXTS.some((field) => typeof value[field] !== "string")) return null;
  if (NUMBERS.some((field) => !Number.isSafeInteger(value[field]))) return null;
  const picked = [...TEXTS, ...NUMBERS].map((field) => [field, value[field]]);
  return Object.fromEntries(picked) as unknown as ArchiveMeta;
}

/** Whose store this is, written into it at first start. */
export interface StoreBinding {
  readonly storeId: string;
  readonly deploymentId: string;
}

export function encodeBinding(binding: StoreBinding): string {
  return `${JSON.stringify(binding)}\n`;
}

export function decodeBinding(text: string, where: string): StoreBinding {
  let value: Partial<Record<keyof StoreBinding, unknown>> | null = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below.
  }
  const { storeId, deploymentId } = value ?? {};
  if (typeof storeId !== "string" || typeof deploymentId !== "string") {
    throw new Error(`${where} is damaged: restore it from a backup, or point CodeHub at another archive store`);
  }
  return { storeId, deploymentId };
}

/** Two deployments in one store would collect each other's archives. */
export function assertOurs(binding: StoreBinding, deploymentId: string, where: string): void {
  if (binding.deploymentId !== deploymentId) {
    throw new Error(
      `${where} belongs to another CodeHub deployment (${binding.deploymentId}, this one is ${deploymentId}): ` +
        "give each deployment its own archive store",
    );
  }
}
