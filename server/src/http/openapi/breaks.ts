import { compareAccess, compareSecuritySchemes } from "./access-breaks.ts";
import { compareCodes } from "./code-breaks.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { type Content, deliveriesOf, type Operation, operationsOf, type Parameter } from "./parts.ts";
import { type CompareSchemas, createSchemaComparison, type Direction } from "./schema-breaks.ts";

/**
 * Lists what would break a client of `before` when it meets `after`, one sentence each. SPEC.md, Versioning, defines
 * a break: new endpoints, optional inputs, response fields, values, codes and events are not breaks.
 */
export function findBreaks(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const comparison: Comparison = { before, after, compareSchemas: createSchemaComparison(before, after) };
  const breaks = [
    ...compareSecuritySchemes(before, after),
    ...compareCodes(before, after),
    ...compareEventTypes(before, after),
    ...compareOperations(comparison),
    ...compareDeliveries(comparison),
  ];
  return [...new Set(breaks)];
}

type Comparison = { before: OpenApiDocument; after: OpenApiDocument; compareSchemas: CompareSchemas };

function compareEventTypes(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const kept = eventTypesOf(after);
  return [...eventTypesOf(before)]
    .filter((type) => !kept.has(type))
    .map((type) => `the event type ${type} was removed`);
}

const eventTypesOf = (document: OpenApiDocument): ReadonlySet<string> =>
  new Set([
    ...Object.keys((document.webhooks ?? {}) as object),
    ...((document["x-event-types"] ?? []) as string[]),
  ]);

function compareOperations(comparison: Comparison): string[] {
  const kept = operationsOf(comparison.after);
  return [...operationsOf(comparison.before)].flatMap(([place, was]) => {
    const is = kept.get(place);
    if (!is) return [`${place} was removed`];
    return [
      ...compareOperationIds(place, was, is),
      ...compareAccess(place, [comparison.before, was], [comparison.after, is]),
      ...compareParameters(comparison, "requests", place, was, is),
      ...compareBodies(comparison, "requests", place, was, is),
      ...compareReplies(comparison, place, was, is),
    ];
  });
}

/** A delivery is a request from the server. Its parameters and body are what the client receives. */
function compareDeliveries(comparison: Comparison): string[] {
  const kept = deliveriesOf(comparison.after);
  return [...deliveriesOf(comparison.before)].flatMap(([place, was]) => {
    const is = kept.get(place);
    if (!is) return [];
    return [
      ...compareOperationIds(place, was, is),
      ...compareParameters(comparison, "responses", place, was, is),
      ...compareBodies(comparison, "responses", place, was, is),
      ...compareAcceptedAnswers(place, was, is),
    ];
  });
}

/** Receivers keep sending the responses that were documented. */
const compareAcceptedAnswers = (place: string, was: Operation, is: Operation): string[] =>
  Object.keys(was.responses ?? {})
    .filter((status) => status.startsWith("2") && !is.responses?.[status])
    .map((status) => `${place} no longer accepts the response ${status}`);

const compareOperationIds = (place: string, was: Operation, is: Operation): string[] =>
  was.operationId === undefined || was.operationId === is.operationId
    ? []
    : [`${place} changed its operationId from ${was.operationId} to ${is.operationId ?? "none"}`];

function compareParameters(
  { compareSchemas }: Comparison,
  direction: Direction,
  place: string,
  was: Operation,
  is: Operation,
): string[] {
  const [parameters, newParameters] = [parametersOf(was), parametersOf(is)];
  const kept = [...parameters].flatMap(([name, parameter]) => {
    const newParameter = newParameters.get(name);
    if (!newParameter) return [`${place} no longer has the ${name}`];
    return compareSchemas(direction, `${place} ${name}`, parameter.schema, newParameter.schema);
  });
  const [less, more] = direction === "requests" ? [parameters, newParameters] : [newParameters, parameters];
  const presence = [...more]
    .filter(([name, { required }]) => required && !less.get(name)?.required)
    // A header that a delivery lost altogether is already reported above.
    .filter(([name]) => direction === "requests" || less.has(name))
    .map(([name]) =>
      direction === "requests"
        ? `${place} now requires the ${name}`
        : `${place} does not always have the ${name}`,
    );
  return [...kept, ...presence];
}

/** Keyed by "query parameter limit". Header names are case-insensitive. */
const parametersOf = ({ parameters = [] }: Operation): Map<string, Parameter> =>
  new Map(
    parameters.map((parameter) => [
      `${parameter.in} parameter ${parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name}`,
      parameter,
    ]),
  );

function compareBodies(
  comparison: Comparison,
  direction: Direction,
  place: string,
  { requestBody: was }: Operation,
  { requestBody: is }: Operation,
): string[] {
  if (was && !is) return [`${place} no longer takes a body`];
  const isRequiredNow = direction === "requests" && is?.required && !was?.required;
  return [
    ...(isRequiredNow ? [`${place} now requires a body`] : []),
    ...compareContent(comparison, direction, `${place} body`, was?.content, is?.content),
  ];
}

function compareReplies(comparison: Comparison, place: string, was: Operation, is: Operation): string[] {
  return Object.entries(was.responses ?? {}).flatMap(([status, reply]) => {
    const newReply = is.responses?.[status];
    // An error status comes and goes with its codes, which are compared separately.
    if (!newReply) return /^[45]/.test(status) ? [] : [`${place} no longer returns ${status}`];
    const headers = Object.entries(reply.headers ?? {}).flatMap(([name, header]) => {
      const newHeader = newReply.headers?.[name];
      if (!newHeader) return [`${place} ${status} no longer has the header ${name}`];
      return comparison.compareSchemas(
        "responses",
        `${place} ${status} header ${name}`,
        header.schema,
        newHeader.schema,
      );
    });
    const content = compareContent(
      comparison,
      "responses",
      `${place} ${status}`,
      reply.content,
      newReply.content,
    );
    return [...headers, ...content];
  });
}

function compareContent(
  { compareSchemas }: Comparison,
  direction: Direction,
  place: string,
  was: Content = {},
  is: Content = {},
): string[] {
  return Object.entries(was).flatMap(([type, media]) => {
    const newMedia = is[type];
    if (!newMedia) return [`${place} is no longer ${type}`];
    return compareSchemas(direction, place, media.schema, newMedia.schema);
  });
}
