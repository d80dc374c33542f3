import { describe, expect, it } from "vitest";
import { openApiDocument } from "./openapi.ts";
import { routeIds, routes } from "./routes.ts";
import { errorCatalogue } from "./words/errors.ts";

const document = openApiDocument({ version: "1.2.3", serverUrl: "http://localhost:8000" });
const text = JSON.stringify(document);

describe("the OpenAPI document", () => {
  it("describes every route of the table once, under its own name", () => {
    const paths = document["paths"] as Record<string, Record<string, { operationId: string; responses: object }>>;
    const described = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map((entry) => entry.operationId),
    );
    expect(described.sort()).toEqual([...routeIds].sort());
    for (const id of routeIds) {
      const path = routes[id].path.replaceAll(/:(\w+)/g, "{$1}");
      expect(paths[path]?.[routes[id].method.toLowerCase()]?.responses).toHaveProperty(
        String(routes[id].success.status),
      );
    }
  });

  it("has a definition for every reference", () => {
    const { schemas } = document["components"] as { schemas: Record<string, unknown> };
    const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name ?? "");
    expect(references.length).toBeGreaterThan(50);
    for (const name of references) expect(Object.keys(schemas)).toContain(name);
  });

  it("names an audience and at least one error of the catalogue for every operation", () => {
    expect(text.match(/"x-audience"/g)).toHaveLength(routeIds.length);
    for (const id of routeIds)
      for (const code of routes[id].errors) expect(Object.keys(errorCatalogue)).toContain(code);
  });
});
