import { Ajv } from "ajv";
import type { FastifyInstance } from "fastify";

/**
 * Bodies are checked against their schemas as they came: nothing is coerced, filled in or dropped. Query parameters
 * and headers are text and are read by the routes themselves; their schemas are for the API reference.
 */
export function validateBodies(app: FastifyInstance, namedSchemas: ReadonlyMap<string, object>): void {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, keywords: ["x-optional"] });
  for (const schema of namedSchemas.values()) ajv.addSchema(schema);
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === "body" ? ajv.compile(schema) : () => true,
  );
}
