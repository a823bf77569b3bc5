import { Ajv, type ValidateFunction } from "ajv";
import type { FastifyInstance, FastifySchemaValidationError, preValidationHookHandler } from "fastify";
import { lazily, once } from "../lib/lazily.ts";
import { declareNoParameters, validateQuery } from "./query.ts";

/**
 * Bodies are checked against their schemas as they came: nothing is coerced, filled in or dropped. Query parameters
 * and headers are text and are read by the routes themselves; their schemas are for the API reference, and say which
 * parameters there are.
 */
export function validateRequests(app: FastifyInstance, namedSchemas: ReadonlyMap<string, object>): void {
  const first = once(() => createAjv(namedSchemas, false));
  const all = once(() => createAjv(namedSchemas, true));
  declareNoParameters(app);
  app.setValidatorCompiler<object>(({ schema, httpPart }) => {
    if (httpPart === "body")
      return lazily(() => bodyValidator(first().compile(schema), () => all().compile(schema)));
    return httpPart === "querystring" ? validateQuery(schema) : () => true;
  });
}

/** Treats a missing body as an empty one. For routes whose body schema is `x-optional`. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};

function createAjv(namedSchemas: ReadonlyMap<string, object>, allErrors: boolean): Ajv {
  // Whether a text is a time is for whoever reads it: RFC 3339 leaves room that a pattern does not.
  const formats = { "date-time": true } as const;
  const ajv = new Ajv({
    allErrors,
    strict: true,
    allowUnionTypes: true,
    formats,
    keywords: ["x-optional"],
    // A test holds that each schema is one. To compile what checks them took a tenth of a server's start.
    meta: false,
    validateSchema: false,
  });
  for (const schema of namedSchemas.values()) ajv.addSchema(schema);
  return ajv;
}

/** Every fault is named, unless there is too much of something: then nobody looks through all of it. */
function bodyValidator(first: ValidateFunction, compileAll: () => ValidateFunction) {
  const findAll = once(compileAll);
  return (body: unknown): true | { error: FastifySchemaValidationError[] } => {
    if (first(body)) return true;
    const tooMuch =
      first.errors?.filter(({ keyword }) => keyword === "maxItems" || keyword === "maxProperties") ?? [];
    if (tooMuch.length > 0) return { error: tooMuch as FastifySchemaValidationError[] };
    const all = findAll();
    all(body);
    return { error: (all.errors ?? []) as FastifySchemaValidationError[] };
  };
}
