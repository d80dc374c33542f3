import { type AddressForm, drawAddress, nameInHosts } from "#core/rows/address.ts";
import { type Actor, type RequestInput, refuse, type Verdict } from "./requests.ts";

/**
 * Another address, in words of the present name, or the one that is its id. What it leaves is never given to anybody again, so
 * that asking for words always makes new ones; its id it has already, as often as it is asked for.
 */
export function requestAddress({ row }: RequestInput, form: AddressForm, uuid: string, actor: Actor): Verdict {
  if (row === null) return refuse("NOT_FOUND");
  if (row.deletedAt !== null) return refuse("DELETED");
  const address = form === "id" ? null : drawAddress(row.name, uuid);
  if (address === row.address) return { write: null, result: { accepted: true } };
  const details = { left: nameInHosts(row), taken: nameInHosts({ id: row.id, address }) };
  const moved = { actor, kind: "moved", from: null, to: null, code: "address_changed", details };
  return { write: { address }, events: [moved], result: { accepted: true } };
}
