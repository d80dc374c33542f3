import { Fragment, type ReactNode } from "react";
import { type Block, type Inline, parseMarkdown } from "../format/markdown.ts";

/** Positions are the only identity parsed text has; it is drawn anew as a whole when the memo changes. */
const keyed = <T,>(items: readonly T[], draw: (item: T) => ReactNode) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: parsed text has no other identity than its position.
  items.map((item, index) => <Fragment key={index}>{draw(item)}</Fragment>);

const drawInline = (part: Inline): ReactNode => {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code className="rounded bg-sunken px-1 py-0.5 font-mono text-[0.9em]">{part.text}</code>;
    case "strong":
      return <strong>{keyed(part.children, drawInline)}</strong>;
    case "em":
      return <em>{keyed(part.children, drawInline)}</em>;
    case "strike":
      return <s>{keyed(part.children, drawInline)}</s>;
    case "link":
      return (
        <a className="link" href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {keyed(part.children, drawInline)}
        </a>
      );
  }
};

const drawBlock = (block: Block): ReactNode => {
  switch (block.kind) {
    case "heading":
      // Inside a card whose own heading is h2, so that the page's outline stays in order.
      return (
        <h3 className={block.level === 1 ? "text-base font-semibold" : "font-semibold"}>
          {keyed(block.children, drawInline)}
        </h3>
      );
    case "paragraph":
      return <p>{keyed(block.children, drawInline)}</p>;
    case "quote":
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 text-ink-2">
          {keyed(block.children, drawInline)}
        </blockquote>
      );
    case "code":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        <pre tabIndex={0} className="overflow-x-auto rounded-lg bg-sunken p-3 font-mono text-[13px]">
          {block.text}
        </pre>
      );
    case "rule":
      return <hr className="border-line" />;
    case "list": {
      const items = keyed(block.items, (item) => <li>{keyed(item, drawInline)}</li>);
      return block.ordered ? (
        <ol className="list-decimal pl-5">{items}</ol>
      ) : (
        <ul className="list-disc pl-5">{items}</ul>
      );
    }
  }
};

export const Markdown = ({ source }: { source: string }) => (
  <div className="flex flex-col gap-2 text-sm wrap-anywhere">{keyed(parseMarkdown(source), drawBlock)}</div>
);
