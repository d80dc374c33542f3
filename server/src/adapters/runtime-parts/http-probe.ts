import { get } from "node:http";
import type { Address } from "#core/rows/workspace.ts";

const TIME_LIMIT_MS = 2_000;
const SIZE_LIMIT = 64 * 1024;

/**
 * Whether an IDE answers GET /healthz with 200 there. What answers may be hostile: no redirect is followed, nothing is
 * kept between calls, and neither a slow nor an endless answer costs more than the limits.
 */
export function answersHealthz(address: Address): Promise<boolean> {
  const target = address.kind === "unix" ? { socketPath: address.path } : { host: address.host, port: address.port };
  return new Promise((resolve) => {
    const request = get({ ...target, path: "/healthz", headers: { host: "localhost" }, agent: false }, (response) => {
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > SIZE_LIMIT) request.destroy();
      });
      response.on("end", () => resolve(response.statusCode === 200));
      response.on("close", () => resolve(false));
    });
    const timer = setTimeout(() => request.destroy(), TIME_LIMIT_MS);
    request.on("error", () => resolve(false));
    request.on("close", () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
