import type { DiskUse } from "#core/rules/disk.ts";

/** Of what the kernel says about a file system. What it keeps for root is room for nobody here. */
export function diskUse(found: {
  readonly bsize: number;
  readonly blocks: number;
  readonly bfree: number;
  readonly bavail: number;
}): Omit<DiskUse, "shared"> {
  const usedBytes = (found.blocks - found.bfree) * found.bsize;
  return { usedBytes, totalBytes: usedBytes + found.bavail * found.bsize };
}
