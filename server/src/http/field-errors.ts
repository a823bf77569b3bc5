import type { FastifySchemaValidationError } from "fastify";
import type { FieldError } from "../lib/problem.ts";
import { toPointer } from "../lib/strict-json.ts";

const FIELD_ERRORS_MAX = 20;

/** What the validator found, in the words of the API: where, which rule, and a sentence for a human. */
export const fieldErrors = (found: readonly FastifySchemaValidationError[]): FieldError[] =>
  found
    .filter((error) => !isTold(error, found))
    .slice(0, FIELD_ERRORS_MAX)
    .map(toFieldError);

/** A text that is empty fails its pattern too, which tells nothing more. */
const isTold = (
  error: FastifySchemaValidationError,
  found: readonly FastifySchemaValidationError[],
): boolean =>
  error.keyword === "pattern" &&
  found.some(({ instancePath, keyword }) => keyword === "minLength" && instancePath === error.instancePath);

function toFieldError({ instancePath, keyword, params }: FastifySchemaValidationError): FieldError {
  switch (keyword) {
    case "additionalProperties": {
      const name = String(params.additionalProperty);
      return {
        pointer: instancePath + toPointer([name]),
        code: "unknown_field",
        detail: `The field ${JSON.stringify(name)} is not known.`,
      };
    }
    case "required": {
      const name = String(params.missingProperty);
      return {
        pointer: instancePath + toPointer([name]),
        code: "required",
        detail: `The field "${name}" is required.`,
      };
    }
    default:
      return {
        pointer: instancePath,
        code: keyword,
        detail: `${nameOf(instancePath)} ${RULES[keyword]?.(params) ?? "is not valid"}.`,
      };
  }
}

/** What each rule of a schema asks for. Patterns and the validator's own words say nothing to people. */
const RULES: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${TYPES[String(type)] ?? "of another type"}`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().join(", ")}`,
  minLength: ({ limit }) =>
    limit === 1 ? "must not be empty" : `must have at least ${count(limit, "character")}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, "character")}`,
  minItems: ({ limit }) => `must have at least ${count(limit, "entry")}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, "entry")}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, "field")}`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  pattern: () => "holds a character that is not allowed, such as a line break",
};

type Params = FastifySchemaValidationError["params"];

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const count = (limit: unknown, noun: string): string =>
  limit === 1 ? `1 ${noun}` : `${limit} ${noun.replace(/y$/, "ie")}s`;

const nameOf = (pointer: string): string =>
  pointer === "" ? "The body" : pointer.slice(1).replaceAll("/", ".");
