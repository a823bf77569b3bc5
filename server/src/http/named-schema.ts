import type { Static, TSchema, TUnsafe } from "typebox";
import { Type } from "./openapi/type.ts";

/**
 * Names a schema for the API reference. Returns a reference with the same static type; the app registers
 * `namedSchemas`.
 */
export function named<Schema extends TSchema>(name: string, schema: Schema): TUnsafe<Static<Schema>> {
  if (namedSchemas.has(name)) throw new Error(`duplicate schema name ${name}`);
  namedSchemas.set(name, { ...schema, $id: name });
  return Type.Unsafe<Static<Schema>>({ $ref: `${name}#` });
}

export const namedSchemas = new Map<string, object>();
