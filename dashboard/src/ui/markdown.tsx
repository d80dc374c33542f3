import { lazy, Suspense } from "react";
import { AsWritten } from "./as-written.tsx";

const MarkdownParts = lazy(() =>
  import("./markdown-parts.tsx").then(
    (loaded) => ({ default: loaded.MarkdownParts }),
    // An update of the server takes the files of the old page away; the text can be read without them.
    () => ({ default: AsWritten }),
  ),
);

/** Markdown that people wrote. The parser comes when the first text is shown; until then it stands there as written. */
export const Markdown = ({ source }: { source: string }) => (
  <Suspense fallback={<AsWritten source={source} />}>
    <MarkdownParts source={source} />
  </Suspense>
);
