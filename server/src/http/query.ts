import type { FastifyInstance, FastifyRequest } from "fastify";
import { type FieldError, Problem } from "../lib/problem.ts";
import { parseTimeOrDate } from "../lib/time.ts";

const PARAMETER_ERRORS_MAX = 20;

type QuerySchema = { properties?: Record<string, unknown> };

/** In the schema of a parameter that can be sent several times. Its values are then read as one text with commas. */
export const REPEATABLE = { $comment: "Can be sent several times." } as const;

const isRepeatable = (schema: unknown): boolean =>
  typeof schema === "object" &&
  schema !== null &&
  "$comment" in schema &&
  schema.$comment === REPEATABLE.$comment;

/**
 * Refuses unknown and repeated query parameters. Ignoring a misspelled filter would return everything, which is
 * worse than an error.
 */
export function validateQuery(
  schema: QuerySchema,
): (query: Record<string, unknown>) => true | { error: Problem } {
  const declared = new Map(Object.entries(schema.properties ?? {}));
  return (query) => {
    const error = findFault(query, declared);
    return error ? { error } : true;
  };
}

/** An operation without parameters refuses all parameters. */
export function declareNoParameters(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.schema?.operationId !== undefined)
      route.schema.querystring ??= { type: "object", properties: {} };
  });
}

function findFault(
  query: Record<string, unknown>,
  declared: ReadonlyMap<string, unknown>,
): Problem | undefined {
  const errors: FieldError[] = [];
  for (const name in query) {
    if (errors.length === PARAMETER_ERRORS_MAX) break;
    const pointer = `?${name}`;
    if (!declared.has(name)) {
      errors.push({
        pointer,
        code: "unknown_parameter",
        detail: `Unknown parameter ${JSON.stringify(name)}.`,
      });
    } else if (Array.isArray(query[name]) && !isRepeatable(declared.get(name))) {
      errors.push({
        pointer,
        code: "repeated",
        detail: `Duplicate parameter ${JSON.stringify(name)}.`,
      });
    }
  }
  const [first] = errors;
  return first && new Problem("invalid_request", first.detail, { errors });
}

/** Where parameters are read from: a request, or what a page makes of its own address. */
export type Asked = Pick<FastifyRequest, "query" | "url">;

/** The value of a parameter. Undeclared parameters have already been refused, and so has one that must not be repeated. */
export function queryText(request: Asked, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "string" ? value : undefined;
}

export const invalidParameter = (name: string, detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: `?${name}`, code: "invalid", detail }] });

/**
 * The value of a filter, or undefined if absent. An empty filter is refused: it would return everything, and a
 * caller whose value got lost would mistake another order for its own.
 */
export function queryFilter(request: Asked, name: string): string | undefined {
  const text = queryText(request, name);
  if (text === "") throw invalidParameter(name, `${name} is empty. Set a value or omit the parameter.`);
  // A value that cannot be decoded is left unchanged, so it still contains a percent sign.
  if (text?.includes("%") && !canBeDecoded(request.url, name))
    throw invalidParameter(name, `${name} is not percent-encoded UTF-8.`);
  // PostgreSQL text cannot contain NUL, so no row can match.
  if (text?.includes("\0")) throw invalidParameter(name, `${name} contains the NUL character.`);
  return text;
}

function canBeDecoded(url: string, name: string): boolean {
  const [, query = ""] = url.split(/[?#]/, 2);
  const pairs = query.split("&").filter((pair) => pair.startsWith(`${name}=`));
  try {
    // A percent-encoded name is not found here; then the whole query must be valid.
    decodeURIComponent(pairs.length > 0 ? pairs.join("&") : query);
    return true;
  } catch {
    return false;
  }
}

/** A time filter. A plain date is 00:00 UTC of that day, at both ends of a range. Fractions of a millisecond are rounded up, which keeps `from` and `to` exact. */
export function queryTime(request: Asked, name: string): Date | undefined {
  const text = queryFilter(request, name);
  if (text === undefined) return undefined;
  const time = parseTimeOrDate(text);
  if (!time)
    throw invalidParameter(
      name,
      `${name} must be an RFC 3339 time, such as 2030-01-31T12:00:00Z, or a date, such as 2030-01-31.`,
    );
  return time;
}
