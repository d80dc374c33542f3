import { trimBlanks } from "#proxy/wire/blanks.ts";

/**
 * Cookies of ours on a workspace's origin. The `__Host-` prefix makes the browser refuse such a cookie from a
 * neighbouring host, `__Host-Http-` also one that a script sets; a browser that does not know the second treats it as the
 * first. Over plain http not every browser keeps Secure cookies, so there a plain name is set beside it, and what comes
 * back tells which kind this browser keeps.
 */
interface Name {
  readonly prefixed: string;
  readonly plain: string;
}
const SESSION: Name = { prefixed: "__Host-codehub_ws", plain: "codehub_ws" };
const STATE: Name = { prefixed: "__Host-Http-codehub_state_", plain: "codehub_state_" };

export type CookieFinding =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  /** Two cookies of one name: somebody else set one of them, and nobody can tell which. */
  | { readonly kind: "ambiguous" };

const NONE: CookieFinding = { kind: "none" };
const AMBIGUOUS: CookieFinding = { kind: "ambiguous" };

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

function find(header: string | undefined, name: Name, secure: boolean): CookieFinding {
  if (header === undefined || !header.includes(name.plain)) return NONE;
  let prefixed: string | null = null;
  let plain: string | null = null;
  // Cut by hand instead of split: every request comes through here.
  for (let start = 0; start < header.length; ) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon < 0 ? header.length : semicolon;
    const equals = header.indexOf("=", start);
    if (equals > start && equals < end) {
      const key = trimBlanks(header.slice(start, equals));
      if (key === name.prefixed) {
        if (prefixed !== null) return AMBIGUOUS;
        prefixed = trimBlanks(header.slice(equals + 1, end));
      } else if (key === name.plain && !secure) {
        if (plain !== null) return AMBIGUOUS;
        plain = trimBlanks(header.slice(equals + 1, end));
      }
    }
    start = end + 1;
  }
  const token = prefixed ?? plain;
  return token !== null && TOKEN.test(token) ? { kind: "token", token } : NONE;
}

export const findSession = (header: string | undefined, secure: boolean): CookieFinding =>
  find(header, SESSION, secure);

/** Each begin has a state of its own and a cookie named after its hash, so that tabs do not get into each other's way. */
function stateName(hash: string): Name {
  const key = hash.slice(0, 8);
  return { prefixed: STATE.prefixed + key, plain: STATE.plain + key };
}

export const findState = (header: string | undefined, hash: string, secure: boolean): CookieFinding =>
  find(header, stateName(hash), secure);

const STATE_SECONDS = 300;
/** As many tabs may begin at once; more would make the header too long. */
const MAX_STATES = 8;
const attributes = "Path=/; HttpOnly; SameSite=Lax";

function set(name: Name, value: string, maxAgeSeconds: number, secure: boolean): string[] {
  const prefixed = `${name.prefixed}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}; Secure`;
  return secure ? [prefixed] : [prefixed, `${name.plain}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`];
}

export const stateCookies = (hash: string, value: string, secure: boolean): string[] =>
  set(stateName(hash), value, STATE_SECONDS, secure);

/** The state has served, or is nobody's. */
export const clearedState = (hash: string, secure: boolean): string[] => set(stateName(hash), "", 0, secure);

/** Clears what is left of begins that never arrived, the oldest first, which browsers send first. */
export function clearedLeftovers(header: string | undefined, secure: boolean): string[] {
  const keys = [...(header ?? "").matchAll(/(?:^|;)[\t ]*(?:__Host-Http-)?codehub_state_([\w-]{8})=/g)];
  const different = [...new Set(keys.map(([, key = ""]) => key))];
  return different.slice(0, -MAX_STATES).flatMap((key) => clearedState(key, secure));
}

/** One session cookie only: the prefixed one wherever the browser has shown that it keeps it. */
export function sessionCookie(
  token: string,
  maxAgeSeconds: number,
  requestHeader: string | undefined,
  secure: boolean,
): string {
  const [prefixed = "", plain] = set(SESSION, token, maxAgeSeconds, secure);
  const keepsPrefixed = requestHeader?.includes(STATE.prefixed) ?? false;
  return plain === undefined || keepsPrefixed ? prefixed : plain;
}

/** Names the platform keeps for itself, on any origin and with any prefix a browser may treat specially. */
const RESERVED = /^(?:__(?:host-http|host|secure|http)-)?codehub/i;

/** Whatever anybody may take for a blank is taken away first: a name that only looks like ours is refused, too. */
export const isReservedCookie = (name: string): boolean => RESERVED.test(name.trim());

/** The Cookie header without anything of ours, or "" when nothing is left. */
export function withoutOurs(header: string): string {
  let kept = "";
  for (let start = 0; start < header.length; ) {
    const semicolon = header.indexOf(";", start);
    const end = semicolon < 0 ? header.length : semicolon;
    const part = trimBlanks(header.slice(start, end));
    start = end + 1;
    if (part === "" || isReservedCookie(part)) continue;
    kept = kept === "" ? part : `${kept}; ${part}`;
  }
  return kept;
}

/** Whether a Set-Cookie of a workspace may reach the browser: none of our names, and none for other hosts. */
export function maySet(setCookie: string): boolean {
  const [pair = "", ...rest] = setCookie.split(";");
  // A cookie without a name is sent back as its bare value, which can be made to look like one of ours.
  const equals = pair.indexOf("=");
  const name = equals > 0 ? pair.slice(0, equals) : pair.slice(equals + 1);
  if (isReservedCookie(name) || (equals <= 0 && /codehub/i.test(pair))) return false;
  return !rest.some((attribute) => /^\s*domain\s*(?:=|$)/i.test(attribute));
}
