import { lexer, type Token } from "marked";

export type { MarkedToken, Token, Tokens } from "marked";

/** Beyond these a person did not write it, and the parser needs seconds or more depth than there is for it. */
const most = { depth: 8, indent: 32, lines: 250, marks: 1000 } as const;

const nested = new RegExp(`^(?:[ \\t]*(?:>|[-*+]|\\d{1,9}[.)])){${most.depth + 1}}`, "m");
const indented = new RegExp(`^[ \\t]{${most.indent},}(?:>|[-*+]|\\d{1,9}[.)])`, "m");
const marks = /[*_~`[\]<>!|\\:@&#-]/g;
const blankLine = /\n[ \t]*\n/;

/**
 * Whether a text is so deep, or one of its paragraphs so full of marks, that parsing it as Markdown is not worth what it
 * costs. Marked looks ahead from each mark to the end of the paragraph, and calls itself for each level of nesting.
 */
const isTangled = (source: string): boolean =>
  nested.test(source) ||
  indented.test(source) ||
  source
    .split(blankLine)
    .some(
      (paragraph) => paragraph.split("\n").length > most.lines || (paragraph.match(marks)?.length ?? 0) > most.marks,
    );

/** A text as Markdown; null where it is better shown as it was written. */
export const tokensOf = (source: string): Token[] | null => (isTangled(source) ? null : lexer(source));
