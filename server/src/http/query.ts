import type { FastifyInstance, FastifyRequest } from "fastify";
import { type FieldError, Problem } from "../lib/problem.ts";
import { hookEachRoute } from "./each-route.ts";

/**
 * Refuses query parameters that the route does not declare, and repeated ones. A misspelt filter that was ignored
 * would answer with everything, which is worse than an error.
 */
export function refuseUnknownParameters(app: FastifyInstance): void {
  hookEachRoute(app, "preValidation", ({ schema }) => {
    const declared = new Set(Object.keys((schema?.querystring as Declared | undefined)?.properties ?? {}));
    return (request, _reply, done) => done(findFault(request.query as Record<string, unknown>, declared));
  });
}

type Declared = { properties?: Record<string, unknown> };

function findFault(query: Record<string, unknown>, declared: ReadonlySet<string>): Problem | undefined {
  const errors: FieldError[] = [];
  for (const name in query) {
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

/** A parameter's text. Declared and sent once, or the hook above would have refused it. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

export const invalidParameter = (name: string, detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: `?${name}`, code: "invalid", detail }] });
