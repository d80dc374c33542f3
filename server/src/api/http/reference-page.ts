import { createHash } from "node:crypto";

type Json = Readonly<Record<string, unknown>>;

const STYLE = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1.5rem}
h2{margin-top:2.5rem;text-transform:capitalize}code,pre{font-family:ui-monospace,monospace;font-size:.875rem}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.5rem .75rem}
summary{cursor:pointer}summary code{font-weight:600}
.audience{border:1px solid var(--line);border-radius:1rem;font-size:.75rem;padding:.1rem .5rem}
table{border-collapse:collapse;width:100%}td,th{border-top:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
pre{border:1px solid var(--line);border-radius:.5rem;max-height:28rem;overflow:auto;padding:.75rem}`;

/** The page has no script at all, and its one style is named by its hash. */
export const REFERENCE_POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

const text = (value: unknown): string =>
  String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

function link(schema: unknown): string {
  const reference = (schema as { $ref?: string } | undefined)?.$ref?.split("/").at(-1);
  if (reference !== undefined) return `<a href="#schema-${text(reference)}">${text(reference)}</a>`;
  return `<code>${text(JSON.stringify(schema ?? {}))}</code>`;
}

const row = (...cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;

const content = (value: unknown): string =>
  Object.entries((value as { content?: Json } | undefined)?.content ?? {})
    .map(([media, body]) => `${text(media)} ${link((body as { schema?: unknown }).schema)}`)
    .join("<br>");

function operation(method: string, path: string, value: Json): string {
  const parameters = (value["parameters"] as Json[])
    .map((p) =>
      row(
        `<code>${text(p["name"])}</code> (${text(p["in"])}${p["required"] === true ? ", required" : ""})`,
        link(p["schema"]),
      ),
    )
    .join("");
  const body = value["requestBody"] === undefined ? "" : row("body", content(value["requestBody"]));
  const responses = Object.entries(value["responses"] as Json)
    .map(([status, response]) =>
      row(
        text(status),
        `${text((response as Json)["description"]).replaceAll("\n\n", "<br>")}<br>${content(response)}`,
      ),
    )
    .join("");
  return `<details id="${text(value["operationId"])}"><summary><code>${text(method.toUpperCase())} ${text(path)}</code> ${text(value["summary"])} <span class="audience">${text(value["x-audience"])}</span></summary>
<table>${parameters}${body}</table><h4>Answers</h4><table>${responses}</table></details>`;
}

/** The OpenAPI document as a page to read: no script, no font, no address but this server's. */
export function referencePage(document: Json): string {
  const paths = Object.entries(document["paths"] as Readonly<Record<string, Json>>);
  const operations = paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, value]) => ({ method, path, value: value as Json })),
  );
  const byTag = Map.groupBy(operations, ({ value }) => (value["tags"] as string[])[0] ?? "other");
  const sections = [...byTag].map(
    ([tag, entries]) =>
      `<h2>${text(tag)}</h2>${entries.map(({ method, path, value }) => operation(method, path, value)).join("\n")}`,
  );
  const schemas = Object.entries((document["components"] as { schemas: Json }).schemas).map(
    ([name, schema]) =>
      `<details id="schema-${text(name)}"><summary><code>${text(name)}</code></summary><pre>${text(JSON.stringify(schema, null, 2))}</pre></details>`,
  );
  const version = text((document["info"] as Json)["version"]);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>CodeHub API</title><style>${STYLE}</style></head>
<body><h1>CodeHub API ${version}</h1>
<p>Everything is JSON in snake_case. Errors are <a href="#schema-Error">one shape</a> from one catalogue. The machine-readable form is <a href="/api/v1/openapi.json">openapi.json</a> (OpenAPI 3.1). Scripts send an API token as <code>Authorization: Bearer</code>.</p>
${sections.join("\n")}<h2>Schemas</h2>${schemas.join("\n")}</body></html>`;
}
