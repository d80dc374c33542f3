import { neverSentOn } from "./request-head.ts";
import { onlyInHead } from "./response-head.ts";

/** Names that Connection took out of a message. */
export type NamedByConnection = ReadonlySet<string> | null;

/** Digests are made while the content goes by, so that trailers are where they belong; all else of the kind is not. */
const DIGESTS: ReadonlySet<string> = new Set(["content-digest", "content-md5"]);

/**
 * What is decided by before a body is read, in either direction: whose message it is, where it goes, how it is framed
 * and read, and what may be done with it. A reader that merges trailers into its headers would decide otherwise.
 */
const DECIDES =
  /^(?:content-.*|trailer|cookie|authorization|origin|referer|range|max-forwards|if-.*|sec-.*|cache-control|pragma|age|expires|date|vary|warning|retry-after|www-authenticate|set-cookie2|access-control-.*|cross-origin-.*|x-frame-options|permissions-policy|referrer-policy)$/;

const decides = (lower: string): boolean => DECIDES.test(lower) && !DIGESTS.has(lower);

/** The client's trailers as lines for the container. */
export function requestTrailers(raw: readonly string[], named: NamedByConnection): string {
  let text = "";
  for (const [name, value] of kept(raw, named, neverSentOn)) text += `${name}: ${value}\r\n`;
  return text;
}

/** The container's trailers for the client, each by itself: of two with one name both are kept. */
export const responseTrailers = (raw: readonly string[], named: NamedByConnection): [string, string][] =>
  kept(raw, named, onlyInHead);

function kept(
  raw: readonly string[],
  named: NamedByConnection,
  forbidden: (lower: string) => boolean,
): [string, string][] {
  const out: [string, string][] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? "";
    const lower = name.toLowerCase();
    if (!forbidden(lower) && !decides(lower) && named?.has(lower) !== true) out.push([name, raw[i + 1] ?? ""]);
  }
  return out;
}
