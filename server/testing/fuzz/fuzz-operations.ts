import type { RequiredScope } from "../../src/http/caller.ts";
import type { OpenApiDocument } from "../../src/http/openapi/openapi.ts";
import { operationsOf, type Parameter, target } from "../../src/http/openapi/parts.ts";
import type { JsonSchema } from "../../src/http/openapi/schemas.ts";
import { scopeOf } from "../app/api-routes.ts";

/** What the fuzzer knows about an operation, all read from the document. */
export type FuzzOperation = {
  id: string;
  method: string;
  path: string;
  scope: RequiredScope | undefined;
  parameters: readonly Parameter[];
  body: { schema: JsonSchema; required: boolean } | undefined;
  /** What the path's id names, such as `orders`. Undefined if there is none. */
  object: string | undefined;
};

export function fuzzOperations(document: OpenApiDocument): FuzzOperation[] {
  return [...operationsOf(document)].map(([name, operation]) => {
    const [method = "", path = ""] = name.split(" ");
    const schema = operation.requestBody?.content["application/json"]?.schema;
    return {
      id: operation.operationId ?? name,
      method,
      path,
      scope: scopeOf(method, path),
      parameters: operation.parameters ?? [],
      body: schema && {
        schema: withoutRefs(document, schema),
        required: operation.requestBody?.required ?? false,
      },
      object: /\/([a-z-]+)\/\{\w+\}/.exec(path)?.[1],
    };
  });
}

function withoutRefs(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    const found = target(document, value);
    return Object.fromEntries(Object.entries(found).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(schema) as JsonSchema;
}
