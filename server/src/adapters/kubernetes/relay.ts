import { get, type RequestOptions, request } from "node:http";

/** Where the relay beside every workspace answers; no port of a workspace's own. */
export const RELAY_PORT = 44_100;
const TIME_LIMIT_MS = 2_000;
const SIZE_LIMIT = 1024 * 1024;

/** What the relay of a pod says. The pod's uid comes with every answer: an address is another pod's later. */
export interface RelayAnswer {
  readonly pod: string;
  /** The kernel's tables of sockets in the pod. */
  readonly tables?: string;
  /** Ports of the pod's address that the relay itself listens on. */
  readonly relayed?: readonly number[];
  /** What the kernel says about the file system of the home. */
  readonly disk?: { readonly bsize: number; readonly blocks: number; readonly bfree: number; readonly bavail: number };
}

/** Null when nobody answers there, or not as a relay does. */
export function askRelay(host: string, path: string, method: "GET" | "POST" = "GET"): Promise<RelayAnswer | null> {
  const options: RequestOptions = { host, port: RELAY_PORT, path, method, agent: false };
  return new Promise((resolve) => {
    const asking = (method === "GET" ? get : request)(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > SIZE_LIMIT) asking.destroy();
      });
      response.on("end", () => resolve(response.statusCode === 200 ? parse(text) : null));
      response.on("close", () => resolve(null));
    });
    const timer = setTimeout(() => asking.destroy(), TIME_LIMIT_MS);
    asking.on("error", () => resolve(null));
    asking.on("close", () => {
      clearTimeout(timer);
      resolve(null);
    });
    asking.end();
  });
}

function parse(text: string): RelayAnswer | null {
  try {
    const value = JSON.parse(text) as Partial<RelayAnswer> | null;
    return typeof value?.pod === "string" ? (value as RelayAnswer) : null;
  } catch {
    return null;
  }
}
