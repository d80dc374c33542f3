/**
 * The dashboard's session cookie. The `__Host-Http-` prefix makes the browser itself refuse a cookie of this name that
 * another origin or a script tries to set. Over plain http not every browser keeps Secure cookies; whether this one
 * does is found out with a probe cookie before anybody signs in, and where it does not, a plain name is used.
 */
const SESSION_COOKIE = "__Host-Http-codehub";
const PLAIN_SESSION_COOKIE = "codehub";
const DEVICE_COOKIE = "__Host-Http-codehub_device";
const PLAIN_DEVICE_COOKIE = "codehub_device";
const DEVICE_SECONDS = 365 * 86_400;
const PROBE_COOKIE = "__Host-Http-codehub_probe";

export type CookieFinding =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  /** Two cookies of one name: somebody else set one of them, and nobody can tell which. */
  | { readonly kind: "ambiguous" };

const valuesOf = (header: string | undefined, name: string): string[] =>
  (header ?? "").split(";").flatMap((part) => {
    const equals = part.indexOf("=");
    return equals > 0 && part.slice(0, equals).trim() === name ? [part.slice(equals + 1).trim()] : [];
  });

/** On https only the prefixed name counts: a plain one could have been planted by a neighbouring host. */
export function findSessionCookie(header: string | undefined, secure: boolean): CookieFinding {
  for (const name of secure ? [SESSION_COOKIE] : [SESSION_COOKIE, PLAIN_SESSION_COOKIE]) {
    const values = valuesOf(header, name);
    if (values.length > 1) return { kind: "ambiguous" };
    if (values[0] !== undefined && values[0] !== "") return { kind: "token", token: values[0] };
  }
  return { kind: "none" };
}

const attributes = (name: string, secure: boolean): string =>
  `Path=/; HttpOnly; SameSite=Lax${secure || name.startsWith("__Host-") ? "; Secure" : ""}`;

/** Sent with the answer to "who am I?" when nobody is signed in; what comes back with the login tells. */
export const probeCookie = (): string => `${PROBE_COOKIE}=1; Max-Age=600; ${attributes(PROBE_COOKIE, true)}`;

const keepsPrefixed = (header: string | undefined, secure: boolean): boolean =>
  secure || valuesOf(header, PROBE_COOKIE).length > 0 || valuesOf(header, SESSION_COOKIE).length > 0;

/** Marks a browser in which somebody has signed in. It stays when they sign out. */
export function deviceCookie(mark: string, requestHeader: string | undefined, secure: boolean): string {
  const name = keepsPrefixed(requestHeader, secure) ? DEVICE_COOKIE : PLAIN_DEVICE_COOKIE;
  return `${name}=${mark}; Max-Age=${DEVICE_SECONDS}; ${attributes(name, secure)}`;
}

/** Where a sign-in comes from: the address, and the mark of the browser if it brought one. */
export function originOf(
  request: { readonly ip: string; readonly headers: { readonly cookie?: string | undefined } },
  baseUrl: URL,
): { readonly address: string; readonly device: string | null } {
  const names = baseUrl.protocol === "https:" ? [DEVICE_COOKIE] : [DEVICE_COOKIE, PLAIN_DEVICE_COOKIE];
  const device = names.flatMap((name) => valuesOf(request.headers.cookie, name))[0] ?? null;
  return { address: request.ip, device };
}

export function sessionCookies(
  token: string,
  maxAgeSeconds: number,
  requestHeader: string | undefined,
  secure: boolean,
): string[] {
  const name = keepsPrefixed(requestHeader, secure) ? SESSION_COOKIE : PLAIN_SESSION_COOKIE;
  const other = name === SESSION_COOKIE ? PLAIN_SESSION_COOKIE : SESSION_COOKIE;
  return [
    `${name}=${token}; Max-Age=${maxAgeSeconds}; ${attributes(name, secure)}`,
    // A leftover under the other name would outlive this session and come back after a logout.
    `${other}=; Max-Age=0; ${attributes(other, secure)}`,
  ];
}

export const clearedCookies = (secure: boolean): string[] =>
  [SESSION_COOKIE, PLAIN_SESSION_COOKIE].map((name) => `${name}=; Max-Age=0; ${attributes(name, secure)}`);
