import type { FastifyInstance, FastifyRequest } from "fastify";
import { type FieldError, Problem } from "../lib/problem.ts";
import { parseTime } from "../lib/time.ts";

const PARAMETER_ERRORS_MAX = 20;

type QuerySchema = { properties?: Record<string, unknown> };

/**
 * Refuses query parameters that the route does not declare, and repeated ones. A misspelt filter that was ignored
 * would answer with everything, which is worse than an error.
 */
export function validateQuery(
  schema: QuerySchema,
): (query: Record<string, unknown>) => true | { error: Problem } {
  const declared = new Set(Object.keys(schema.properties ?? {}));
  return (query) => {
    const error = findFault(query, declared);
    return error ? { error } : true;
  };
}

/** An operation without parameters refuses them all. */
export function declareNoParameters(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.schema?.operationId !== undefined)
      route.schema.querystring ??= { type: "object", properties: {} };
  });
}

function findFault(query: Record<string, unknown>, declared: ReadonlySet<string>): Problem | undefined {
  const errors: FieldError[] = [];
  for (const name in query) {
    if (errors.length === PARAMETER_ERRORS_MAX) break;
    const pointer = `?${name}`;
    if (!declared.has(name)) {
      errors.push({
        pointer,
        code: "unknown_parameter",
        detail: `The parameter ${JSON.stringify(name)} is not known here.`,
      });
    } else if (Array.isArray(query[name])) {
      errors.push({
        pointer,
        code: "repeated",
        detail: `The parameter ${JSON.stringify(name)} stands more than once.`,
      });
    }
  }
  const [first] = errors;
  return first && new Problem("invalid_request", first.detail, { errors });
}

/** A parameter's text. Declared and sent once, or it would have been refused. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

export const invalidParameter = (name: string, detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: `?${name}`, code: "invalid", detail }] });

/**
 * A parameter that filters, or undefined when it is absent. An empty one is refused: it would answer with everything,
 * and whoever asked by a key that was lost on the way would take another order for their own.
 */
export function queryFilter(request: FastifyRequest, name: string): string | undefined {
  const text = queryText(request, name);
  if (text === "") throw invalidParameter(name, `${name} is empty. Give it a value, or leave it out.`);
  // What cannot be decoded is left as it came, so it still holds a percent sign.
  if (text?.includes("%") && !canBeDecoded(request.url, name))
    throw invalidParameter(name, `${name} is not percent-encoded UTF-8.`);
  // PostgreSQL has no text with NUL in it, and nothing that is looked for can hold it.
  if (text?.includes("\0")) throw invalidParameter(name, `${name} holds the NUL character.`);
  return text;
}

function canBeDecoded(url: string, name: string): boolean {
  const [, query = ""] = url.split(/[?#]/, 2);
  const value = query.split("&").find((pair) => pair.startsWith(`${name}=`));
  try {
    // A name that was written with escapes of its own is not found, and then the whole query must be right.
    decodeURIComponent(value ?? query);
    return true;
  } catch {
    return false;
  }
}

/** A filter that is a time. What is finer than a millisecond is rounded up, which keeps `from` and `to` exact. */
export function queryTime(request: FastifyRequest, name: string): Date | undefined {
  const text = queryFilter(request, name);
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time)
    throw invalidParameter(name, `${name} must be a time as RFC 3339 has it, such as 2030-01-31T12:00:00Z.`);
  return time;
}
