import { hostNameOf } from "./host-name.ts";
import type { Workspace } from "./workspace.ts";

/** What a workspace is called in the host names that serve it: words made from its name, or its id. */
export const ADDRESS_FORMS = ["words", "id"] as const;
export type AddressForm = (typeof ADDRESS_FORMS)[number];

/** With `65535--` in front it is one label of a host name, which has 63 characters. */
export const LONGEST_ADDRESS = 50;

/** No vowels, so that chance writes no words; nothing that is easily read as something else. */
const LETTERS = "23456789bcdfghjkmnpqrstvwxz";
const ENDING = 6;

/**
 * An address in words. Its ending sets it apart from an id, whose last part is longer, and it has no two hyphens in a row, which
 * only the hosts of ports have: whatever a host name says, it can be read in one way.
 */
const ADDRESS = new RegExp(`^[a-z0-9]+(?:-[a-z0-9]+)*-[${LETTERS}]{${ENDING}}$`);

/** Names that would be taken for a part of the server. */
const RESERVED: ReadonlySet<string> = new Set(["admin", "auth", "dashboard", "localhost", "login", "probe", "www"]);
/** A port, or the beginning of an id. */
const MISLEADING = /^[0-9]+(?:-|$)|^[0-9a-f]{8}-[0-9a-f]{4}(?:-|$)/;

export const isAddress = (label: string): boolean =>
  label.length <= LONGEST_ADDRESS && ADDRESS.test(label) && !MISLEADING.test(label);

/** From the name and a random UUID, of which the ending is made: nobody else's address, whatever they call theirs. */
export function drawAddress(name: string, uuid: string): string {
  const words = hostNameOf(name);
  const plain = RESERVED.has(words) || MISLEADING.test(words) ? `ws-${words}` : words;
  const fitting = plain.slice(0, LONGEST_ADDRESS - ENDING - 1).replace(/-+$/, "");
  return `${fitting}-${ending(uuid)}`;
}

/** The last 48 bits of a UUID are random all of them, and far more than the ending can show. */
function ending(uuid: string): string {
  let rest = Number.parseInt(uuid.slice(-12), 16);
  let text = "";
  for (let i = 0; i < ENDING; i += 1) {
    text += LETTERS[rest % LETTERS.length];
    rest = Math.floor(rest / LETTERS.length);
  }
  return text;
}

/** The one name that stands for a workspace in host names now. Any other that was ever its own leads here. */
export const nameInHosts = ({ id, address }: Pick<Workspace, "id" | "address">): string => address ?? id;
