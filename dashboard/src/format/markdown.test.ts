import fc from "fast-check";
import { expect, test } from "vitest";
import { type Inline, inlineOf, parseMarkdown, safeHref } from "./markdown.ts";

test("blocks", () => {
  const blocks = parseMarkdown(
    "# Title\n\nOne\ntwo\n\n- a\n- b\n\n1. x\n2. y\n\n> said\n\n---\n\n```js\nlet a;\n\n```\nend",
  );
  expect(blocks.map((block) => block.kind)).toEqual([
    "heading",
    "paragraph",
    "list",
    "list",
    "quote",
    "rule",
    "code",
    "paragraph",
  ]);
  expect(blocks[1]).toEqual({ kind: "paragraph", children: [{ kind: "text", text: "One two" }] });
  expect(blocks[3]).toMatchObject({ ordered: true });
  expect(blocks[6]).toEqual({ kind: "code", text: "let a;\n" });
});

test("inside a line", () => {
  expect(inlineOf("a **b** `c*` [d](https://e.f)")).toEqual([
    { kind: "text", text: "a " },
    { kind: "strong", children: [{ kind: "text", text: "b" }] },
    { kind: "text", text: " " },
    { kind: "code", text: "c*" },
    { kind: "text", text: " " },
    { kind: "link", href: "https://e.f", children: [{ kind: "text", text: "d" }] },
  ]);
  expect(inlineOf("snake_case_name")).toEqual([{ kind: "text", text: "snake_case_name" }]);
});

test.each(["javascript:alert(1)", "data:text/html,x", "JaVaScRiPt:x", "//evil", "/api/v1/x", "vbscript:x"])(
  "%s is no link",
  (href) => {
    expect(safeHref(href)).toBeNull();
    expect(inlineOf(`[x](${href})`).every((part) => part.kind === "text")).toBe(true);
  },
);

const textOf = (parts: readonly Inline[]): string =>
  parts.map((part) => ("children" in part ? textOf(part.children) : part.text)).join("");

test("any text is parsed, and plain words come out again", () => {
  fc.assert(fc.property(fc.string({ maxLength: 400 }), (source) => void parseMarkdown(source)));
  fc.assert(fc.property(fc.stringMatching(/^[a-z ]{1,60}$/), (words) => textOf(inlineOf(words)) === words));
});
