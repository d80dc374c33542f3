import fc from "fast-check";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { tokensOf } from "../format/markdown.ts";
import { MarkdownParts } from "./markdown-parts.tsx";

/** What the browser would be given, without the classes, which are looks. */
const drawn = (source: string) =>
  renderToStaticMarkup(createElement(MarkdownParts, { source }))
    .replaceAll(/ class="[^"]*"/g, "")
    .replace(/^<(?:div|p)>([\s\S]*)<\/(?:div|p)>$/, "$1");
const longest = 20_000;
const upTo = (part: string) => part.repeat(longest).slice(0, longest);

test.each([
  ["# Title", "<h3>Title</h3>"],
  ["One\ntwo", "<p>One\ntwo</p>"],
  ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
  ["- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>"],
  ["3. x\n4. y", '<ol start="3"><li>x</li><li>y</li></ol>'],
  ["> said\n>\n> twice", "<blockquote><p>said</p><p>twice</p></blockquote>"],
  ["---", "<hr/>"],
  ["```js\nlet a;\n\n```\nend", '<pre tabindex="0">let a;\n</pre><p>end</p>'],
  ["- [x] done", "<ul><li>☑ done</li></ul>"],
  [
    "|a|b|\n|-|-|\n|1|2|",
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
  ],
])("block %j", (source, html) => expect(drawn(source)).toBe(html));

const outside = 'target="_blank" rel="noopener noreferrer nofollow"';
test.each([
  ["a **b** `c*` ~~d~~ _e_", "<p>a <strong>b</strong> <code>c*</code> <s>d</s> <em>e</em></p>"],
  ["snake_case_name", "<p>snake_case_name</p>"],
  ["[d](https://e.f)", `<p><a href="https://e.f" ${outside}>d</a></p>`],
  ["see https://e.f/g.", `<p>see <a href="https://e.f/g" ${outside}>https://e.f/g</a>.</p>`],
  ["<me@e.f>", `<p><a href="mailto:me@e.f" ${outside}>me@e.f</a></p>`],
  ["![a picture](https://e.f/g.png)", `<p><a href="https://e.f/g.png" ${outside}>a picture</a></p>`],
  ["[![a picture](https://e.f/g.png)](https://e.f)", `<p><a href="https://e.f" ${outside}>a picture</a></p>`],
])("inside a line %j", (source, html) => expect(drawn(source)).toBe(html));

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:x",
  "java&#115;cript:x",
  "java\\script:x",
  "&#106;avascript:x",
  "<javascript:x>",
  "<java\tscript:x>",
  "vbscript:x",
  "data:text/html,x",
  "blob:https://e.f/1",
  "file:///etc/passwd",
  "//evil",
  "/api/v1/x",
  "#content",
])("%s is no link", (href) => {
  for (const source of [`[x](${href})`, `![x](${href})`, `[x]\n\n[x]: ${href}`, `[![x](${href})](${href})`])
    expect(drawn(source)).not.toMatch(/<a|<img|href=/);
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a <b onclick=alert(1)>b</b>",
  "<!-- <script> -->",
  "<svg/onload=alert(1)>",
  "<style>*{display:none}</style>",
  "`<script>`",
  "```\n<script>\n```",
  "[<img src=x onerror=alert(1)>](https://e.f)",
  "|<script>|\n|-|\n|<img src=x>|",
])("%s is text", (source) => {
  expect(drawn(source)).not.toMatch(/<(script|img|b|svg|style|!--)/);
  expect(drawn(source)).toContain("&lt;");
});

/** Without the bound some of these end in a stack overflow, and others take seconds. */
test.each([">", "> ", "1. ", "- > ", "> - ", "_a", "__a__b", "*a", "[a](", "- a\n", "b\n", "- [ ] a\n"])(
  "twenty thousand characters of %j are shown as they were written",
  (part) => {
    const source = upTo(part);
    expect(tokensOf(source)).toBeNull();
    expect(drawn(source).replaceAll("&gt;", ">")).toBe(source);
  },
);

test("lists nested by their indent are bounded too", () => {
  expect(tokensOf(Array.from({ length: 199 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n"))).toBeNull();
});

test("a long text as people write it is drawn", () => {
  const legal = upTo(
    "The *party* of the first part shall, as _defined_ in 4.2 (see https://example.org/a_b), not be `liable`:\n\n- for [this](https://example.org);\n- for that.\n\n",
  );
  expect(drawn(legal).match(/<em>/g)?.length).toBeGreaterThan(200);
});

test("any text is drawn, with nothing but what is known, and plain words come out again", () => {
  const known = /<(?!\/?(?:h3|p|ul|ol|li|a|strong|em|s|code|pre|br|hr|blockquote|table|thead|tbody|tr|th|td)\b)/;
  const part = fc.constantFrom(
    "*",
    "_",
    "~~",
    "`",
    "[",
    "](",
    ")",
    "<",
    ">",
    "!",
    "\n",
    " ",
    "- ",
    "1. ",
    "|",
    "a",
    "\\",
    "&lt;",
    "<b>",
    "javascript:",
    "https://e.f",
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 400 }), fc.array(part, { maxLength: 60 })), (source) => {
      expect(drawn(typeof source === "string" ? source : source.join(""))).not.toMatch(known);
    }),
  );
  fc.assert(fc.property(fc.stringMatching(/^[a-z]( ?[a-z]){0,30}$/), (words) => drawn(words) === `<p>${words}</p>`));
});
