import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { statfs } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { systemClock as clock } from "#adapters/system/clock.ts";
import { openFileLimit } from "#adapters/system/open-files.ts";
import { addressesOf, type Config } from "#config/config.ts";
import { FIXED_SETTINGS } from "#coordinator/settings.ts";
import type { AddressesSeen, DescriptorsSeen, DiskSeen } from "#core/doctor/judge-machine.ts";
import { clientsFor } from "#proxy/door/connection-limit.ts";

const LOOKUP_MS = 5_000;

/** Whether names are found, the way programs of this machine find them. */
export async function lookAtAddresses(config: Config): Promise<AddressesSeen> {
  const { baseUrl, workspaceBaseUrl } = addressesOf(config, config.PORT);
  const someone = `doctor-${randomBytes(6).toString("hex")}`;
  const baseHost = new URL(baseUrl).hostname;
  const workspaceHost = new URL(workspaceBaseUrl.replace("{id}", someone)).hostname;
  const forgotten = !isHere(baseHost) && config.WORKSPACE_BASE_URL === null && !config.UNSAFE_SINGLE_ORIGIN;
  const seen = { baseHost, workspaceHost, forgotten, single: config.UNSAFE_SINGLE_ORIGIN };
  if (isHere(workspaceHost)) return { ...seen, local: isHere(baseHost), base: null, workspace: null };
  const [base, workspace] = await Promise.all([notFound(baseHost), notFound(workspaceHost)]);
  return { ...seen, local: false, base, workspace };
}

const isHere = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || (isIP(host) !== 0 && host.startsWith("127."));

async function notFound(host: string): Promise<string | null> {
  const late = clock.sleep(LOOKUP_MS).then(() => "ETIMEOUT");
  const asked = lookup(host.replace(/^\[|\]$/g, "")).then(
    () => null,
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  return await Promise.race([asked, late]);
}

/** The disk that DATA_DIR is on, or will be. */
export async function lookAtDisk(config: Pick<Config, "DATA_DIR">): Promise<DiskSeen> {
  const { minFreeBytes, minFreeRatio } = FIXED_SETTINGS;
  for (let directory = path.resolve(config.DATA_DIR); ; directory = path.dirname(directory)) {
    try {
      const { bavail, blocks, bsize } = await statfs(directory);
      return { directory, freeBytes: bavail * bsize, totalBytes: blocks * bsize, minFreeBytes, minFreeRatio };
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      if (!isMissing || path.dirname(directory) === directory) throw error;
    }
  }
}

/** Of this process; a proxy needs three kinds of connections for a client. */
export function lookAtDescriptors(): DescriptorsSeen {
  const limit = openFileLimit();
  return { limit, clients: clientsFor(limit, 3) };
}
