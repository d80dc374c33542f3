import { lazy, Suspense } from "react";

const Plain = ({ source }: { source: string }) => <p className="text-sm wrap-anywhere whitespace-pre-wrap">{source}</p>;

const MarkdownParts = lazy(() =>
  import("./markdown-parts.tsx").then(
    (loaded) => ({ default: loaded.MarkdownParts }),
    // An update of the server takes the files of the old page away; the text can be read without them.
    () => ({ default: Plain }),
  ),
);

/** Markdown that people wrote. The parser comes when the first text is shown; until then it stands there as written. */
export const Markdown = ({ source }: { source: string }) => (
  <Suspense fallback={<Plain source={source} />}>
    <MarkdownParts source={source} />
  </Suspense>
);
