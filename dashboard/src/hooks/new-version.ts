import { useEffect, useState } from "react";

/** Beside the look after each loss: of several servers that are updated one after the other, this tab may have met an old one. */
const everyMs = 600_000;

/** The page that a visit would begin with now; null where nobody gives it. */
async function readIndex(signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await fetch("/", { cache: "no-cache", signal });
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

/** Whether this index begins with other files than the page has. Their names have a hash of what is in them. */
export function namesOtherFiles(index: string, present: ReadonlySet<string>): boolean {
  const named = [...index.matchAll(/ (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name]) => name ?? "");
  return named.some((name) => !present.has(name));
}

const filesOfThisPage = (): ReadonlySet<string> =>
  new Set(
    [...document.querySelectorAll("script[src], link[href]")].map(
      (element) => element.getAttribute("src") ?? element.getAttribute("href") ?? "",
    ),
  );

/**
 * Whether the server has another dashboard than the one in this tab. An update restarts the server, which the event stream
 * notices, so the time to look is when the stream is live again.
 */
export function useNewVersion(live: boolean): [boolean, () => void] {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    if (!live) return undefined;
    const controller = new AbortController();
    const look = async () => {
      const index = await readIndex(controller.signal);
      if (index !== null && namesOtherFiles(index, filesOfThisPage())) setThere(true);
    };
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [live]);
  return [isThere, () => setThere(false)];
}
