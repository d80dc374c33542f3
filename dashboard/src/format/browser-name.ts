/** In this order: nearly every browser also calls itself those below it. */
const browsers = [
  [/\bEdg\w*\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(HeadlessChrome|Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const systems = [
  [/Windows/, "Windows"],
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Mac OS/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
] as const;

const among = (known: readonly (readonly [RegExp, string])[], agent: string): string | null =>
  known.find(([sign]) => sign.test(agent))?.[1] ?? null;

/** What somebody signed in with, as people call it. */
export function browserName(agent: string | null): string {
  if (agent === null || agent === "") return "Unknown browser";
  const browser = among(browsers, agent);
  if (browser === null) return agent;
  const system = among(systems, agent);
  return system === null ? browser : `${browser} on ${system}`;
}
