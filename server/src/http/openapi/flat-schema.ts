import type { OpenApiDocument } from "./openapi.ts";
import { target } from "./parts.ts";
import type { JsonSchema } from "./schemas.ts";

/**
 * Normalizes a schema: follows references, merges `allOf`, and turns a literal or a union of literals into one
 * `enum`. Equivalent schemas then look the same.
 */
export function flattenSchema(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const { $ref, allOf = [], const: literal, ...own } = schema;
  const parts = [
    ...($ref === undefined ? [] : [flattenSchema(document, target(document, { $ref }))]),
    ...(allOf as JsonSchema[]).map((part) => flattenSchema(document, part)),
    literal === undefined ? own : { ...own, enum: [literal] },
  ];
  return joinLiterals(document, parts.reduce(merge));
}

const merge = (first: JsonSchema, second: JsonSchema): JsonSchema => ({
  ...first,
  ...second,
  ...(first.properties && second.properties
    ? { properties: { ...first.properties, ...second.properties } }
    : {}),
  ...(first.required && second.required ? { required: [first.required, second.required].flat() } : {}),
});

function joinLiterals(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const { anyOf, oneOf, ...rest } = schema;
  const variants = ((anyOf ?? oneOf ?? []) as JsonSchema[]).map((variant) =>
    flattenSchema(document, variant),
  );
  if (variants.length === 0 || !variants.every((variant) => variant.enum)) return schema;
  return { ...rest, enum: variants.flatMap((variant) => variant.enum) };
}

/** The alternatives of a union, each merged with the union's siblings. Undefined if the schema is not a union. */
export function findVariants(schema: JsonSchema): JsonSchema[] | undefined {
  const union = schema.anyOf === undefined ? "oneOf" : "anyOf";
  const { [union]: variants, description: _, ...rest } = schema;
  if (variants === undefined) return undefined;
  // A bare alternative stays a reference, if it is one, and keeps its name.
  const isBare = Object.keys(rest).length === 0;
  return (variants as JsonSchema[]).map((variant) => (isBare ? variant : { allOf: [rest, variant] }));
}
