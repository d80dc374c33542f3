import { connect } from "node:net";
import type { Address } from "#core/rows/workspace.ts";
import { neighboursAt } from "./neighbours.ts";

export type TcpAddress = Extract<Address, { readonly kind: "tcp" }>;

const LIMIT_MS = 3_000;

/**
 * Whether the container that this address was recorded for, and no other one, is behind it now. A published port carries no
 * hardware address: it is its container's for as long as it is reserved.
 */
export function confirms(address: Address): boolean {
  if (address.kind === "unix" || address.mac === undefined) return true;
  const found = neighboursAt(address.host);
  return found.length === 1 && found[0] === address.mac;
}

/**
 * What is met at the address of a container that was just started. It need not listen yet: a refusal is an answer too, if
 * it comes from the container. A rule of a firewall refuses in the same words, but nobody is found behind the address then.
 */
export async function knock(address: TcpAddress): Promise<"container" | "another" | "nobody"> {
  const answered = await answers(address);
  if (confirms(address)) return answered ? "container" : "nobody";
  return neighboursAt(address.host).length > 0 ? "another" : "nobody";
}

function answers({ host, port }: TcpAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (answered: boolean): void => {
      resolve(answered);
      socket.destroy();
    };
    socket.setTimeout(LIMIT_MS, () => settle(false));
    socket.on("connect", () => settle(true));
    socket.on("error", (error: NodeJS.ErrnoException) => settle(error.code === "ECONNREFUSED"));
  });
}
