import { expect, test } from "vitest";
import { namesOtherFiles } from "./new-version.ts";

const index = (script: string, style: string) => `<!doctype html><head>
  <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
  <script type="module" crossorigin src="/assets/${script}"></script>
  <link rel="stylesheet" crossorigin href="/assets/${style}">
</head>`;
const present = new Set(["/favicon.svg", "/assets/index-A.js", "/assets/index-A.css", "/assets/later-B.css"]);

test.each([
  ["the same files", index("index-A.js", "index-A.css"), false],
  ["another script", index("index-B.js", "index-A.css"), true],
  ["only other colours", index("index-A.js", "index-B.css"), true],
  ["a page of somebody in between", "<h1>Be right back</h1>", false],
  ["a dashboard that is being developed", '<script type="module" src="/src/main.tsx"></script>', false],
  ["nothing", "", false],
])("a new version is one with other files: %s", (_, html, expected) =>
  expect(namesOtherFiles(html, present)).toBe(expected),
);
