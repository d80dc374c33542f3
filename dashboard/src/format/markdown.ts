/**
 * A small, safe part of Markdown for memos: headings, paragraphs, lists, quotes, rules, fenced code, and inside a line
 * emphasis, strong, code and links. The result is data, never HTML, so nothing a memo says can become markup.
 */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "strike"; readonly children: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly children: readonly Inline[] };

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: "paragraph" | "quote"; readonly children: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "rule" }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] };

/** Only addresses that cannot run anything in this page. */
export const safeHref = (href: string): string | null => (/^(https?:\/\/|mailto:)[^\s]+$/i.test(href) ? href : null);

const rules: readonly { pattern: RegExp; make: (match: RegExpExecArray) => Inline }[] = [
  { pattern: /`([^`]+)`/, make: (m) => ({ kind: "code", text: m[1] ?? "" }) },
  {
    pattern: /\[([^\][]+)\]\(([^()\s]+)\)/,
    make: (m) => {
      const href = safeHref(m[2] ?? "");
      return href === null ? { kind: "text", text: m[0] } : { kind: "link", href, children: inlineOf(m[1] ?? "") };
    },
  },
  {
    pattern: /https?:\/\/[^\s<>()]*[^\s<>().,;:!?'"]/,
    make: (m) => ({ kind: "link", href: m[0], children: [{ kind: "text", text: m[0] }] }),
  },
  { pattern: /\*\*([^*]+)\*\*/, make: (m) => ({ kind: "strong", children: inlineOf(m[1] ?? "") }) },
  { pattern: /~~([^~]+)~~/, make: (m) => ({ kind: "strike", children: inlineOf(m[1] ?? "") }) },
  { pattern: /\*([^*\s][^*]*)\*/, make: (m) => ({ kind: "em", children: inlineOf(m[1] ?? "") }) },
  { pattern: /(?<!\w)_([^_]+)_(?!\w)/, make: (m) => ({ kind: "em", children: inlineOf(m[1] ?? "") }) },
];

export const inlineOf = (source: string): Inline[] => {
  let best: { match: RegExpExecArray; make: (match: RegExpExecArray) => Inline } | null = null;
  for (const { pattern, make } of rules) {
    const match = pattern.exec(source);
    if (match !== null && (best === null || match.index < best.match.index)) best = { match, make };
  }
  if (best === null) return source === "" ? [] : [{ kind: "text", text: source }];
  const before = source.slice(0, best.match.index);
  const after = source.slice(best.match.index + best.match[0].length);
  return [
    ...(before === "" ? [] : [{ kind: "text" as const, text: before }]),
    best.make(best.match),
    ...inlineOf(after),
  ];
};

const listItem = /^\s*(?:([-*+])|\d{1,9}[.)])\s+(.*)$/;

/** Takes the lines of one block off the front; at least one, so that parsing always ends. */
const takeBlock = (lines: string[]): Block | null => {
  const line = lines.shift() ?? "";
  if (line.trim() === "") return null;
  if (/^```/.test(line)) {
    const end = lines.findIndex((other) => /^```\s*$/.test(other));
    const body = lines.splice(0, end === -1 ? lines.length : end + 1);
    return { kind: "code", text: (end === -1 ? body : body.slice(0, -1)).join("\n") };
  }
  const heading = /^(#{1,4})\s+(.*?)\s*#*$/.exec(line);
  if (heading !== null)
    return { kind: "heading", level: heading[1]?.length ?? 1, children: inlineOf(heading[2] ?? "") };
  if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) return { kind: "rule" };
  const first = listItem.exec(line);
  if (first !== null) {
    const items = [inlineOf(first[2] ?? "")];
    for (let next = listItem.exec(lines[0] ?? ""); next !== null; next = listItem.exec(lines[0] ?? "")) {
      items.push(inlineOf(next[2] ?? ""));
      lines.shift();
    }
    return { kind: "list", ordered: first[1] === undefined, items };
  }
  const quote = /^>\s?/;
  const kind = quote.test(line) ? "quote" : "paragraph";
  const text = [line];
  const goesOn = (next: string | undefined) =>
    next !== undefined &&
    next.trim() !== "" &&
    quote.test(next) === (kind === "quote") &&
    !/^(```|#{1,4}\s)/.test(next) &&
    !listItem.test(next);
  while (goesOn(lines[0])) text.push(lines.shift() ?? "");
  return { kind, children: inlineOf(text.map((part) => part.replace(quote, "").trim()).join(" ")) };
};

export const parseMarkdown = (source: string): Block[] => {
  const lines = source.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  while (lines.length > 0) {
    const block = takeBlock(lines);
    if (block !== null) blocks.push(block);
  }
  return blocks;
};
