import { findVariants, flattenSchema } from "./flat-schema.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { target } from "./parts.ts";
import type { JsonSchema } from "./schemas.ts";

/**
 * The direction of the data. What a client sends must stay accepted. What a client receives must stay as documented,
 * except for new fields and values, which SPEC.md, Versioning, tells clients to tolerate.
 */
export type Direction = "requests" | "responses";

export type CompareSchemas = (
  direction: Direction,
  place: string,
  was: JsonSchema | undefined,
  is: JsonSchema | undefined,
) => string[];

/** Compares named schemas once per direction and reports them by name, no matter how many operations use them. */
export function createSchemaComparison(before: OpenApiDocument, after: OpenApiDocument): CompareSchemas {
  const [ids, seen] = [new Map<object, number>(), new Set<string>()];
  return (direction, place, was = {}, is = {}) =>
    compare({ before, after, direction, ids, seen }, place, was, is);
}

type Comparison = {
  before: OpenApiDocument;
  after: OpenApiDocument;
  direction: Direction;
  /** Numbers the schemas, so that a pair that was already compared, or that contains itself, is recognized. */
  ids: Map<object, number>;
  seen: Set<string>;
};

function compare(context: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  const pair = [
    context.direction,
    idOf(context, context.before, was),
    idOf(context, context.after, is),
  ].join();
  if (context.seen.has(pair)) return [];
  context.seen.add(pair);
  const name = typeof was.$ref === "string" ? was.$ref.split("/").at(-1) : undefined;
  return compareFlat(
    context,
    name ?? place,
    flattenSchema(context.before, was),
    flattenSchema(context.after, is),
  );
}

function idOf({ ids }: Comparison, document: OpenApiDocument, schema: JsonSchema): number {
  // A description next to a reference changes nothing. Anything else next to a reference makes a new schema.
  const isReference = Object.keys(schema).every((member) => member === "$ref" || member === "description");
  const identity = isReference ? target(document, schema) : schema;
  const id = ids.get(identity) ?? ids.size;
  ids.set(identity, id);
  return id;
}

function compareFlat(context: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  const [variants, newVariants] = [findVariants(was), findVariants(is)];
  if (variants || newVariants) return compareVariants(context, place, variants ?? [was], newVariants ?? [is]);
  const types = compareTypes(context, place, was, is);
  // When the type has changed, comparing the rest adds nothing.
  if (types.length > 0) return types;
  return [
    ...compareFormats(context, place, was, is),
    ...compareValues(context, place, was, is),
    ...(context.direction === "requests" ? compareLimits(place, was, is) : []),
    ...compareFields(context, place, was, is),
    ...compareOtherFields(context, place, was, is),
    ...compareItems(context, place, was, is),
  ];
}

function compareVariants(
  context: Comparison,
  place: string,
  variants: readonly JsonSchema[],
  newVariants: readonly JsonSchema[],
): string[] {
  const attempt = (was: JsonSchema, is: JsonSchema) =>
    compare({ ...context, seen: new Set(context.seen) }, place, was, is);
  const lost = variants.flatMap((was) =>
    fewest(newVariants.map((is) => ({ breaks: attempt(was, is), isAlike: haveSameTypes(context, was, is) }))),
  );
  if (lost.length > 0 || context.direction === "requests") return lost;
  return newVariants
    .filter((is) => variants.every((was) => attempt(was, is).length > 0))
    .map((is) => `${place} has a new variant in responses: ${JSON.stringify(is)}`);
}

/** The best match for a variant is a new variant of the same type. */
function fewest(attempts: readonly { breaks: string[]; isAlike: boolean }[]): string[] {
  const fine = attempts.find(({ breaks }) => breaks.length === 0);
  const alike = attempts.filter(({ isAlike }) => isAlike);
  const [closest] = (alike.length > 0 ? alike : attempts).toSorted(
    (a, b) => a.breaks.length - b.breaks.length,
  );
  return (fine ?? closest)?.breaks ?? [];
}

const haveSameTypes = ({ before, after }: Comparison, was: JsonSchema, is: JsonSchema): boolean =>
  typesOf(flattenSchema(before, was)) === typesOf(flattenSchema(after, is));

function compareTypes({ direction }: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  const [types, newTypes] = [typesOf(was), typesOf(is)];
  const holds = direction === "requests" ? takesAll(newTypes, types) : types === "any" || types === newTypes;
  return holds ? [] : [`${place} changed its type in ${direction} from ${types} to ${newTypes}`];
}

/** "string", "integer or string", or "any". */
function typesOf(schema: JsonSchema): string {
  if (schema.type !== undefined) return [schema.type].flat().toSorted().join(" or ");
  const values = (schema.enum ?? []) as unknown[];
  const types = values.map((value) => (value === null ? "null" : typeof value));
  return [...new Set(types)].toSorted().join(" or ") || "any";
}

function takesAll(newTypes: string, types: string): boolean {
  if (newTypes === "any") return true;
  const taken = newTypes.split(" or ");
  return types
    .split(" or ")
    .every((type) => taken.includes(type) || (type === "integer" && taken.includes("number")));
}

function compareFormats({ direction }: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  // A response can gain a format and a request can lose one. Neither refuses a client.
  const promised = direction === "requests" ? is.format : was.format;
  if (promised === undefined || was.format === is.format) return [];
  return [
    `${place} changed its format in ${direction} from ${was.format ?? "none"} to ${is.format ?? "none"}`,
  ];
}

function compareValues({ direction }: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  const [values, newValues] = [was.enum, is.enum] as (unknown[] | undefined)[];
  if (!newValues) return [];
  if (!values) return direction === "requests" ? [`${place} accepts only some values in requests now`] : [];
  const lost = values.filter((value) => !newValues.includes(value)).map((value) => JSON.stringify(value));
  return lost.map((value) => `${place} lost the value ${value} in ${direction}`);
}

const CEILINGS = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const FLOORS = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/** Whether a change to one of these is stricter cannot be decided, so any change counts. */
const CONDITIONS = [
  "pattern",
  "multipleOf",
  "uniqueItems",
  "not",
  "dependentRequired",
  "propertyNames",
  "contains",
];

function compareLimits(place: string, was: JsonSchema, is: JsonSchema): string[] {
  const tightened = [
    ...CEILINGS.filter((limit) => Number(is[limit] ?? Infinity) < Number(was[limit] ?? Infinity)),
    ...FLOORS.filter((limit) => Number(is[limit] ?? -Infinity) > Number(was[limit] ?? leastOf(limit))),
    ...CONDITIONS.filter((limit) => is[limit] && JSON.stringify(is[limit]) !== JSON.stringify(was[limit])),
  ];
  // Callers that omit the field would suddenly get something else.
  if (was.default !== undefined && JSON.stringify(is.default) !== JSON.stringify(was.default))
    tightened.push("default");
  return tightened.map(
    (limit) =>
      `${place} changed its ${limit} in requests from ${JSON.stringify(was[limit]) ?? "none"} to ${JSON.stringify(is[limit]) ?? "none"}`,
  );
}

/** A length is never negative, so a minimum of zero has no effect. */
const leastOf = (limit: string): number => (/Length|Items|Properties/.test(limit) ? 0 : -Infinity);

function compareFields(context: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  const { direction } = context;
  const newFields = fieldsOf(is);
  const [required, newRequired] = [was.required ?? [], is.required ?? []] as string[][];
  const kept = Object.entries(fieldsOf(was)).flatMap(([name, field]) => {
    const newField = newFields[name];
    const child = `${place}.${name}`;
    if (!newField) return [`${child} was removed from ${direction}`];
    return compare(context, child, field, newField);
  });
  const presence =
    direction === "requests"
      ? newRequired
          ?.filter((name) => !required?.includes(name))
          .map((name) => `${place}.${name} is now required in requests`)
      : required
          ?.filter((name) => name in newFields && !newRequired?.includes(name))
          .map((name) => `${place}.${name} is no longer always present in responses`);
  return [...kept, ...(presence ?? [])];
}

const fieldsOf = ({ properties = {}, patternProperties = {} }: JsonSchema) =>
  ({ ...(properties as object), ...(patternProperties as object) }) as Record<string, JsonSchema>;

/** The values of a map, and additional fields that a client can send. */
function compareOtherFields(context: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  const [others, newOthers] = [was.additionalProperties, is.additionalProperties];
  const child = `${place}.*`;
  if (context.direction === "requests") {
    if (others === false || newOthers === undefined || newOthers === true) return [];
    if (newOthers === false) return [`${child} was removed from requests`];
    return compare(context, child, asSchema(others), asSchema(newOthers));
  }
  if (typeof others !== "object") return [];
  if (newOthers === false) return [`${child} was removed from responses`];
  return compare(context, child, asSchema(others), asSchema(newOthers));
}

const asSchema = (value: unknown): JsonSchema => (typeof value === "object" ? (value as JsonSchema) : {});

function compareItems(context: Comparison, place: string, was: JsonSchema, is: JsonSchema): string[] {
  return was.items === undefined && is.items === undefined
    ? []
    : compare(context, `${place}[]`, asSchema(was.items), asSchema(is.items));
}
