import { Fragment, type ReactNode, useMemo } from "react";
import { type MarkedToken, type Token, type Tokens, tokensOf } from "../format/markdown.ts";
import { AsWritten } from "./as-written.tsx";

/** Only addresses that cannot run anything in this page. */
const safeHref = (href: string): string | null => (/^(https?:\/\/|mailto:)[^\s]+$/i.test(href) ? href : null);

/** Positions are the only identity parsed text has; it is drawn anew as a whole when the memo changes. */
const keyed = <T,>(items: readonly T[], draw: (item: T) => ReactNode) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parsed text has no other identity than its position.
  items.map((item, index) => <Fragment key={index}>{draw(item)}</Fragment>);

const drawAll = (tokens: readonly Token[] = []): ReactNode => keyed(tokens, draw);

const Outside = ({ href, children }: { href: string; children: ReactNode }) => (
  <a className="link" href={href} target="_blank" rel="noopener noreferrer nofollow">
    {children}
  </a>
);

function drawLink({ href: wanted, raw, tokens }: Tokens.Link): ReactNode {
  const href = safeHref(wanted);
  if (href === null) return raw;
  // A link inside a link is none: an image there is only its name.
  return <Outside href={href}>{keyed(tokens, (part) => (part.type === "image" ? part["text"] : draw(part)))}</Outside>;
}

/** Nothing is fetched from elsewhere because a page is looked at: an image is a link to it. */
function drawImage({ href: wanted, raw, text }: Tokens.Image): ReactNode {
  const href = safeHref(wanted);
  return href === null ? raw : <Outside href={href}>{text === "" ? href : text}</Outside>;
}

function drawList({ ordered, start, items }: Tokens.List): ReactNode {
  const entries = keyed(items, (item) => <li>{drawAll(item.tokens)}</li>);
  return ordered ? (
    <ol className="list-decimal pl-5" start={start === "" ? 1 : start}>
      {entries}
    </ol>
  ) : (
    <ul className="list-disc pl-5">{entries}</ul>
  );
}

const drawTable = ({ header, rows }: Tokens.Table): ReactNode => (
  <table className="text-left">
    <thead>
      <tr>
        {keyed(header, (cell) => (
          <th className="border-b border-line-strong py-1 pr-4 font-semibold">{drawAll(cell.tokens)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {keyed(rows, (row) => (
        <tr>
          {keyed(row, (cell) => (
            <td className="border-b border-line py-1 pr-4 align-top">{drawAll(cell.tokens)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** Every kind of token is an element of ours or text: nothing that somebody wrote becomes markup. */
function draw(any: Token): ReactNode {
  const token = any as MarkedToken;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "text":
      return token.tokens === undefined ? token.text : drawAll(token.tokens);
    case "escape":
      return token.text;
    case "html":
      return token.block ? <p className="whitespace-pre-wrap">{token.raw.trimEnd()}</p> : token.raw;
    case "br":
      return <br />;
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "codespan":
      return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{token.text}</code>;
    case "strong":
      return <strong>{drawAll(token.tokens)}</strong>;
    case "em":
      return <em>{drawAll(token.tokens)}</em>;
    case "del":
      return <s>{drawAll(token.tokens)}</s>;
    case "link":
      return drawLink(token);
    case "image":
      return drawImage(token);
    case "heading":
      // Inside a card whose own heading is h2, so that the page's outline stays in order.
      return (
        <h3 className={token.depth === 1 ? "text-base font-semibold" : "font-semibold"}>{drawAll(token.tokens)}</h3>
      );
    case "paragraph":
      return <p>{drawAll(token.tokens)}</p>;
    case "blockquote":
      return (
        <blockquote className="flex flex-col gap-2 border-l-2 border-line-strong pl-3 text-ink-2">
          {drawAll(token.tokens)}
        </blockquote>
      );
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        <pre tabIndex={0} className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-[13px]">
          {token.text}
        </pre>
      );
    case "hr":
      return <hr className="border-line" />;
    case "list":
      return drawList(token);
    case "list_item":
      return <li>{drawAll(token.tokens)}</li>;
    case "table":
      return drawTable(token);
  }
}

export function MarkdownParts({ source }: { source: string }) {
  const tokens = useMemo(() => tokensOf(source), [source]);
  return tokens === null ? (
    <AsWritten source={source} />
  ) : (
    <div className="flex flex-col gap-2 text-sm wrap-anywhere">{drawAll(tokens)}</div>
  );
}
