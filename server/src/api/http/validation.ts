import type { Route } from "@codehub/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { ApiError } from "./api-error.ts";

interface Problem {
  readonly field: string;
  readonly problem: string;
}

type Check = (value: unknown) => unknown;

/** Query and path are text; what the schema calls a number or a boolean is read as one, and nothing else is guessed. */
function fromText(schema: TSchema, value: unknown): unknown {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {};
  const entries = Object.entries(value as Record<string, unknown>).map(([key, given]) => {
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : undefined;
    if (typeof given !== "string") return [key, given];
    if (type === "integer" && /^-?\d{1,15}$/.test(given)) return [key, Number(given)];
    if (type === "boolean" && (given === "true" || given === "false")) return [key, given === "true"];
    return [key, given];
  });
  return Object.fromEntries(entries);
}

function fieldOf(instancePath: string, params: unknown): string {
  const extra = (params ?? {}) as { additionalProperties?: readonly string[]; requiredProperties?: readonly string[] };
  const inner = extra.requiredProperties?.[0] ?? extra.additionalProperties?.[0];
  const path = instancePath.split("/").filter((part) => part !== "");
  return [...path, ...(inner === undefined ? [] : [inner])].join(".") || "(whole)";
}

/** What a person can use: a pattern or a branch of a union is said in the words of the field's description. */
function describe(schema: TSchema, field: string, keyword: string, message: string): string {
  if (keyword === "additionalProperties" || keyword === "boolean") return "is not a field of this request";
  if (keyword === "required") return "is missing";
  if (!["pattern", "const", "anyOf", "type"].includes(keyword)) return message;
  const top = (schema as { properties?: Record<string, Described> }).properties?.[field.split(".")[0] ?? ""];
  const words = top?.description ?? top?.anyOf?.find((branch) => branch.description !== undefined)?.description;
  if (words !== undefined) return `is not valid: ${words}`;
  return keyword === "pattern" ? "has characters or a form that is not allowed" : message;
}

interface Described {
  readonly description?: string;
  readonly anyOf?: readonly Described[];
}

function checker(place: string, schema: TSchema, prepare: (value: unknown) => unknown): Check {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (given) => {
    compiled ??= Compile(schema);
    const value = prepare(given);
    if (compiled.Check(value)) return value;
    const fields: Problem[] = [];
    const [, errors] = compiled.Errors(value);
    for (const error of errors) {
      // A union reports each of its branches; the first line about a field says enough.
      const field = fieldOf(error.instancePath, error.params);
      if (fields.length < 10 && !fields.some((known) => known.field === field))
        fields.push({ field, problem: describe(schema, field, error.keyword, error.message) });
    }
    const first = fields[0];
    throw new ApiError("VALIDATION_FAILED", {
      problem: first === undefined ? `${place} does not match its schema` : `${first.field} ${first.problem}`,
      in: place,
      fields,
    });
  };
}

/** Undefined for a part that the route does not have. */
export interface RouteChecks {
  readonly params: Check | undefined;
  readonly query: Check | undefined;
  readonly body: Check | undefined;
}

/** Compiled once per route, by its first request: a start would wait for all of them. Each check answers the value with its proper types or throws naming the field. */
export function checksOf(route: Route): RouteChecks {
  const { params, query, body } = route;
  return {
    params: params && checker("path", params, (value) => fromText(params, value)),
    query: query && checker("query", query, (value) => fromText(query, value)),
    body: body && checker("body", body, (value) => value ?? {}),
  };
}
