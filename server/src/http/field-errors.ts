import type { FastifySchemaValidationError } from "fastify";
import type { FieldError } from "../lib/problem.ts";
import { toPointer } from "../lib/strict-json.ts";

const FIELD_ERRORS_MAX = 20;

/** What the validator found, in the words of the API: where, which rule, and a sentence for a human. */
export const fieldErrors = (found: readonly FastifySchemaValidationError[]): FieldError[] =>
  found.slice(0, FIELD_ERRORS_MAX).map(toFieldError);

function toFieldError({ instancePath, keyword, params, message }: FastifySchemaValidationError): FieldError {
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
    case "type":
      return {
        pointer: instancePath,
        code: "type",
        detail: `${nameOf(instancePath)} must be of type ${params.type}.`,
      };
    default:
      return {
        pointer: instancePath,
        code: keyword,
        detail: `${nameOf(instancePath)} ${message ?? "is not valid"}.`,
      };
  }
}

const nameOf = (pointer: string): string =>
  pointer === "" ? "The body" : pointer.slice(1).replaceAll("/", ".");
