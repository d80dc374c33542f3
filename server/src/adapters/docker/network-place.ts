import { readFileSync, readlinkSync } from "node:fs";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
const NAMESPACE = "/proc/self/ns/net";

/** For a shell: says in which network it runs, on which boot of which kernel. Numbers of namespaces hold for one boot only. */
export const SAY_PLACE: string = `echo "$(cat ${BOOT_ID}) $(readlink ${NAMESPACE})"`;

/** The same of this process; null where the system has no such files. */
export function placeOfThisProcess(): string | null {
  try {
    return `${readFileSync(BOOT_ID, "utf8").trim()} ${readlinkSync(NAMESPACE)}`;
  } catch {
    return null;
  }
}
