import type TypeBox from "typebox";

type Builders = Pick<
  typeof TypeBox,
  "Array" | "Boolean" | "Integer" | "Object" | "Optional" | "Record" | "String" | "Unknown" | "Unsafe"
>;
type Schema = Readonly<Record<string, unknown>>;

/**
 * The parts of TypeBox that we use: its types, and JSON schemas equal to its own. To load TypeBox takes a third of the
 * time in which a command starts.
 */
export const Type = {
  String: (options?: Schema) => ({ type: "string", ...options }),
  Integer: (options?: Schema) => ({ type: "integer", ...options }),
  Boolean: (options?: Schema) => ({ type: "boolean", ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
  Array: (items: Schema, options?: Schema) => ({ type: "array", items, ...options }),
  /** The keys are strings. */
  Record: (_keys: Schema, values: Schema, options?: Schema) => ({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  }),
  Object: (properties: Readonly<Record<string, Schema>>, options?: Schema) => {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name]));
    return { type: "object", ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  Optional: (schema: Schema) => Object.defineProperty({ ...schema }, OPTIONAL, { value: true }),
} as unknown as Builders;

/** Hidden, because it is not part of the schema: it tells the object that has this property. */
const OPTIONAL = Symbol("optional");
const isOptional = (schema: Schema | undefined): boolean => schema !== undefined && OPTIONAL in schema;
