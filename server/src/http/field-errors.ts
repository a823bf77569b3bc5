import type { FastifySchemaValidationError } from "fastify";
import type { FieldError } from "../lib/problem.ts";
import { toPointer } from "../lib/strict-json.ts";

const FIELD_ERRORS_MAX = 20;

/** Converts validator errors to API field errors: the location, the rule and a sentence. */
export const fieldErrors = (found: readonly FastifySchemaValidationError[]): FieldError[] =>
  found
    .filter((error) => !isTold(error, found))
    .slice(0, FIELD_ERRORS_MAX)
    .map(toFieldError);

/** An empty text also fails its pattern. Reporting both adds nothing. */
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
        detail: `Unknown field ${JSON.stringify(name)}.`,
      };
    }
    case "required": {
      const name = String(params.missingProperty);
      return {
        pointer: instancePath + toPointer([name]),
        code: "required",
        detail: `Missing required field "${name}".`,
      };
    }
    default:
      return {
        pointer: instancePath,
        code: keyword,
        detail: `${nameOf(instancePath)} ${RULES[keyword]?.(params) ?? "is invalid"}.`,
      };
  }
}

/** The message for each schema rule. Patterns and the validator's own messages mean nothing to callers. */
const RULES: Readonly<Record<string, (params: Params) => string>> = {
  type: ({ type }) => `must be ${TYPES[String(type)] ?? "a different type"}`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().join(", ")}`,
  minLength: ({ limit }) =>
    limit === 1 ? "must not be empty" : `must have at least ${count(limit, "character")}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, "character")}`,
  minItems: ({ limit }) => `must have at least ${count(limit, "item")}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, "item")}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, "field")}`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  pattern: () => "contains a character that is not allowed, such as a line break",
};

type Params = FastifySchemaValidationError["params"];

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

const count = (limit: unknown, noun: string): string => (limit === 1 ? `1 ${noun}` : `${limit} ${noun}s`);

const nameOf = (pointer: string): string =>
  pointer === "" ? "The body" : pointer.slice(1).replaceAll("/", ".");
