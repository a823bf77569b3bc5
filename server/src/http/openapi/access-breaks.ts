import type { OpenApiDocument } from "./openapi.ts";
import type { Operation, SecurityRequirement } from "./parts.ts";

type OperationOf = readonly [document: OpenApiDocument, operation: Operation];

/** Security schemes that were removed or changed. */
export function compareSecuritySchemes(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const kept = schemesOf(after);
  return [...schemesOf(before)].flatMap(([name, scheme]) => {
    const newScheme = kept.get(name);
    if (newScheme === undefined) return [`the security scheme ${name} was removed`];
    return newScheme === scheme ? [] : [`the security scheme ${name} changed from ${scheme} to ${newScheme}`];
  });
}

/** What a scheme requires from a client: everything but its description. */
const schemesOf = (document: OpenApiDocument): Map<string, string> =>
  new Map(
    Object.entries(
      (document.components.securitySchemes ?? {}) as Record<string, Record<string, unknown>>,
    ).map(([name, { description: _, ...scheme }]) => [name, JSON.stringify(sortedEntries(scheme))]),
  );

const sortedEntries = (scheme: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(scheme).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Whether a key that could call the operation still can, sent in the same way. */
export function compareAccess(place: string, was: OperationOf, is: OperationOf): string[] {
  return [...compareSecurity(place, was, is), ...compareScopes(place, was[1], is[1])];
}

function compareSecurity(place: string, was: OperationOf, is: OperationOf): string[] {
  const newWays = waysIn(is);
  return waysIn(was)
    .filter((way) => !newWays.some((newWay) => Object.keys(newWay).every((scheme) => scheme in way)))
    .map(
      (way) => `${place} no longer accepts ${Object.keys(way).join(" with ") || "requests without a key"}`,
    );
}

/**
 * The alternatives, of which a request must meet one. An empty list means that the operation is public, as `{}`
 * does.
 */
function waysIn([document, operation]: OperationOf): SecurityRequirement[] {
  const ways = operation.security ?? (document.security as SecurityRequirement[] | undefined) ?? [];
  return ways.length === 0 ? [{}] : ways;
}

function compareScopes(place: string, was: Operation, is: Operation): string[] {
  const [scope, newScope] = [scopeOf(was), scopeOf(is)];
  if (newScope === undefined || newScope === scope) return [];
  return [`${place} requires the scope ${newScope} instead of ${scope ?? "none"}`];
}

const scopeOf = ({ description = "" }: Operation): string | undefined =>
  /Needs the scope `([^`]+)`/.exec(description)?.[1];
