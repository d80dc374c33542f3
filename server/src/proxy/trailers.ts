/** A trailer must not say what only a head may: whose request it is, where it goes and how long it is. */
const FORBIDDEN =
  /^(?:host|cookie|set-cookie|authorization|origin|content-length|transfer-encoding|connection|te|trailer|upgrade|forwarded|x-forwarded-.*|x-real-ip|x-codehub-.*)$/i;

export const forbiddenTrailer = (name: string): boolean => FORBIDDEN.test(name);

/** The client's trailers as lines for the container. */
export function trailerLines(raw: readonly string[]): string {
  let text = "";
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] ?? "";
    if (!forbiddenTrailer(name)) text += `${name}: ${raw[i + 1]}\r\n`;
  }
  return text;
}
