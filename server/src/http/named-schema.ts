import Type, { type Static, type TSchema, type TUnsafe } from "typebox";

/**
 * A schema with a name of its own in the API reference. What comes back is a reference to it, with the same static
 * type; `namedSchemas` is what the app registers.
 */
export function named<Schema extends TSchema>(name: string, schema: Schema): TUnsafe<Static<Schema>> {
  if (namedSchemas.has(name)) throw new Error(`two schemas are called ${name}`);
  namedSchemas.set(name, { ...schema, $id: name });
  return Type.Unsafe<Static<Schema>>({ $ref: `${name}#` });
}

export const namedSchemas = new Map<string, object>();
