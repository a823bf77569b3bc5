import { readFileSync } from "node:fs";
import { join } from "node:path";

/** As much of an OpenAPI document, and of a schema in it, as is looked at here. */
export type Schema = {
  $ref?: string;
  /** A list where it may also be null. */
  type?: string | string[];
  description?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  components?: { schemas: Record<string, Schema> };
  paths?: Record<string, Record<string, DocumentedOperation>>;
};

type DocumentedOperation = {
  operationId?: string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
};

export type Operation = {
  method: string;
  path: string;
  status: number;
  reply: Schema;
  /** The query's parameters, as if they were the members of an object. */
  query: Schema;
  body: Schema;
  /** Its own headers, and what is said of each. */
  headers: Record<string, string>;
};

/** The API's own description, as the server is built from it. */
export const readDocument = (): Schema =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../server/openapi.json"), "utf8"));

const NOTHING: Schema = { type: "object" };

export function findOperations({ paths = {} }: Schema): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId) found.set(operation.operationId, toOperation(path, method, operation));
    }
  }
  return found;
}

function toOperation(path: string, method: string, operation: DocumentedOperation): Operation {
  const { parameters = [], requestBody, responses } = operation;
  const [status = "0", reply] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const query = parameters.filter((it) => it.in === "query");
  return {
    method: method.toUpperCase(),
    path,
    status: Number(status),
    reply: reply?.content?.["application/json"]?.schema ?? NOTHING,
    query: {
      type: "object",
      required: query.filter((it) => it.required).map((it) => it.name),
      properties: Object.fromEntries(
        query.map(({ name, description = "", schema }) => [name, { ...schema, description }]),
      ),
    },
    body: requestBody?.content["application/json"]?.schema ?? NOTHING,
    headers: Object.fromEntries(
      parameters.filter((it) => it.in === "header").map(({ name, description = "" }) => [name, description]),
    ),
  };
}

export function resolve(document: Schema, schema: Schema): Schema {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  if (Array.isArray(schema.type)) {
    const [type, ...others] = schema.type.filter((one) => one !== "null");
    if (type === undefined || others.length > 0) throw new Error("a schema of several types");
    return { ...schema, type };
  }
  if (name === undefined) return schema;
  const found = document.components?.schemas[name];
  if (!found) throw new Error(`the document has no ${name}`);
  return found;
}

const QUOTED_WORDS = /`[a-z_]+`(?:(?:, | or )`[a-z_]+`)+/;
const PLAIN_WORDS = /: ((?:[a-z_.]+, )+[a-z_.]+)\.$/;

/** The words that a text may be, which the API's schemas name in prose because it may add some. */
export function wordsIn({ enum: words, description = "" }: Schema): string[] {
  if (words) return words;
  const quoted = QUOTED_WORDS.exec(description)?.[0];
  if (quoted !== undefined) return quoted.split(/, | or /).map((word) => word.slice(1, -1));
  return PLAIN_WORDS.exec(description)?.[1]?.split(", ") ?? [];
}

/** A value that the schema allows: with everything that may be there, or with what must be. */
export function exampleOf(document: Schema, reference: Schema, isFull: boolean): unknown {
  const schema = resolve(document, reference);
  const { type, properties = {}, required = [], items = {} } = schema;
  if (type === "array") return [exampleOf(document, items, isFull)];
  if (type === "object") {
    const members = Object.entries(properties).filter(([name]) => isFull || required.includes(name));
    return Object.fromEntries(members.map(([name, it]) => [name, exampleOf(document, it, isFull)]));
  }
  if (type === "string") return "text";
  return type === "integer" ? 1 : false;
}
