import { get } from "node:http";
import type { Address } from "#core/rows/workspace.ts";

/** Anything with an address: a container that was seen, or a recorded endpoint. */
export interface Reachable {
  readonly address: Address | null;
}

/** Asks the fake IDE in a container for something. */
export function ask(container: Reachable, action: string, parameters: Record<string, string> = {}): Promise<string> {
  const { address } = container;
  if (address === null) throw new Error("There is no address to ask");
  const target = address.kind === "unix" ? { socketPath: address.path } : { host: address.host, port: address.port };
  return new Promise((resolve, reject) => {
    const request = get(
      { ...target, path: `${action}?${new URLSearchParams(parameters)}`, agent: false },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("end", () => resolve(text));
        response.on("error", reject);
      },
    );
    request.on("error", reject);
  });
}

/** Runs a command inside the workspace, as its user. */
export async function runInside(container: Reachable, command: string): Promise<{ code: number; text: string }> {
  return JSON.parse(await ask(container, "/run", { command })) as { code: number; text: string };
}
