import type { FastifyInstance, FastifyRequest } from "fastify";
import { type FieldError, Problem } from "../lib/problem.ts";

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
        detail: `The parameter "${name}" is not known here.`,
      });
    } else if (Array.isArray(query[name])) {
      errors.push({ pointer, code: "repeated", detail: `The parameter "${name}" stands more than once.` });
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
