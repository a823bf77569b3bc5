import type { OpenApiDocument } from "./openapi.ts";
import { type Operation, operationsOf } from "./parts.ts";

/** Error codes that were removed, that an operation no longer returns, or that have a different status. */
export function compareCodes(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const [operations, newOperations] = [operationsOf(before), operationsOf(after)];
  const known = codesOf(after, newOperations);
  const gone = [...codesOf(before, operations)].filter((code) => !known.has(code));
  return [
    ...gone.map((code) => `the error code ${code} was removed`),
    ...[...operations].flatMap(([place, was]) => {
      const is = newOperations.get(place);
      return is ? compareOperation(place, was, is, known) : [];
    }),
  ];
}

const codesOf = (
  document: OpenApiDocument,
  operations: ReadonlyMap<string, Operation>,
): ReadonlySet<string> =>
  new Set([
    ...listedCodes(document),
    ...[...operations.values()].flatMap((operation) => [...statusesByCode(operation).keys()]),
  ]);

/** The codes listed by the `code` field of the error body, as an enum or in its description. */
function listedCodes({ components }: OpenApiDocument): string[] {
  const problem = components.schemas.Problem as { properties?: Record<string, ListOfCodes> } | undefined;
  const { enum: values = [], description = "" } = problem?.properties?.code ?? {};
  return [...values, ...[...description.matchAll(/`([a-z][a-z0-9_]*)`/g)].map(([, code]) => String(code))];
}

type ListOfCodes = { enum?: string[]; description?: string };

function compareOperation(
  place: string,
  was: Operation,
  is: Operation,
  known: ReadonlySet<string>,
): string[] {
  const newStatuses = statusesByCode(is);
  return [...statusesByCode(was)].flatMap(([code, status]) => {
    const newStatus = newStatuses.get(code);
    // A code that was removed everywhere is already reported.
    if (newStatus === status || !known.has(code)) return [];
    return newStatus === undefined
      ? [`${place} no longer returns ${code}`]
      : [`${place} returns ${code} with ${newStatus} instead of ${status}`];
  });
}

/** Each error response has an example for each of its codes. */
function statusesByCode({ responses = {} }: Operation): Map<string, string> {
  return new Map(
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content)
        .flatMap(({ examples = {} }) => Object.values(examples))
        .flatMap(({ value }) => codeOf(value))
        .map((code) => [code, status] as const),
    ),
  );
}

const codeOf = (example: unknown): string[] =>
  typeof example === "object" && example !== null && "code" in example && "request_id" in example
    ? [String(example.code)]
    : [];
