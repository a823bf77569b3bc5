import { Ajv, type ValidateFunction } from "ajv";
import type { FastifyInstance, FastifySchemaValidationError, preValidationHookHandler } from "fastify";
import { lazily, once } from "../lib/lazily.ts";
import { namedSchemas as allNamedSchemas } from "./named-schema.ts";
import { declareNoParameters, validateQuery } from "./query.ts";

export type BodyCheck = (body: unknown) => true | { error: FastifySchemaValidationError[] };

/**
 * Validates bodies against their schemas without changing them: nothing is coerced, filled in or dropped. Query
 * parameters and headers are text that the routes parse; their schemas document them and list the allowed
 * parameters.
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

/** The check of a value that is part of a body, with the messages of a whole body. Compiled when it is first needed. */
export const compileCheck = (schema: object): BodyCheck =>
  lazily(() =>
    bodyValidator(createAjv(allNamedSchemas, false).compile(schema), () =>
      createAjv(allNamedSchemas, true).compile(schema),
    ),
  );

/** Treats a missing body as an empty one. For routes whose body schema is `x-optional`. */
export const optionalBody: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};

function createAjv(namedSchemas: ReadonlyMap<string, object>, allErrors: boolean): Ajv {
  // The route that reads a time validates it: RFC 3339 allows forms that a pattern does not cover.
  const formats = { "date-time": true } as const;
  const ajv = new Ajv({
    allErrors,
    strict: true,
    allowUnionTypes: true,
    formats,
    keywords: ["x-optional"],
    // A test verifies the schemas themselves. Compiling the meta-schema took 10% of the startup time.
    meta: false,
    validateSchema: false,
  });
  for (const schema of namedSchemas.values()) ajv.addSchema(schema);
  return ajv;
}

/** Reports every error, unless a limit is exceeded: then the rest is not examined. */
function bodyValidator(first: ValidateFunction, compileAll: () => ValidateFunction): BodyCheck {
  const findAll = once(compileAll);
  return (body) => {
    if (first(body)) return true;
    const tooMuch =
      first.errors?.filter(({ keyword }) => keyword === "maxItems" || keyword === "maxProperties") ?? [];
    if (tooMuch.length > 0) return { error: tooMuch as FastifySchemaValidationError[] };
    const all = findAll();
    all(body);
    return { error: (all.errors ?? []) as FastifySchemaValidationError[] };
  };
}
